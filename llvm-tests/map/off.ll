; A function that asks to be left alone is left alone, and the user is told.
; RUN: %opt -passes='divergence-map<name=t>' -pass-remarks-missed=warpwise -S %s 2>&1 | %FileCheck %s

; CHECK: remark: {{.*}}no divergence map: the function asks to be left alone
; CHECK: remark: {{.*}}no divergence map: the function asks to be left alone
; CHECK: @__warpwise_map_t_counters
; CHECK-NOT: activemask

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) "warpwise-no-map" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, 20
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %out
  br label %b
b:
  ret void
}

define ptx_kernel void @off(ptr %out) "warpwise-off" {
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
