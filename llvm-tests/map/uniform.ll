; A branch that is proven uniform is not counted, unless all are asked for.
; RUN: %opt -passes='divergence-map<name=t>' -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='divergence-map<name=t;all>' -S %s -o %t.ll
; RUN: %warpwise simt %t.ll --block 50 --arg 'i32[64]:zero' --arg i32:1 --recount --save-map %t.map | %FileCheck %s --check-prefix=RECOUNT
; RUN: %warpwise map show %t.map | %FileCheck %s --check-prefix=SHOW

; CHECK: remark: {{.*}}not counted: all lanes of a warp take the same way here
; CHECK-NOT: llvm.nvvm.activemask()
; RECOUNT: 1 branches were counted as the machine saw them
; SHOW: %entry 2 0
; SHOW-NOT: proven uniform

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %out
  br label %b
b:
  ret void
}
