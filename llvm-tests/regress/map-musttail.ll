; RUN: %opt -passes='divergence-map<all>,verify' -S %s | %FileCheck %s
; Nothing but a return may follow a call that must be a tail call: counts are added up before it.
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define i32 @f(
; CHECK: call {{.*}} asm
; CHECK: [[R:%.*]] = musttail call i32 @g(i32 %n)
; CHECK-NEXT: ret i32 [[R]]
define i32 @f(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %less = icmp ult i32 %t, %n
  br i1 %less, label %then, label %join
then:
  call void @work()
  br label %join
join:
  %r = musttail call i32 @g(i32 %n)
  ret i32 %r
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @g(i32)
declare void @work()
