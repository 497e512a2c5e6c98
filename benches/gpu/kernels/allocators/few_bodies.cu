// Forces between bodies: the other body is the same for all lanes and loaded four at a time.
//@ launch grid=264 block=256
//@ arg body in f32[4*n] range(-1,1,1)
//@ arg out out f32[3*threads]
//@ arg n i32 1024
//@ small grid=1 n=256
//@ regs 24

extern "C" __global__ void few_bodies_plain(const float *body, float *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, me = t & (n - 1);
  float x = body[4 * me], y = body[4 * me + 1], z = body[4 * me + 2], ax = 0.0f, ay = 0.0f, az = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; i += 4) {
    float dx[4], dy[4], dz[4], k[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      dx[j] = body[4 * (i + j)] - x;
      dy[j] = body[4 * (i + j) + 1] - y;
      dz[j] = body[4 * (i + j) + 2] - z;
      float d = fmaf(dx[j], dx[j], fmaf(dy[j], dy[j], fmaf(dz[j], dz[j], 0.01f)));
      k[j] = body[4 * (i + j) + 3] / (d * sqrtf(d));
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
      ax = fmaf(dx[j], k[j], ax);
      ay = fmaf(dy[j], k[j], ay);
      az = fmaf(dz[j], k[j], az);
    }
  }
  int all = gridDim.x * blockDim.x;
  out[t] = ax;
  out[all + t] = ay;
  out[2 * all + t] = az;
}
