; A grid-stride loop: the index keeps the thread index, and the exit diverges.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  ; CHECK: %base = uniform block{{$}}
  %base = mul i32 %b, %d
  ; CHECK: %start = affine 1*tid.x + uniform block{{$}}
  %start = add i32 %base, %t
  ; CHECK: %step = uniform grid{{$}}
  %step = mul i32 %d, %g
  br label %head
head:
  ; CHECK: %i = affine 1*tid.x + uniform block{{$}}
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  ; CHECK: br %more: divergent{{$}}
  br i1 %more, label %body, label %exit
body:
  %next = add i32 %i, %step
  br label %head
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
