; RUN: %opt -passes=annotate-uniform -verify-each -S %s | %FileCheck %s
; RUN: %opt -passes='annotate-uniform,annotate-uniform<verify>' -S %s | %FileCheck %s
; What is annotated, with which scope and place.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @branches(
; CHECK: br i1 %grid, {{.*}}, !warpwise.uniform ![[GRID:[0-9]+]]
; CHECK: br i1 %block, {{.*}}, !warpwise.uniform ![[BLOCK:[0-9]+]]
; CHECK: br i1 %div, label %inside, label %out{{$}}
; CHECK: br i1 %grid, {{.*}}, !warpwise.uniform ![[APART:[0-9]+]]
; CHECK: ret void, !warpwise.uniform ![[GRID]]
define ptx_kernel void @branches(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %grid = icmp sgt i32 %n, 0
  %block = icmp slt i32 %b, %n
  %div = icmp slt i32 %t, %n
  br i1 %grid, label %one, label %two
one:
  store i32 1, ptr %p
  br label %two
two:
  br i1 %block, label %three, label %four
three:
  store i32 2, ptr %p
  br label %four
four:
  br i1 %div, label %inside, label %out
inside:
  br i1 %grid, label %deep, label %out
deep:
  store i32 3, ptr %p
  br label %out
out:
  store i32 4, ptr %p
  ret void
}

; CHECK-LABEL: @loads(
; CHECK: load i32, ptr %p, align 4, !warpwise.uniform ![[GRID]]
; CHECK: load i32, ptr %lane, align 4{{$}}
; CHECK: load volatile i32, ptr %p, align 4{{$}}
; CHECK: switch i32 %u, label
; CHECK: ], !warpwise.uniform ![[WARP:[0-9]+]]
define ptx_kernel void @loads(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = load i32, ptr %p
  %lane = getelementptr i32, ptr %p, i32 %t
  %d = load i32, ptr %lane
  %v = load volatile i32, ptr %p
  %s = add i32 %d, %v
  store i32 %s, ptr %q
  switch i32 %u, label %out [ i32 1, label %a
                              i32 2, label %out ]
a:
  store i32 %u, ptr %q
  br label %out
out:
  ret void
}

declare i32 @f(i32)

; CHECK-LABEL: @calls(
; CHECK: call i32 @f(i32 %n), !warpwise.uniform ![[GRID]]
; CHECK: call i32 @f(i32 %t){{$}}
define ptx_kernel void @calls(ptr %p, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call i32 @f(i32 %n)
  %b = call i32 @f(i32 %t)
  ret void
}

; A device function called by anyone: nothing is known of where it is entered, so nothing of its return.
; CHECK-LABEL: @device(
; CHECK: ret i32 1{{$}}
define i32 @device() {
  ret i32 1
}

; CHECK-DAG: ![[GRID]] = !{!"grid", !"convergent"}
; CHECK-DAG: ![[BLOCK]] = !{!"block", !"convergent"}
; CHECK-DAG: ![[APART]] = !{!"grid", !"divergent"}
; CHECK-DAG: ![[WARP]] = !{!"warp", !"convergent"}
