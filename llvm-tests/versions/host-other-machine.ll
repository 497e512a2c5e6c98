; Host code for another kind of machine than the plugin's stays as it is, and a remark says so.
; RUN: %opt -passes=versions-host -S %s -pass-remarks-missed=warpwise 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t
; REMARK: launches run the kernel itself: this plugin chooses versions on the kind of machine it was built for
; CHECK-NOT: @__warpwise
; CHECK: call i32 @cudaLaunchKernel(ptr @k_stub
; CHECK-NOT: @__warpwise
target datalayout = "e-m:e-i64:64-i128:128-n32:64-S128"
target triple = "powerpc64le-unknown-linux-gnu"

@name = private unnamed_addr constant [6 x i8] c"_Z1kv\00"

declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @__cudaRegisterFunction(ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, ptr, ptr)

define void @k_stub(ptr %args, ptr %stream) {
  %status = call i32 @cudaLaunchKernel(ptr @k_stub, i64 1, i32 2, i64 3, i32 4, ptr %args, i64 5, ptr %stream)
  ret void
}

define internal void @__cuda_register_globals(ptr %handle) {
  %k = call i32 @__cudaRegisterFunction(ptr %handle, ptr @k_stub, ptr @name, ptr @name, i32 -1, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}
