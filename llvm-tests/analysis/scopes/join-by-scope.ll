; Paths chosen by the block index join in the scope of the block.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ; CHECK: %c = uniform block{{$}}
  %c = icmp ult i32 %b, %n
  ; CHECK: br %c: uniform{{$}}
  br i1 %c, label %x, label %y
x:
  br label %j
y:
  br label %j
j:
  ; CHECK: %uni.p = uniform block{{$}}
  %uni.p = phi i32 [ 1, %x ], [ 2, %y ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
