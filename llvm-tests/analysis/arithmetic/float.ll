; Floating point has no forms: uniform or divergent.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(float %x, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %f = divergent{{$}}
  %f = sitofp i32 %t to float
  ; CHECK: %g = uniform grid{{$}}
  %g = sitofp i32 %n to float
  ; CHECK: %uni.s = uniform grid{{$}}
  %uni.s = call float @llvm.sqrt.f32(float %x)
  ; CHECK: %uni.n = uniform grid{{$}}
  %uni.n = call float @llvm.nvvm.sqrt.rn.f(float %x)
  ; CHECK: %div.a = divergent{{$}}
  %div.a = fadd float %f, %x
  ; CHECK: %uni.c = uniform grid{{$}}
  %uni.c = fcmp olt float %g, %x
  ; CHECK: %div.z = divergent{{$}}
  %div.z = fsub float %f, %f
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.sqrt.rn.f(float)
declare float @llvm.sqrt.f32(float)
