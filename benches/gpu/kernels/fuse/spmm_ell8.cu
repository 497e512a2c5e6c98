// Sparse matrix (ELLPACK with row lengths) times eight dense columns, scaled and added to the old result.
//@ launch grid=792 block=256
//@ arg cols in i32[threads*width] range(0,xrows,1)
//@ arg vals in f32[threads*width] range(-1,1,2)
//@ arg length in i32[threads] range(8,width,3)
//@ arg x in f32[xrows*8] range(-1,1,4)
//@ arg y inout f32[threads*8] range(-1,1,5)
//@ arg xrows i32 60000
//@ arg width i32 40
//@ arg alpha f32 0.75
//@ arg beta f32 0.25
//@ small grid=1 xrows=500 width=13

extern "C" __global__ __launch_bounds__(256, 8)
void spmm_ell8_plain(const int *__restrict__ cols, const float *__restrict__ vals, const int *__restrict__ length,
                     const float4 *__restrict__ x, float4 *__restrict__ y, int xrows, int width, float alpha,
                     float beta) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, rows = gridDim.x * blockDim.x;
  float4 p = make_float4(0, 0, 0, 0), q = p;
  const int n = min(length[row], width);
#pragma unroll 4
  for (int k = 0; k < n; k++) {
    int c = cols[k * rows + row];
    float v = vals[k * rows + row];
    float4 a = x[c * 2], b = x[c * 2 + 1];
    p.x += v * a.x, p.y += v * a.y, p.z += v * a.z, p.w += v * a.w;
    q.x += v * b.x, q.y += v * b.y, q.z += v * b.z, q.w += v * b.w;
  }
  float4 o = y[row * 2];
  y[row * 2] = make_float4(alpha * p.x + beta * o.x, alpha * p.y + beta * o.y, alpha * p.z + beta * o.z,
                           alpha * p.w + beta * o.w);
  o = y[row * 2 + 1];
  y[row * 2 + 1] = make_float4(alpha * q.x + beta * o.x, alpha * q.y + beta * o.y, alpha * q.z + beta * o.z,
                               alpha * q.w + beta * o.w);
}
