// 5x5 median of a planar float image, each window sorted by insertion while it is gathered.
//@ launch grid=nx/16,ny/16 block=16,16
//@ arg image in f32[nx*ny*planes] range(0,1,1)
//@ arg out out f32[nx*ny*planes]
//@ arg nx i32 512
//@ arg ny i32 512
//@ arg planes i32 3
//@ small nx=32 ny=16 planes=1

extern "C" __global__ void median5x5_plain(const float *image, float *out, int nx, int ny, int planes) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  for (int plane = 0; plane < planes; plane++) {
    const float *from = image + plane * nx * ny;
    float sorted[25];
    int n = 0;
    for (int dy = -2; dy <= 2; dy++)
      for (int dx = -2; dx <= 2; dx++) {
        float value = from[min(max(y + dy, 0), ny - 1) * nx + min(max(x + dx, 0), nx - 1)];
        int at = n++;
        while (at > 0 && sorted[at - 1] > value) {
          sorted[at] = sorted[at - 1];
          at--;
        }
        sorted[at] = value;
      }
    out[(plane * ny + y) * nx + x] = sorted[12];
  }
}
