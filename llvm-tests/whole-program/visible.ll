; What stays visible in a whole program: functions that inline assembly names (a call that nobody sees), that are marked as
; used, that a linker may replace, and that are switched off.
; RUN: %opt -passes=whole-program,verify -S %s | %FileCheck %s
; RUN: %opt -passes=whole-program -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

module asm ".func outer() { call of_module; }"

@llvm.used = appending global [1 x ptr] [ptr @in_list], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @in_other_list], section "llvm.metadata"
@word = private constant [13 x i8] c"warpwise.off\00"
@file = private constant [5 x i8] c"a.cu\00"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @off, ptr @word, ptr @file, i32 1, ptr null }], section "llvm.metadata"

; REMARK: remark: {{.*}} device function stays visible: inline assembly names it
; CHECK: define void @of_module()
define void @of_module() {
  ret void
}

; REMARK: remark: {{.*}} device function stays visible: inline assembly names it
; CHECK: define void @"in$assembly"()
define void @"in$assembly"() {
  ret void
}

; CHECK: define internal void @assembly()
define void @assembly() {
  ret void
}

; REMARK: remark: {{.*}} device function stays visible: it is marked as used
; CHECK: define void @in_list()
define void @in_list() {
  ret void
}

; REMARK: remark: {{.*}} device function stays visible: it is marked as used
; CHECK: define linkonce_odr void @in_other_list()
define linkonce_odr void @in_other_list() {
  ret void
}

; REMARK: remark: {{.*}} device function stays visible: a linker may replace it by another function (weak)
; CHECK: define weak void @weak()
define weak void @weak() {
  ret void
}

; REMARK: remark: {{.*}} device function stays visible: it is switched off for warpwise, or not optimised
; CHECK: define void @off()
define void @off() {
  ret void
}

; REMARK: remark: {{.*}} device function stays visible: it is switched off for warpwise, or not optimised
; CHECK: define void @slow()
define void @slow() noinline optnone {
  ret void
}

; REMARK: remark: {{.*}} 1 device function is internal: nobody else can call into a whole program
define ptx_kernel void @kernel() {
  call void asm sideeffect "{ call in$$assembly, (); }", ""()
  call void asm sideeffect "mov.u32 %dummy, assembly_not;", ""()
  ret void
}
