// An array in registers whose elements are computed again in the loop, and nowhere else, is still told of where it is
// assigned, by what an element is made of; a variable beside it keeps its value.
//
// RUN: %clang_cuda %s -g --cuda-noopt-device-debug -mllvm -warpwise-regs=32 -mllvm -warpwise-steer=constant -Rpass=warpwise -emit-llvm -S -o %t.ll 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %FileCheck %s < %t.ll
// RUN: %opt -passes='function(instcombine,simplifycfg)' -verify-each -disable-output %t.ll
// RUN: %llc -mcpu=sm_90 %t.ll -o /dev/null

// REMARK: 28 values are rematerialised at their uses
// CHECK-LABEL: define {{.*}}@k(
// CHECK: [[T:%[0-9]+]] = {{.*}}@llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK: #dbg_value(i32 [[T]], [[VT:![0-9]+]], !DIExpression()
// CHECK: #dbg_value(!DIArgList(i32 {{%[0-9]+}}, i32 [[T]]), [[A:![0-9]+]], !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value, DW_OP_LLVM_fragment, 0, 32)
// CHECK: #dbg_value(!DIArgList(i32 {{%[0-9]+}}, i32 [[T]]), [[A]], !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value, DW_OP_LLVM_fragment, 864, 32)
// CHECK: #dbg_value(i32 [[MUL:%[0-9]+]], [[FIRST:![0-9]+]], !DIExpression()
// CHECK: #dbg_value(i32 [[MUL]], [[AGAIN:![0-9]+]], !DIExpression()
// CHECK-DAG: [[VT]] = !DILocalVariable(name: "t"
// CHECK-DAG: [[A]] = !DILocalVariable(name: "a"
// CHECK-DAG: [[FIRST]] = !DILocalVariable(name: "first"
// CHECK-DAG: [[AGAIN]] = !DILocalVariable(name: "again"

extern "C" __global__ void __launch_bounds__(128) k(int *out, const int *in, int n, int w) {
  int t = threadIdx.x;
  int a[28];
#pragma unroll
  for (int i = 0; i < 28; ++i)
    a[i] = t + ((w * (i + 3)) ^ (7 * i + 1));
  int first = t * w;
  int x = 0;
  for (int j = 0; j < n; ++j)
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
      x = x * 3 ^ first;
      int again = first;
#pragma unroll
      for (int l = 0; l < 28; ++l)
        x = x * 3 ^ a[l];
      x += again;
    }
  out[t] = x + first;
}
