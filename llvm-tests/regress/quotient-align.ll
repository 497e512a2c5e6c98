; The rest of a quotient is not as aligned as the dividend's known rest looks: the dividend had wrapped at 2^8.
;
; RUN: %warpwise fuzz check --check %s
; launch: {"geometries":[{"grid":[1,1,1],"block":[96,1,1]}],"args":[{"buffer":{"elem":"i32","len":96,"fill":"zero"}}]}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %narrow = trunc i32 %tid to i8
  %shifted = shl i8 %narrow, 2
  %back = lshr i8 %shifted, 2
  %high = and i8 %back, -64
  %wide = zext i8 %high to i32
  %at = getelementptr inbounds i32, ptr %out, i32 %tid
  store i32 %wide, ptr %at, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
