; Loads in inline PTX: from memory that nobody writes everywhere, from other memory only where LLVM leaves them in place.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr %p, i32 %t
  ; CHECK: %uni.nc = uniform grid{{$}}
  %uni.nc = call i32 asm "ld.global.nc.u32 $0, [$1+4];", "=r,l"(ptr %p)
  ; CHECK: %uni.pair = uniform grid{{$}}
  %uni.pair = call { i64, i64 } asm sideeffect "ld.global.nc.L1::no_allocate.v2.u64 {$0, $1}, [$2];", "=l,=l,l"(ptr %p)
  ; CHECK: %uni.weak = uniform warp{{$}}
  %uni.weak = call i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,l"(ptr %p)
  ; CHECK: %div.moved = divergent{{$}}
  %div.moved = call i32 asm "ld.global.u32 $0, [$1];", "=r,l"(ptr %p)
  ; CHECK: %div.address = divergent{{$}}
  %div.address = call i32 asm "ld.global.nc.u32 $0, [$1];", "=r,l"(ptr %q)
  ; CHECK: %div.generic = divergent{{$}}
  %div.generic = call i32 asm sideeffect "ld.u32 $0, [$1];", "=r,l"(ptr %p)
  ; CHECK: %div.local = divergent{{$}}
  %div.local = call i32 asm sideeffect "ld.local.u32 $0, [$1];", "=r,l"(ptr %p)
  ; CHECK: %div.volatile = divergent{{$}}
  %div.volatile = call i32 asm sideeffect "ld.volatile.global.u32 $0, [$1];", "=r,l"(ptr %p)
  ; CHECK: %div.relaxed = divergent{{$}}
  %div.relaxed = call i32 asm sideeffect "ld.relaxed.gpu.global.u32 $0, [$1];", "=r,l"(ptr %p)
  ; CHECK: %div.atomic = divergent{{$}}
  %div.atomic = call i32 asm sideeffect "atom.global.add.u32 $0, [$1], 1;", "=r,l"(ptr %p)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
