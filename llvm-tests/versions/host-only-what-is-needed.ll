; Only the launch function that the stubs call is linked, with what it uses; flags of the module stay what they are.
; REQUIRES: host-is-x86-64-linux
; RUN: %opt -passes=versions-host -S %s | %FileCheck %s
; CHECK-NOT: cudaLaunchKernel_ptsz
; CHECK: define internal {{.*}}@__warpwise_launch(
; CHECK-NOT: cudaLaunchKernel_ptsz
; CHECK: !llvm.module.flags = !{![[FLAG:[0-9]+]]}
; CHECK-NOT: !llvm.ident
; CHECK: ![[FLAG]] = !{i32 1, !"wchar_size", i32 2}
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

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

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 2}
