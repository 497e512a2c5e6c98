; A struct that was passed by value and copied for an inlined function is indexed where it was passed, however often it
; was copied; a copy of a part, and a copy of a copy, are found too.
; RUN: %opt -passes=steer-spills -verify-each -S -pass-remarks=warpwise %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=SAID %s < %t

target triple = "nvptx64-nvidia-cuda"

%Params = type { i64, [16 x float], [2 x i32] }

; SAID: stack object %copy (%Params = type { i64, [16 x float], [2 x i32] }, 80 bytes) (indexed by %place) is a copy of by-value argument %p, which is never written: read there
; CHECK-LABEL: define ptx_kernel void @whole
; CHECK-NOT:   alloca
; CHECK-NOT:   memcpy
; CHECK:       %row = getelementptr inbounds i8, ptr %p, i64 8
; CHECK:       %at = getelementptr inbounds float, ptr %row, i64 %place
; CHECK-NEXT:  load float, ptr %at, align 4
define ptx_kernel void @whole(ptr byval(%Params) align 8 %p, ptr %out, i32 %n) #0 {
  %copy = alloca %Params, align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %place = and i64 %wide, 15
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  call void @llvm.lifetime.start.p0(ptr %copy)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %copy, ptr align 8 %p, i64 80, i1 false)
  %row = getelementptr inbounds i8, ptr %copy, i64 8
  %at = getelementptr inbounds float, ptr %row, i64 %place
  %value = load float, ptr %at, align 4
  call void @llvm.lifetime.end.p0(ptr %copy)
  %to = getelementptr float, ptr %out, i64 %wide
  store float %value, ptr %to, align 4
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; The array alone, partly by words, then copied once more. A load of 16 bytes is of 8 in the argument.
; CHECK-LABEL: define ptx_kernel void @part
; CHECK-NOT:   alloca
; CHECK-NOT:   memcpy
; CHECK:       [[PART:%.*]] = getelementptr inbounds i8, ptr %p, i64 8
; CHECK:       load <4 x float>, ptr [[PART]], align 8
; CHECK:       %at = getelementptr inbounds float, ptr {{.*}}, i64 %place
; CHECK-NEXT:  load float, ptr %at, align 4
define ptx_kernel void @part(ptr byval(%Params) align 8 %p, ptr %out) #0 {
  %copy = alloca [16 x float], align 16
  %second = alloca [15 x float], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %place = and i64 %wide, 7
  %row = getelementptr inbounds i8, ptr %p, i64 8
  %first = load i64, ptr %row, align 8
  store i64 %first, ptr %copy, align 16
  %from = getelementptr inbounds i8, ptr %p, i64 16
  %into = getelementptr inbounds i8, ptr %copy, i64 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %into, ptr align 8 %from, i64 56, i1 false)
  %four = load <4 x float>, ptr %copy, align 16
  %last = getelementptr inbounds i8, ptr %copy, i64 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %second, ptr align 4 %last, i64 60, i1 false)
  %at = getelementptr inbounds float, ptr %second, i64 %place
  %value = load float, ptr %at, align 4
  %one = extractelement <4 x float> %four, i64 3
  %sum = fadd float %value, %one
  %to = getelementptr float, ptr %out, i64 %wide
  store float %sum, ptr %to, align 4
  ret void
}

; A device function has its argument by value as well.
; CHECK-LABEL: define float @device
; CHECK-NOT:   alloca
; CHECK:       load float
define float @device(ptr byval(%Params) align 8 %p, i64 %place) #0 {
  %copy = alloca %Params, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %copy, ptr align 8 %p, i64 80, i1 false)
  %row = getelementptr inbounds i8, ptr %copy, i64 8
  %at = getelementptr inbounds float, ptr %row, i64 %place
  %value = load float, ptr %at, align 4
  ret float %value
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

attributes #0 = { "target-cpu"="sm_90" }
