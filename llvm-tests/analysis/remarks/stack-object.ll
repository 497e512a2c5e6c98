; The chain starts at a stack object: of a frame that lanes may find at different places, or allocated as the function runs.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: {{.*}} depends on `a`, a stack object below frames whose sizes may differ between lanes
; CHECK: branch diverges: {{.*}} depends on `b`, a stack object allocated as the function runs

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @f(ptr %p) {
entry:
  %a = alloca i32
  %i = ptrtoint ptr %a to i64
  %m = and i64 %i, 64
  %c = icmp eq i64 %m, 0
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  br label %no
no:
  ret void
}

define ptx_kernel void @k(ptr %p, i32 %n) {
entry:
  %b = alloca i32, i32 %n
  %i = ptrtoint ptr %b to i64
  %m = and i64 %i, 64
  %c = icmp eq i64 %m, 0
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  br label %no
no:
  ret void
}
