; A launch that no GPU takes, or a number that means nothing, is answered with a sentence; a kernel goes by its name in the
; source too.
;
; RUN: %not %warpwise simt %s -k scale -a u32[4]:zero --block 1,1,65 2>&1 | %FileCheck %s --check-prefix=DEEP
; DEEP: a block of 65 threads along z, but at most 64 are allowed
; RUN: %not %warpwise simt %s -a u32[4]:zero --dynamic-shared 232449 2>&1 | %FileCheck %s --check-prefix=SHARED
; SHARED: 232449 is not in 0..=232448
; RUN: %not %warpwise simt --compare %s %s -a u32[4]:zero --tolerance -1 2>&1 | %FileCheck %s --check-prefix=TOLERANCE
; TOLERANCE: -1 is no difference: give a number of at least 0
; RUN: %not %warpwise simt %s -a u32[4]:iota:5 2>&1 | %FileCheck %s --check-prefix=IOTA
; IOTA: iota takes no value, but has "5"
; RUN: %not %warpwise simt %s -a f32:1e400 2>&1 | %FileCheck %s --check-prefix=FLOAT
; FLOAT: 1e400 does not fit into f32: say inf for infinity
; RUN: %warpwise simt %s -k scale -a u32[4]:iota --block 4 | %FileCheck %s --check-prefix=PLAIN
; PLAIN: arg 0: u32[4] = 0, 2, 4, 6

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @_Z5scalePj(ptr %p) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %tid
  %old = load i32, ptr %at
  %new = mul i32 %old, 2
  store i32 %new, ptr %at
  ret void
}

define ptx_kernel void @_Z5otherv() {
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
