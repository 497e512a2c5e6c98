; Each of several results has its own class.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i64 %w) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %div.pair = divergent{{$}}
  %div.pair = call { i32, i32 } asm "mov.u32 $0, 7; add.u32 $1, $2, 1;", "=r,=r,r"(i32 %t)
  ; CHECK: %seven = constant 7{{$}}
  %seven = extractvalue { i32, i32 } %div.pair, 0
  ; CHECK: %aff.t = affine 1*tid.x + 1{{$}}
  %aff.t = extractvalue { i32, i32 } %div.pair, 1
  ; CHECK: %uni.halves = uniform grid{{$}}
  %uni.halves = call { i32, i32 } asm "mov.b64 {$0, $1}, $2;", "=r,=r,l"(i64 %w)
  ; CHECK: %uni.high = uniform grid{{$}}
  %uni.high = extractvalue { i32, i32 } %uni.halves, 1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %uni.inside = call { i32, i32 } asm "add.u32 $0, $2, 1; mov.u32 $1, $2;", "=r,=r,r"(i32 %i)
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %after
after:
  ; CHECK: %div.left = divergent{{$}}
  %div.left = extractvalue { i32, i32 } %uni.inside, 0
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
