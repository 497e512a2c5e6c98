; RUN: %opt -passes='print<affine-divergence>,warpwise<fuse;map;block=64>,verify' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes='steer-spills<regs=24;victims=all>,verify' -disable-output %s
; RUN: %warpwise fuzz survive %s
; In unreachable blocks an address may be made of itself: whoever followed it to its root never came to an end.
target triple = "nvptx64-nvidia-cuda"

; CHECK: affine divergence for 'kernel'
define ptx_kernel void @kernel(ptr %out) {
  %table = alloca [4 x i32], align 4
  %value = load i32, ptr %table, align 4
  store i32 %value, ptr %out, align 4
  ret void

unreachable:
  %self = getelementptr inbounds i8, ptr %self, i64 2
  %low = load i32, ptr %self, align 4
  store i32 %low, ptr %self, align 4
  %sum = add i32 %sum, %low
  %more = icmp slt i32 %sum, 10
  br i1 %more, label %unreachable, label %end

end:
  ret void
}
