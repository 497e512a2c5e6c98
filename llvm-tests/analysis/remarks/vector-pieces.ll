; The members of a float4 are moved as one vector if they lie together, aligned, with nothing between: no lane is apart
; from the next by more than it moves. Where one is missing, or the whole is not aligned, each is judged by itself.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK-NOT: lanes
; CHECK: lanes 16 bytes apart: 16 sectors per request instead of 8
; CHECK-COUNT-5: lanes 16 bytes apart: 16 sectors per request instead of 4
; CHECK-COUNT-2: lanes 8 bytes apart: 8 sectors per request instead of 4
; CHECK-NOT: lanes

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @whole(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds [4 x float], ptr %p, i64 %i
  %v0 = load float, ptr %a, align 16
  %a1 = getelementptr inbounds i8, ptr %a, i64 4
  %v1 = load float, ptr %a1, align 4
  %a2 = getelementptr inbounds i8, ptr %a, i64 8
  %v2 = load float, ptr %a2, align 8
  %a3 = getelementptr inbounds i8, ptr %a, i64 12
  %v3 = load float, ptr %a3, align 4
  ret void
}
define ptx_kernel void @stored_backwards(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds [4 x float], ptr %p, i64 %i
  %a3 = getelementptr inbounds i8, ptr %a, i64 12
  store float 0.0, ptr %a3, align 4
  %a2 = getelementptr inbounds i8, ptr %a, i64 8
  store float 1.0, ptr %a2, align 8
  %a1 = getelementptr inbounds i8, ptr %a, i64 4
  store float 2.0, ptr %a1, align 4
  store float 3.0, ptr %a, align 16
  ret void
}
define ptx_kernel void @pair(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds [2 x float], ptr %p, i64 %i
  %v0 = load float, ptr %a, align 8
  %a1 = getelementptr inbounds i8, ptr %a, i64 4
  %v1 = load float, ptr %a1, align 4
  ret void
}
define ptx_kernel void @three_of_four(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds [4 x float], ptr %p, i64 %i
  %v0 = load float, ptr %a, align 16
  %a1 = getelementptr inbounds i8, ptr %a, i64 4
  %v1 = load float, ptr %a1, align 4
  %a2 = getelementptr inbounds i8, ptr %a, i64 8
  %v2 = load float, ptr %a2, align 8
  ret void
}
define ptx_kernel void @not_aligned(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds [4 x float], ptr %p, i64 %i
  %v0 = load float, ptr %a, align 4
  %a1 = getelementptr inbounds i8, ptr %a, i64 4
  %v1 = load float, ptr %a1, align 4
  %a2 = getelementptr inbounds i8, ptr %a, i64 8
  %v2 = load float, ptr %a2, align 4
  %a3 = getelementptr inbounds i8, ptr %a, i64 12
  %v3 = load float, ptr %a3, align 4
  ret void
}
define ptx_kernel void @written_between(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds [2 x float], ptr %p, i64 %i
  %v0 = load float, ptr %a, align 8
  fence syncscope("block") seq_cst
  %a1 = getelementptr inbounds i8, ptr %a, i64 4
  %v1 = load float, ptr %a1, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
