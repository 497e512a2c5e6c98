// A loop that goes on while any lane of the warp needs it, with a test on the warp's own counter inside.
//@ launch grid=1056 block=256
//@ arg need in i32[threads] range(1,200,1)
//@ arg out out f32[threads]
//@ small grid=2

extern "C" __global__ __launch_bounds__(256)
void vote_loop_plain(const int *need, float *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, left = need[t], turn = 0;
  float s = 0.0f;
  while (__any_sync(0xffffffffu, left > 0)) {
    if (turn & 1) s = fmaf(s, 0.5f, (float)left);
    else s = fmaf(s, 0.25f, 1.0f);
    if ((turn + (threadIdx.x >> 5)) % 5 == 0) s += 0.125f;
    left--;
    turn++;
  }
  out[t] = s;
}
