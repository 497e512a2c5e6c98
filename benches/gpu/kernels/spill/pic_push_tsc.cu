// Particle in cell: gathers the electric field with spline weights w[3][3] and pushes one particle by several steps.
//@ launch grid=1024 block=192
//@ arg pos inout f32[3*threads] range(0,64,1)
//@ arg vel inout f32[3*threads] range(-0.5,0.5,2)
//@ arg field in f32[3*n*n*n] range(-1,1,3)
//@ arg energy out f32[threads]
//@ arg n i32 64
//@ arg support i32 3
//@ arg steps i32 10
//@ arg dt f32 0.05
//@ arg bz f32 0.4
//@ small grid=1 n=16 steps=2

extern "C" __global__ __launch_bounds__(192)
void pic_push_tsc_plain(float *pos, float *vel, const float *field, float *energy, int n, int support, int steps,
                        float dt, float bz) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, particles = gridDim.x * blockDim.x;
  float p[3], v[3], w[3][3];
  int corner[3];
  for (int d = 0; d < 3; d++) {
    p[d] = pos[d * particles + t];
    v[d] = vel[d * particles + t];
  }
  int cells = n * n * n;
  float work = 0;
  for (int step = 0; step < steps; step++) {
    for (int d = 0; d < 3; d++) {
      if (support == 3) {  // triangular shaped cloud
        float nearest = floorf(p[d] + 0.5f), off = p[d] - nearest;
        corner[d] = (int)nearest - 1;
        w[d][0] = 0.5f * (0.5f - off) * (0.5f - off);
        w[d][1] = 0.75f - off * off;
        w[d][2] = 0.5f * (0.5f + off) * (0.5f + off);
      } else {  // cloud in cell
        float below = floorf(p[d]), off = p[d] - below;
        corner[d] = (int)below;
        w[d][0] = 1.0f - off;
        w[d][1] = off;
        w[d][2] = 0.0f;
      }
    }
    float e[3] = {0, 0, 0};
    for (int k = 0; k < support; k++) {
      int z = (corner[2] + k) & (n - 1);
      for (int j = 0; j < support; j++) {
        int y = (corner[1] + j) & (n - 1);
        float wzy = w[2][k] * w[1][j];
        for (int i = 0; i < support; i++) {
          int x = (corner[0] + i) & (n - 1);
          int at = (z * n + y) * n + x;
          float weight = wzy * w[0][i];
          for (int d = 0; d < 3; d++) e[d] += weight * field[d * cells + at];
        }
      }
    }
    float half = 0.5f * dt;
    for (int d = 0; d < 3; d++) v[d] += half * e[d];
    float turn = half * bz, scale = 2.0f * turn / (1.0f + turn * turn);
    float ax = v[0] + turn * v[1], ay = v[1] - turn * v[0];
    v[0] += scale * ay;
    v[1] -= scale * ax;
    for (int d = 0; d < 3; d++) {
      v[d] += half * e[d];
      work += v[d] * e[d] * dt;
      p[d] += v[d] * dt;
      p[d] -= n * floorf(p[d] / n);
    }
  }
  for (int d = 0; d < 3; d++) {
    pos[d * particles + t] = p[d];
    vel[d * particles + t] = v[d];
  }
  energy[t] = work;
}
