; A guarded instruction joins the old value with the new one. A register that is not written on every way holds whatever
; was in it.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.both = uniform grid{{$}}
  %uni.both = call i32 asm "{ .reg .pred p; setp.ne.u32 p, $1, 0; mov.u32 $0, 1; @p mov.u32 $0, 2; }", "=&r,r"(i32 %n)
  ; CHECK: %div.guard = divergent{{$}}
  %div.guard = call i32 asm "{ .reg .pred p; setp.ne.u32 p, $1, 0; mov.u32 $0, 1; @!p mov.u32 $0, 2; }", "=&r,r"(i32 %t)
  ; CHECK: %div.unwritten = divergent{{$}}
  %div.unwritten = call i32 asm "{ .reg .pred p; setp.ne.u32 p, $1, 0; @p mov.u32 $0, 1; }", "=r,r"(i32 %n)
  ; CHECK: %div.never = divergent{{$}}
  %div.never = call i32 asm "// nothing", "=r"()
  ; CHECK: %div.read = divergent{{$}}
  %div.read = call i32 asm "{ .reg .u32 a; add.u32 $0, a, 1; }", "=r"()
  ; CHECK: %div.elsewhere = divergent{{$}}
  %div.elsewhere = call i32 asm "mov.u32 $0, a;", "=r"()
  ; CHECK: %div.carry = divergent{{$}}
  %div.carry = call i32 asm "addc.u32 $0, $1, 0;", "=r,r"(i32 %n)
  ; CHECK: %uni.carry = uniform grid{{$}}
  %uni.carry = call i32 asm "{ .reg .u32 a; add.cc.u32 a, $1, $1; addc.u32 $0, 0, 0; }", "=r,r"(i32 %n)
  ; CHECK: %div.carries = divergent{{$}}
  %div.carries = call i32 asm "{ .reg .u32 a; add.cc.u32 a, $1, $2; addc.u32 $0, 0, 0; }", "=r,r,r"(i32 %n, i32 %t)
  ; CHECK: %uni.tied = uniform grid{{$}}
  %uni.tied = call i32 asm "{ .reg .pred p; setp.ne.u32 p, $2, 0; @p add.u32 $0, $0, 1; }", "=r,0,r"(i32 %n, i32 %n)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
