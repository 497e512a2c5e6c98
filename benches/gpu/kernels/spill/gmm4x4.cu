// Log-likelihood of points under a mixture of four diagonal Gaussians in four dimensions, with the winner's count.
//@ launch grid=792 block=256
//@ arg points in f32[threads*4+4096*4] range(-2,2,1)
//@ arg mean in f32[16] range(-1.5,1.5,2)
//@ arg precision in f32[16] range(0.4,3,3)
//@ arg logweight in f32[4] range(-3,-0.5,4)
//@ arg loglik out f32[threads]
//@ arg label out i32[threads]
//@ arg count i32 100
//@ small grid=1 count=9

extern "C" __global__ __launch_bounds__(256, 6)
void gmm4x4_plain(const float4 *__restrict__ points, const float *__restrict__ mean,
                  const float *__restrict__ precision, const float *__restrict__ logweight,
                  float *__restrict__ loglik, int *__restrict__ label, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float mu[4][4], prec[4][4], lw[4];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float det = 1;
#pragma unroll
    for (int d = 0; d < 4; d++) {
      mu[k][d] = mean[k * 4 + d];
      prec[k][d] = -0.5f * precision[k * 4 + d];
      det *= precision[k * 4 + d];
    }
    lw[k] = logweight[k] + 0.5f * __logf(det) - 3.6757541f;
  }
  float sum = 0;
  unsigned votes = 0;
  for (int i = 0; i < count; i++) {
    float4 p = points[t + (i * 61 & 4095)];
    float q[4], best;
    int who = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      float a = p.x - mu[k][0], b = p.y - mu[k][1], c = p.z - mu[k][2], d = p.w - mu[k][3];
      q[k] = lw[k] + prec[k][0] * a * a + prec[k][1] * b * b + prec[k][2] * c * c + prec[k][3] * d * d;
    }
    best = q[0];
#pragma unroll
    for (int k = 1; k < 4; k++)
      if (q[k] > best) best = q[k], who = k;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) s += __expf(q[k] - best);
    sum += best + __logf(s);
    votes += 1u << (who * 8);
  }
  loglik[t] = sum;
  int pick = 0;
#pragma unroll
  for (int k = 1; k < 4; k++)
    if ((votes >> (8 * k) & 255) > (votes >> (8 * pick) & 255)) pick = k;
  label[t] = pick;
}
