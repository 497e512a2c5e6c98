// Bitcode of this file as other LLVMs wrote it, for `tests/optimizer.rs`: 17.bc and 21.bc are of Debian's clang 17.0.6 and
// 21.1.8, called in the repository with `-x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_80 -O1 -g
// -fdebug-compilation-dir=. -Xclang -disable-llvm-passes -emit-llvm -c`.
extern "C" __attribute__((global)) void pairs(int *p, int n) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  __syncthreads();
  if (t & 1)
    p[t] = (n ^ 77) / t + 5;
  else
    p[t] = t / n + 3;
}
