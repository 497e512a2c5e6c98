// An array of structures per thread: particles in eight cells, one of them picked and exchanged at a time.
//@ launch grid=1056 block=128
//@ arg pick in u32[65536] range(0,1<<32,1)
//@ arg in in f32[65536] range(-1,1,2)
//@ arg out out f32[threads]
//@ arg rounds i32 400
//@ small grid=2 rounds=20

struct Cell {
  float x, v;
  int age;
};

extern "C" __global__ __launch_bounds__(128)
void struct_array_plain(const unsigned *pick, const float *in, float *out, int rounds) {
  Cell cells[8];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 8; i++) cells[i] = {in[(t + i) & 65535], in[(t * 3 + i) & 65535], i};
  for (int i = 0; i < rounds; i++) {
    unsigned r = pick[(t * 5 + i) & 65535];
    int a = r & 7, b = r >> 3 & 7;
    Cell held = cells[a];
    held.x = fmaf(held.v, 0.125f, held.x);
    held.age++;
    cells[a] = cells[b];
    cells[b] = held;
  }
  float s = 0;
  for (int i = 0; i < 8; i++) s = fmaf(s, 0.5f, cells[i].x + (float)cells[i].age);
  out[t] = s;
}

extern "C" __global__ __launch_bounds__(128)
void struct_array_by_hand(const unsigned *pick, const float *in, float *out, int rounds) {
  __shared__ float x[8][128], v[8][128];
  __shared__ int age[8][128];
  int t = blockIdx.x * blockDim.x + threadIdx.x, me = threadIdx.x;
  for (int i = 0; i < 8; i++) {
    x[i][me] = in[(t + i) & 65535];
    v[i][me] = in[(t * 3 + i) & 65535];
    age[i][me] = i;
  }
  for (int i = 0; i < rounds; i++) {
    unsigned r = pick[(t * 5 + i) & 65535];
    int a = r & 7, b = r >> 3 & 7;
    float hx = x[a][me], hv = v[a][me];
    int h = age[a][me] + 1;
    hx = fmaf(hv, 0.125f, hx);
    x[a][me] = x[b][me];
    v[a][me] = v[b][me];
    age[a][me] = age[b][me];
    x[b][me] = hx;
    v[b][me] = hv;
    age[b][me] = h;
  }
  float s = 0;
  for (int i = 0; i < 8; i++) s = fmaf(s, 0.5f, x[i][me] + (float)age[i][me]);
  out[t] = s;
}
