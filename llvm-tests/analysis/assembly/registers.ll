; Special registers read by inline PTX are those that LLVM's intrinsics read; clocks and the like differ between lanes.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k() {
  ; CHECK: %aff.tid = affine 1*tid.x{{$}}
  %aff.tid = call i32 asm "mov.u32 $0, %tid.x;", "=r"()
  ; CHECK: %aff.lane = affine 1*laneid{{$}}
  %aff.lane = call i32 asm sideeffect "mov.u32 $0, %laneid;", "=r"()
  ; CHECK: %uni.ctaid = uniform block{{$}}
  %uni.ctaid = call i32 asm "mov.u32 $0, %ctaid.x;", "=r"()
  ; CHECK: %uni.rank = uniform block{{$}}
  %uni.rank = call i32 asm "mov.u32 $0, %cluster_ctarank;", "=r"()
  ; CHECK: %uni.size = uniform grid{{$}}
  %uni.size = call i32 asm "mov.u32 $0, %ntid.x;", "=r"()
  ; CHECK: %uni.reserved = uniform block{{$}}
  %uni.reserved = call i32 asm "mov.u32 $0, %reserved_smem_offset_1;", "=r"()
  ; CHECK: %constant = constant 32{{$}}
  %constant = call i32 asm "mov.u32 $0, WARP_SZ;", "=r"()
  ; CHECK: %div.mask = divergent{{$}}
  %div.mask = call i32 asm "mov.u32 $0, %lanemask_lt;", "=r"()
  ; CHECK: %div.clock = divergent{{$}}
  %div.clock = call i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"()
  ; CHECK: %div.timer = divergent{{$}}
  %div.timer = call i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l"()
  ; CHECK: %div.sm = divergent{{$}}
  %div.sm = call i32 asm sideeffect "mov.u32 $0, %smid;", "=r"()
  ; CHECK: %div.warp = divergent{{$}}
  %div.warp = call i32 asm "mov.u32 $0, %warpid;", "=r"()
  ; CHECK: %div.of.llvm = divergent{{$}}
  %div.of.llvm = call i32 asm "mov.u32 $0, %r1;", "=r"()
  ; CHECK: %div.narrow = divergent{{$}}
  %div.narrow = call i16 asm "mov.u16 $0, %tid.x;", "=h"()
  ret void
}
