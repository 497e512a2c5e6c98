; The number of a thread in its block is 32 times that of its warp, plus the lane, whatever the shape of the block is.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %p, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %layers = mul i32 %z, %ny
  %row = add i32 %layers, %y
  %rows = mul i32 %row, %nx
  ; CHECK: %flat = affine 1*tid.x + %nx*tid.y + %nx*%ny*tid.z
  %flat = add i32 %rows, %x
  ; CHECK: %warp = uniform warp
  %warp = lshr i32 %flat, 5
  ; CHECK: %lane = affine 1*laneid
  %lane = and i32 %flat, 31
  ; CHECK: %below = uniform warp
  %below = icmp ult i32 %flat, 64
  ; the number is below 1,024, so this does not wrap
  ; CHECK: %wide = affine 1*tid.x + sext(%nx)*tid.y + sext(%nx)*sext(%ny)*tid.z
  %wide = sext i32 %flat to i64
  ; CHECK: %high = uniform warp
  %high = lshr i64 %wide, 6
  %first = icmp eq i32 %flat, 0
  ; CHECK: br %first: divergent
  br i1 %first, label %one, label %others
one:
  ; CHECK: %v = uniform warp
  %v = load volatile i32, ptr %p
  br label %others
others:
  ; without the depth, and with the extents the wrong way round, it is another number
  %start = mul i32 %y, %nx
  %plane = add i32 %start, %x
  ; CHECK: %plane5 = divergent
  %plane5 = lshr i32 %plane, 5
  %start2 = mul i32 %y, %ny
  %layers2 = mul i32 %z, %nx
  %layers3 = mul i32 %layers2, %ny
  %wrong1 = add i32 %start2, %layers3
  %wrong = add i32 %wrong1, %x
  ; CHECK: %wrong5 = divergent
  %wrong5 = lshr i32 %wrong, 5
  %odd = icmp ult i32 %flat, 40
  ; CHECK: br %odd: divergent
  br i1 %odd, label %done, label %done2
done:
  ret void
done2:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
