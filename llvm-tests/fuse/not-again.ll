; fuse-branches stands at several places of clang's pipeline. Where it found nothing it does not look again until the
; function changes: @same is what it is all the way, @grows gets the bodies of what it calls.
;
; RUN: %opt -passes='default<O3>' -debug-pass-manager -disable-output %s 2>&1 | %FileCheck %s --check-prefix=SAME
; RUN: %opt -passes='default<O3>' -debug-pass-manager -disable-output %s 2>&1 | %FileCheck %s --check-prefix=GROWS
; RUN: %opt -passes='default<O3>' -pass-remarks=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=REMARK
;
; The analysis runs when something is noted.
; SAME: fuse-branches-function on same
; SAME-NEXT: Running analysis: warpwise::NothingToFuse on same
; SAME-NOT: warpwise::NothingToFuse on same
; SAME: fuse-branches-function on same
; SAME-NOT: warpwise::NothingToFuse on same
; SAME: fuse-branches-function on same
; SAME-NOT: warpwise::NothingToFuse on same
; SAME: fuse-branches-module
; SAME-NOT: warpwise::NothingToFuse on same
;
; GROWS: Running analysis: warpwise::NothingToFuse on grows
; GROWS: InlinerPass on (grows)
; GROWS: fuse-branches-function on grows
; GROWS-NEXT: Invalidating analysis: warpwise::NothingToFuse on grows
;
; REMARK: divergent branch fused
; REMARK-NOT: divergent branch fused

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @same(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %yes, label %end

yes:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %t, ptr %p, align 4
  br label %end

end:
  ret void
}

define ptx_kernel void @grows(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %yes, label %no

yes:
  call void @three(ptr %p, i32 %t, i32 %n)
  br label %end

no:
  call void @five(ptr %p, i32 %t, i32 %n)
  br label %end

end:
  ret void
}

define internal void @three(ptr %p, i32 %t, i32 %n) {
  %a = mul i32 %t, 3
  %b = sdiv i32 %a, %n
  %at = getelementptr i32, ptr %p, i32 %b
  %c = load i32, ptr %at, align 4
  %d = sdiv i32 %c, %n
  store i32 %d, ptr %at, align 4
  ret void
}

define internal void @five(ptr %p, i32 %t, i32 %n) {
  %a = mul i32 %t, 5
  %b = sdiv i32 %a, %n
  %at = getelementptr i32, ptr %p, i32 %b
  %c = load i32, ptr %at, align 4
  %d = sdiv i32 %c, %n
  store i32 %d, ptr %at, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
