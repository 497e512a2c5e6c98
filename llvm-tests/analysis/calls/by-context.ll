; What a call returns depends on its own arguments, whatever other calls pass.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; a wrapper as headers have it
define linkonce_odr i32 @from_lane(i32 %mask, i32 %value, i32 %lane, i32 %width) {
  %segment = sub i32 32, %width
  %shifted = shl i32 %segment, 8
  %clamp = or i32 %shifted, 31
  %r = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %mask, i32 %value, i32 %lane, i32 %clamp)
  ret i32 %r
}

define internal i32 @second(i32 %a, i32 %b) {
  ret i32 %b
}

define internal i32 @scaled(i32 %a) {
  %r = mul i32 %a, 4
  ret i32 %r
}

define internal i32 @nested(i32 %a, i32 %b) {
  %s = call i32 @second(i32 %a, i32 %b)
  %r = call i32 @scaled(i32 %s)
  ret i32 %r
}

define internal i32 @chosen(i1 %which, i32 %a, i32 %b) {
  br i1 %which, label %first, label %other
first:
  ret i32 %a
other:
  ret i32 %b
}

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(ptr %in, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %loaded = load i32, ptr %p
  %bit = trunc i32 %loaded to i1

  ; CHECK: %uni.whole = uniform warp
  %uni.whole = call i32 @from_lane(i32 -1, i32 %loaded, i32 %n, i32 32)
  ; CHECK: %div.halves = divergent
  %div.halves = call i32 @from_lane(i32 -1, i32 %loaded, i32 %n, i32 16)
  ; CHECK: %div.lane = divergent
  %div.lane = call i32 @from_lane(i32 -1, i32 %n, i32 %t, i32 32)

  ; CHECK: %uni.second = uniform grid
  %uni.second = call i32 @second(i32 %loaded, i32 %n)
  ; CHECK: %div.second = divergent
  %div.second = call i32 @second(i32 %n, i32 %loaded)

  ; CHECK: %aff.scaled = affine 4*tid.x
  %aff.scaled = call i32 @scaled(i32 %t)
  ; CHECK: %uni.scaled = uniform grid
  %uni.scaled = call i32 @scaled(i32 %n)
  ; CHECK: %aff.nested = affine 4*tid.x
  %aff.nested = call i32 @nested(i32 %loaded, i32 %t)

  %positive = icmp sgt i32 %n, 0
  ; CHECK: %uni.chosen = uniform grid
  %uni.chosen = call i32 @chosen(i1 %positive, i32 %n, i32 3)
  ; CHECK: %div.chosen = divergent
  %div.chosen = call i32 @chosen(i1 %bit, i32 %n, i32 3)
  ret void
}

; At most eight contexts of a function are told apart; then uniform arguments still give a uniform result.
; CHECK-LABEL: affine divergence for 'many'
define ptx_kernel void @many(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %1 = call i32 @scaled(i32 1)
  %2 = call i32 @scaled(i32 2)
  %3 = call i32 @scaled(i32 3)
  %4 = call i32 @scaled(i32 4)
  %5 = call i32 @scaled(i32 5)
  %6 = call i32 @scaled(i32 6)
  %7 = call i32 @scaled(i32 7)
  %8 = call i32 @scaled(i32 8)
  %9 = call i32 @scaled(i32 9)
  %t2 = mul i32 %t, 2
  ; CHECK: %div.last = divergent
  %div.last = call i32 @scaled(i32 %t2)
  %n2 = mul i32 %n, 2
  ; CHECK: %uni.last = uniform grid
  %uni.last = call i32 @scaled(i32 %n2)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
