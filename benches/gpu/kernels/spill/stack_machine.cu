// A stack machine: one program for all threads, so the stack pointer is uniform and what lies on the stack is not.
//@ launch grid=1056 block=256
//@ arg program in i32[1024] range(0,7,1)
//@ arg in in i32[threads] range(-1000,1000,2)
//@ arg out out i32[threads]
//@ arg steps i32 1024
//@ small grid=2 steps=128
//@ also map annotate

extern "C" __global__ __launch_bounds__(256)
void stack_machine_plain(const int *program, const int *in, int *out, int steps) {
  int stack[16];
  int t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t], sp = 2;
  for (int i = 0; i < 16; i++) stack[i] = x + i;
  for (int pc = 0; pc < steps; pc++) {
    int op = program[pc];
    if (op < 3 && sp < 16) {
      stack[sp] = op == 0 ? x : op == 1 ? pc : stack[sp - 1] * 3;
      sp++;
    } else if (sp >= 2) {
      int b = stack[sp - 1], a = stack[sp - 2];
      sp--;
      stack[sp - 1] = op == 3 ? a + b : op == 4 ? a - b : op == 5 ? a * b : (a ^ b >> 3);
    } else {
      stack[sp++] = x ^ pc;
    }
  }
  out[t] = stack[sp - 1];
}

extern "C" __global__ __launch_bounds__(256)
void stack_machine_by_hand(const int *program, const int *in, int *out, int steps) {
  __shared__ int stack[16][256];
  int t = blockIdx.x * blockDim.x + threadIdx.x, me = threadIdx.x, x = in[t], sp = 2;
  for (int i = 0; i < 16; i++) stack[i][me] = x + i;
  for (int pc = 0; pc < steps; pc++) {
    int op = program[pc];
    if (op < 3 && sp < 16) {
      stack[sp][me] = op == 0 ? x : op == 1 ? pc : stack[sp - 1][me] * 3;
      sp++;
    } else if (sp >= 2) {
      int b = stack[sp - 1][me], a = stack[sp - 2][me];
      sp--;
      stack[sp - 1][me] = op == 3 ? a + b : op == 4 ? a - b : op == 5 ? a * b : (a ^ b >> 3);
    } else {
      stack[sp++][me] = x ^ pc;
    }
  }
  out[t] = stack[sp - 1][me];
}
