; In a frame that lanes may find at different places, a load of a stack object still diverges for what it loads.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: `*(x + 4 bytes) == 0` depends on `*(x + 4 bytes)`, loaded from memory that may be each thread's own

target triple = "nvptx64-nvidia-cuda"

define void @f(i32 %n, ptr %p) {
entry:
  %x = alloca [4 x i32]
  %q = getelementptr i32, ptr %x, i64 1
  store i32 %n, ptr %q
  %v = load i32, ptr %q
  %c = icmp eq i32 %v, 0
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %p
  br label %b
b:
  ret void
}
