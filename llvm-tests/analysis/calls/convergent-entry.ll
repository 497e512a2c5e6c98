; A function is entered by whole warps if it is called in their company only.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'together'
define internal void @together() {
  ; CHECK: %entry: convergent{{$}}
entry:
  ret void
}
; CHECK-LABEL: affine divergence for 'apart'
define internal void @apart() {
  ; CHECK: %entry: divergent{{$}}
entry:
  ret void
}
; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @together()
  %c = icmp eq i32 %t, %n
  br i1 %c, label %some, label %rest
some:
  call void @apart()
  br label %join
rest:
  store i32 1, ptr %p
  br label %join
join:
  call void @together()
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
