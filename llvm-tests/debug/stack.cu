// A thread's array that moves to shared memory is declared there, word by word; what it held can be looked at as before.
// With clang's assignment tracking, whose records name the array beside each value, it is declared as without: every
// assignment still has its store.
//
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -mllvm -warpwise-block=64 -Rpass=warpwise -emit-llvm -S -o %t.ll 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %FileCheck %s < %t.ll
// RUN: %opt -passes='function(instcombine,simplifycfg)' -verify-each -disable-output %t.ll
// RUN: %llc -mcpu=sm_90 %t.ll -o /dev/null
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -Xclang -fexperimental-assignment-tracking=disabled -mllvm -warpwise-block=64 -emit-llvm -S -o - | %FileCheck %s

// REMARK: moved from local to shared memory: one copy per thread
// CHECK: %[[AREA:[0-9]+]] = getelementptr {{.*}}ptr addrspace(3)
// CHECK: #dbg_declare(ptr addrspace(3) %[[AREA]], [[RING:![0-9]+]], !DIExpression(DW_OP_plus_uconst, 0, DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef, DW_OP_LLVM_fragment, 0, 32)
// CHECK: #dbg_declare(ptr addrspace(3) %[[AREA]], [[RING]], !DIExpression(DW_OP_plus_uconst, 1792, DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef, DW_OP_LLVM_fragment, 224, 32)
// CHECK-NOT: #dbg_assign
// CHECK: [[RING]] = !DILocalVariable(name: "ring"

extern "C" __global__ void __launch_bounds__(64) k(int *out, const int *in, int n) {
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
