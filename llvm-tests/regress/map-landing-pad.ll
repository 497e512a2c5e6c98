; RUN: %opt -passes='divergence-map<all>,verify' -S %s | %FileCheck %s
; A loop whose header is a landing pad: counts that are checked at the header are checked after the pad, which nothing
; may precede.
target triple = "nvptx64-nvidia-cuda"

; CHECK: catch:
; CHECK: landingpad
; CHECK-NEXT: cleanup
define ptx_kernel void @k(i32 %n) personality ptr @personality {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  invoke void @may_throw() to label %done unwind label %catch
catch:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %pad = landingpad { ptr, i32 } cleanup
  %next = add i32 %i, 1
  %odd = icmp ult i32 %t, %i
  br i1 %odd, label %then, label %join
then:
  call void @work()
  br label %join
join:
  invoke void @may_throw() to label %done unwind label %catch
done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @may_throw()
declare void @work()
declare i32 @personality(...)
