; Launch stubs call the launch function instead of cudaLaunchKernel, with the same arguments and a variable of the
; kernel's; nothing else of the host code is changed.
; REQUIRES: host-is-x86-64-linux
; RUN: %opt -passes=versions-host -S %s | %FileCheck %s
; RUN: %opt -passes=versions-host,versions-host -S %s | %FileCheck %s
; RUN: %opt -warpwise-versions -passes='default<O0>' -S %s | %FileCheck %s
; RUN: %opt -passes=versions-host,verify -disable-output -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-DAG: [[STUB:@__warpwise_launch_stub.*]] = internal global { ptr, ptr, i64 } { ptr @name, ptr null, i64 0 }, align 8
; CHECK-DAG: @__warpwise_launch_stub{{.*}} = internal global { ptr, ptr, i64 } { ptr @entry_name, ptr null, i64 0 }, align 8
@name = private unnamed_addr constant [6 x i8] c"_Z1kv\00"
@main_name = private unnamed_addr constant [9 x i8] c"_Z4mainv\00"
@entry_name = internal unnamed_addr constant [6 x i8] c"_Z1ev\00", section ".llvm.rodata.offloading"
@entry = weak constant { i64, i16, i16, i32, ptr, ptr, i64, i64, ptr } { i64 0, i16 1, i16 2, i32 0, ptr @e_stub, ptr @entry_name, i64 0, i64 0, ptr null }, section "llvm_offload_entries"
; a variable of the device code, not a kernel
@variable = weak constant { i64, i16, i16, i32, ptr, ptr, i64, i64, ptr } { i64 0, i16 1, i16 2, i32 0, ptr @not_registered, ptr @entry_name, i64 4, i64 0, ptr null }, section "llvm_offload_entries"

declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @cudaLaunchKernel_ptsz(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)

; CHECK-LABEL: define void @k_stub(
; CHECK: %status = call noundef i32 @__warpwise_launch(ptr noundef @k_stub, i64 1, i32 2, i64 3, i32 4, ptr noundef %args, i64 noundef 5, ptr noundef %stream, ptr [[STUB]])
; CHECK-NEXT: ret void
define void @k_stub(ptr %args, ptr %stream) {
  %status = call noundef i32 @cudaLaunchKernel(ptr noundef @k_stub, i64 1, i32 2, i64 3, i32 4, ptr noundef %args, i64 noundef 5, ptr noundef %stream)
  ret void
}

; CHECK-LABEL: define void @e_stub(
; CHECK: call i32 @__warpwise_launch_ptsz(ptr @e_stub,
define void @e_stub(ptr %args, ptr %stream) {
  %status = call i32 @cudaLaunchKernel_ptsz(ptr @e_stub, i64 1, i32 2, i64 3, i32 4, ptr %args, i64 5, ptr %stream)
  ret void
}

; a launch by the program
; CHECK-LABEL: define i32 @by_hand(
; CHECK: call i32 @cudaLaunchKernel(ptr @k_stub,
define i32 @by_hand(ptr %args) {
  %status = call i32 @cudaLaunchKernel(ptr @k_stub, i64 1, i32 2, i64 3, i32 4, ptr %args, i64 0, ptr null)
  ret i32 %status
}

; CHECK-LABEL: define void @not_registered(
; CHECK: call i32 @cudaLaunchKernel(ptr @not_registered,
define void @not_registered(ptr %args) {
  %status = call i32 @cudaLaunchKernel(ptr @not_registered, i64 1, i32 2, i64 3, i32 4, ptr %args, i64 0, ptr null)
  ret void
}

; a registered function that launches something else, too
; REMARK-COUNT-1: launches run the kernel itself: its launch stub is not one that clang 22 makes
; CHECK-LABEL: define void @odd_stub(
; CHECK: call i32 @cudaLaunchKernel(ptr @odd_stub,
; CHECK: call i32 @cudaLaunchKernel(ptr @k_stub,
define void @odd_stub(ptr %args) {
  %first = call i32 @cudaLaunchKernel(ptr @odd_stub, i64 1, i32 2, i64 3, i32 4, ptr %args, i64 0, ptr null)
  %second = call i32 @cudaLaunchKernel(ptr @k_stub, i64 1, i32 2, i64 3, i32 4, ptr %args, i64 0, ptr null)
  ret void
}

define internal void @__cuda_register_globals(ptr %handle) {
  %k = call i32 @__cudaRegisterFunction(ptr %handle, ptr @k_stub, ptr @name, ptr @name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  %odd = call i32 @__cudaRegisterFunction(ptr %handle, ptr @odd_stub, ptr @main_name, ptr @main_name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}

; CHECK-DAG: define internal {{.*}}i32 @__warpwise_launch(
; CHECK-DAG: define internal {{.*}}i32 @__warpwise_launch_ptsz(
; CHECK-DAG: declare extern_weak i32 @cudaGetFuncBySymbol(
