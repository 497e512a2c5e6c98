// A kernel with two bodies keeps its array in two places: local memory in one body, shared memory in the other. Each body
// tells where it is from there on; nothing is declared, as a declaration holds in both.
//
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -Rpass=warpwise -emit-llvm -S -o %t.ll 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %FileCheck %s --check-prefixes=CHECK,TRACKED < %t.ll
// RUN: %opt -passes='function(instcombine,simplifycfg)' -verify-each -disable-output %t.ll
// RUN: %llc -mcpu=sm_90 %t.ll -o /dev/null
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -Xclang -fexperimental-assignment-tracking=disabled -emit-llvm -S -o %t.ll
// RUN: %FileCheck %s --check-prefixes=CHECK,PLAIN < %t.ll
// RUN: %llc -mcpu=sm_90 %t.ll -o /dev/null

// REMARK: moved from local to shared memory: one copy per thread
// CHECK-LABEL: define {{.*}}@k(
// CHECK-NOT: #dbg_declare
// CHECK: [[LOCAL:%[0-9]+]] = alloca [8 x i32]
// TRACKED: #dbg_assign(i1 poison, [[RING:![0-9]+]], !DIExpression(), {{![0-9]+}}, ptr [[LOCAL]], !DIExpression()
// PLAIN: #dbg_value(ptr [[LOCAL]], [[RING:![0-9]+]], !DIExpression(DW_OP_deref)
// CHECK-NOT: #dbg_declare
// CHECK: [[AREA:%[0-9]+]] = getelementptr {{.*}}ptr addrspace(3)
// CHECK: #dbg_value(ptr addrspace(3) [[AREA]], [[RING]], !DIExpression(DW_OP_plus_uconst, 0, DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef, DW_OP_LLVM_fragment, 0, 32)
// CHECK-NOT: #dbg_declare
// CHECK: [[RING]] = !DILocalVariable(name: "ring"

extern "C" __global__ void k(int *out, const int *in, int n) {
  int ring[8];
  for (int i = 0; i < 8; ++i)
    ring[i] = in[threadIdx.x + i];
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    int at = in[i] + threadIdx.x & 7;
    sum += ring[at];
    ring[at ^ 1] = sum;
  }
  out[threadIdx.x] = sum;
}
