; RUN: %not %opt -passes='annotate-uniform<verify>' -disable-output %s 2>&1 | %FileCheck %s
; Annotations that are not, or no longer, true. The true ones go without a word.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: warning: {{.*}}in 'wrong': !warpwise.uniform says uniform warp, convergent, but the analysis finds nothing uniform
; CHECK: warning: {{.*}}in 'wrong': !warpwise.uniform says uniform grid, convergent, but the analysis finds uniform warp, convergent
; CHECK: warning: {{.*}}in 'wrong': !warpwise.uniform says uniform warp, convergent, but the analysis finds uniform grid, divergent
; CHECK: warning: {{.*}}in 'wrong': !warpwise.uniform is not of the form !{!"SCOPE", !"WHERE"}
; CHECK-NOT: warning
; CHECK: error: {{.*}}4 annotation(s) !warpwise.uniform are not true
define ptx_kernel void @wrong(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %div = icmp slt i32 %t, %n
  %grid = icmp sgt i32 %n, 0
  %u = load i32, ptr %p
  %flag = icmp eq i32 %u, 1
  br i1 %grid, label %ok, label %a, !warpwise.uniform !1
ok:
  br label %a
a:
  br i1 %div, label %b, label %c, !warpwise.uniform !0
b:
  store i32 1, ptr %p
  br label %c
c:
  br i1 %flag, label %d, label %e, !warpwise.uniform !1
d:
  store i32 2, ptr %p
  br label %e
e:
  br i1 %div, label %f, label %h
f:
  br i1 %grid, label %g, label %h, !warpwise.uniform !0
g:
  store i32 3, ptr %p
  br label %h
h:
  store i32 4, ptr %p
  ret void, !warpwise.uniform !2
}

!0 = !{!"warp", !"convergent"}
!1 = !{!"grid", !"convergent"}
!2 = !{!"uniform"}
