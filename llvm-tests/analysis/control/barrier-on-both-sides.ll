; If both sides reach a barrier, they are two parts of a warp. If one side ends without waiting for anybody, the other is all that is left.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'both'
define ptx_kernel void @both(i32 %n, ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  ; CHECK: br %c: divergent{{$}}
  br i1 %c, label %body, label %other
  ; CHECK: %body: divergent{{$}}
body:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  br label %exit
  ; CHECK: %other: divergent{{$}}
other:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %exit
exit:
  ret void
}
; CHECK-LABEL: affine divergence for 'one'
define ptx_kernel void @one(i32 %n, ptr %p) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  ; CHECK: br %c: divergent{{$}}
  br i1 %c, label %quiet, label %other
  ; CHECK: %quiet: divergent{{$}}
quiet:
  store i32 1, ptr %p
  br label %exit
  ; CHECK: %other: convergent{{$}}
other:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %exit
exit:
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
