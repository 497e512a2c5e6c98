; Inline PTX that computes is a function of its operands, also if it is volatile; addition and constant multiples keep
; the form.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, float %x, ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %uni.a = uniform grid{{$}}
  %uni.a = call i32 asm "xor.b32 $0, $1, $1;", "=r,r"(i32 %n)
  ; CHECK: %uni.v = uniform grid{{$}}
  %uni.v = call i32 asm sideeffect "add.u32 $0, $1, $1;", "=r,r,~{memory}"(i32 %n)
  ; CHECK: %uni.f = uniform grid{{$}}
  %uni.f = call float asm "{ rcp.approx.ftz.f32 $0, $1; // a comment; with a semicolon\0A}", "=f,f"(float %x)
  ; CHECK: %uni.h = uniform grid{{$}}
  %uni.h = call i16 asm "{ .reg .f16 a; cvt.rn.f16.f32 a, $1; mov.b16 $0, a; }", "=h,f"(float %x)
  ; CHECK: %uni.s = uniform grid{{$}}
  %uni.s = call i32 asm "selp.b32 $0, $1, 7, $2;", "=r,r,b"(i32 %n, i1 true)
  ; CHECK: %uni.cvta = uniform grid{{$}}
  %uni.cvta = call i64 asm "cvta.to.global.u64 $0, $1;", "=l,l"(ptr %p)
  ; CHECK: %uni.window = uniform block{{$}}
  %uni.window = call i64 asm "cvta.shared.u64 $0, $1;", "=l,l"(ptr %p)
  ; CHECK: %div.t = divergent{{$}}
  %div.t = call i32 asm "xor.b32 $0, $1, $1;", "=r,r"(i32 %t)
  ; CHECK: %aff.add = affine 1*tid.x + uniform grid{{$}}
  %aff.add = call i32 asm "add.u32 $0, $1, $2;", "=r,r,r"(i32 %t, i32 %n)
  ; CHECK: %aff.sub = affine -1*tid.x + uniform grid{{$}}
  %aff.sub = call i32 asm "sub.s32 $0, $2, $1;", "=r,r,r"(i32 %t, i32 %n)
  ; CHECK: %aff.mad = affine 12*tid.x + uniform grid{{$}}
  %aff.mad = call i32 asm "mad.lo.s32 $0, $1, 12, $2;", "=r,r,r"(i32 %t, i32 %n)
  ; CHECK: %aff.shl = affine 8*tid.x + 5{{$}}
  %aff.shl = call i32 asm "{ .reg .u32 a; shl.b32 a, $1, 0x3; add.u32 $0, a, 5; }", "=r,r"(i32 %t)
  ; CHECK: %aff.wide = affine 4*tid.x{{$}}
  %aff.wide = call i64 asm "{ .reg .u64 a; cvt.u64.u32 a, $1; shl.b64 $0, a, 2; }", "=l,r"(i32 %t)
  ; CHECK: %uni.cancels = uniform grid{{$}}
  %uni.cancels = call i32 asm "sub.u32 $0, $1, $2;", "=r,r,r"(i32 %aff.add, i32 %t)
  ; CHECK: %div.saturates = divergent{{$}}
  %div.saturates = call i32 asm "add.sat.s32 $0, $1, $2;", "=r,r,r"(i32 %t, i32 %n)
  ; CHECK: %div.high = divergent{{$}}
  %div.high = call i32 asm "mul.hi.u32 $0, $1, 12;", "=r,r"(i32 %t)
  ; CHECK: %div.octal = divergent{{$}}
  %div.octal = call i32 asm "mul.lo.u32 $0, $1, 010;", "=r,r"(i32 %t)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
