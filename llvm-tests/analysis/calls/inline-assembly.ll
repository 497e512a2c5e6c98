; Inline assembly is a function of its operands only if every instruction of it is; special registers are not operands.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.a = uniform grid{{$}}
  %uni.a = call i32 asm "add.u32 $0, $1, $1;", "=r,r"(i32 %n)
  ; CHECK: %div.t = divergent{{$}}
  %div.t = call i32 asm "add.u32 $0, $1, $1;", "=r,r"(i32 %t)
  ; CHECK: %div.l = divergent{{$}}
  %div.l = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  ; CHECK: %div.v = divergent{{$}}
  %div.v = call i32 asm sideeffect "add.u32 $0, $1, $1;", "=r,r"(i32 %n)
  ; CHECK: %div.m = divergent{{$}}
  %div.m = call i32 asm "ld.global.u32 $0, [$1];", "=r,l"(i64 0)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
