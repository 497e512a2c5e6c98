// A kernel that spills at its limit of registers is also measured with ptxas's own spilling to shared memory: a pragma in the
// alternative alone. Where ptxas would fail over the pragma, here in code that another program links, there is no such
// alternative. Chosen, it is built into the kernel.
// RUN: %clang_cuda %s -mllvm -warpwise-tune -Rpass=warpwise -S -o %t.s 2>%t.remarks
// RUN: %FileCheck %s --check-prefix=MADE < %t.remarks
// RUN: %FileCheck %s < %t.s
// RUN: %ptxas -arch=sm_90 -v %t.s -o %t.cubin 2>&1 | %FileCheck %s --check-prefix=PTXAS
// RUN: %clang_cuda %s -fgpu-rdc -mllvm -warpwise-tune -Rpass=warpwise -S -o %t.rdc.s 2>&1 | %FileCheck %s --check-prefix=RDC --allow-empty
// RUN: %ptxas -c -arch=sm_90 %t.rdc.s -o %t.o
// RUN: %clang_cuda %s -fgpu-rdc -mllvm -warpwise-ptxas-smem -Rpass-missed=warpwise -S -o %t.rdc.s 2>&1 | %FileCheck %s --check-prefix=WHY
// RUN: sed -n 's/.*plain, smem (code \(.*\)).*/{"kernel":"spills","hash":"\1","gpu":"sm_90","block":[256,1,1],"shared":0,"launches":100,"alternatives":[{"name":"plain","n":20,"mean":10,"m2":1},{"name":"smem","n":20,"mean":8,"m2":1,"gain_n":20,"gain":2,"gain_m2":1}]}/p' %t.remarks > %t.fast
// RUN: %clang_cuda %s -mllvm -warpwise-choices=%t.fast -Rpass=warpwise -S -o %t.s 2>&1 | %FileCheck %s --check-prefix=CHOSE
// RUN: %ptxas -arch=sm_90 -v %t.s -o %t.cubin 2>&1 | %FileCheck %s --check-prefix=BUILT
// MADE: to be measured in the program: plain, smem (code
// CHECK: .entry spills(
// CHECK-NOT: .pragma "enable_smem
// CHECK: .entry spills$t1(
// CHECK: .pragma "enable_smem_spilling";
// PTXAS: Compiling entry function 'spills$t1'
// PTXAS: Used {{.*}} bytes smem
// PTXAS: Compiling entry function 'spills'
// PTXAS-NOT: smem
// RDC-NOT: smem
// WHY: ptxas takes its pragma only in whole programs: compile without -fgpu-rdc and -foffload-lto
// CHOSE: built as 'smem'
// BUILT: Compiling entry function 'spills'
// BUILT: Used {{.*}} bytes smem

extern "C" __global__ void __launch_bounds__(256, 8) spills(const float *in, float *out, int n) {
  float v[48];
  int at = threadIdx.x + blockIdx.x * 256;
#pragma unroll
  for (int i = 0; i < 48; i++)
    v[i] = in[at * 48 + i];
  for (int round = 0; round < n; round++) {
#pragma unroll
    for (int i = 0; i < 48; i++)
      v[i] = v[i] * v[(i + 1) % 48] + v[(i + 7) % 48];
  }
#pragma unroll
  for (int i = 0; i < 48; i++)
    out[at * 48 + i] = v[i];
}
