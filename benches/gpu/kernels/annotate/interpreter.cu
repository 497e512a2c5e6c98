// An interpreter: one program for the block, registers of each thread; every branch on an opcode is uniform.
//@ launch grid=1056 block=256
//@ arg code in i32[2048] range(0,10,1)
//@ arg in in f32[threads] range(0.5,1.5,2)
//@ arg out out f32[threads]
//@ arg steps i32 2048
//@ small grid=2 steps=64
//@ also map

extern "C" __global__ __launch_bounds__(256)
void interpreter_plain(const int *code, const float *in, float *out, int steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t], a = x, b = 1.0f, c = 0.5f;
  for (int pc = 0; pc < steps;) {
    int op = code[pc];
    switch (op) {
    case 0: a = fmaf(a, 0.5f, b); break;
    case 1: b = fmaf(b, 0.5f, c); break;
    case 2: c = fmaf(c, 0.5f, a); break;
    case 3: a = a / (c + 2.0f); break;
    case 4: { float s = a; a = b; b = s; break; }
    case 5: b = sqrtf(fabsf(b)) + 0.25f; break;
    case 6: c = fminf(fmaxf(c, -4.0f), 4.0f); break;
    case 7: if (code[(pc + 7) & 2047] < 5) pc++; break;
    case 8: a = a - b; break;
    default: c = fmaf(a, 0.125f, x); break;
    }
    pc++;
  }
  out[t] = a + b + c;
}
