// Two ways load the same address behind guards of their own. If the registers were undefined for the other lanes, ptxas
// would load once for both, and lanes of the second way would read a register that was never loaded.
//
// RUN: %clang_cuda %s -mllvm -warpwise-off -S -emit-llvm -o %t.ll
// RUN: %opt -passes='fuse-branches<always>' -S %t.ll -o %t.fused.ll
// RUN: %FileCheck %s --check-prefix=IR --input-file=%t.fused.ll
// RUN: %llc -mcpu=sm_90 %t.fused.ll -o %t.ptx
// RUN: %FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: %cuobjdump -sass %t.cubin | %FileCheck %s --check-prefix=SASS

// IR: define {{.*}} @loads(
// IR-NOT: phi {{.*}} poison
// PTX: .entry loads(
// PTX-NOT: implicit-def

// Two copies of an iteration and one for the remainder.
// SASS: Function : loads
// SASS-COUNT-9: LDG
extern "C" __global__ void loads(unsigned *out, const unsigned *__restrict__ in, const float *__restrict__ table,
                                 unsigned n) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, s = 7;
  for (unsigned i = 0; i < n; ++i) {
    unsigned c = in[t + i * 64];
    if (c & 1) {
      if (threadIdx.y & 1) {
        float x = table[3];
        if (x > -1000.f && x < 1000.f)
          s += (unsigned)(int)x;
        else
          s ^= 5u;
      } else {
        s += c * 5u;
      }
    } else {
      if (threadIdx.y & 1) {
        s += c + 99u;
      } else {
        float x = table[3];
        if (x > -1000.f && x < 1000.f)
          s += (unsigned)(int)x;
        else
          s ^= 19u;
      }
    }
  }
  out[t] = s;
}
