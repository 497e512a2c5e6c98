; Host code of a whole program: the unit's index is registered beside clang's own kernels and variables, and a constructor
; behind clang's tells the runtime library.
; RUN: %opt -warpwise-profile-generate=name:t -passes=divergence-map-host -S %s | %FileCheck %s

; CHECK: @__warpwise_map_shadow = internal global [32 x i8] zeroinitializer
; CHECK: c"__warpwise_map_t\00"
; CHECK: @llvm.global_ctors = appending global [2 x {{.*}} @__cuda_module_ctor, ptr null }, {{.*}} @__warpwise_map_unit
; CHECK: define internal void @__cuda_register_globals(ptr %0)
; CHECK: call void @__cudaRegisterVar(ptr %0, ptr @__warpwise_map_shadow, ptr @[[NAME:.*]], ptr @[[NAME]], i32 0, i64 32, i32 0, i32 0)
; CHECK: call i32 @cudaLaunchKernel()
; CHECK-NEXT: call void @__warpwise_map_launched()
; CHECK: call void @__warpwise_map_before_reset()
; CHECK-NEXT: call i32 @cudaDeviceReset()
; CHECK: define internal void @__warpwise_map_unit()
; CHECK-NEXT: call void @__warpwise_map_register(ptr @__warpwise_map_shadow, ptr @[[NAME]], ptr @cudaGetSymbolAddress)

target triple = "x86_64-pc-linux-gnu"

@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @__cuda_module_ctor, ptr null }]

define internal void @__cuda_register_globals(ptr %0) {
  ret void
}

define internal void @__cuda_module_ctor() {
  call void @__cuda_register_globals(ptr null)
  ret void
}

define i32 @main() {
  %l = call i32 @cudaLaunchKernel()
  %1 = call i32 @cudaDeviceReset()
  ret i32 %1
}

declare i32 @cudaDeviceReset()
declare i32 @cudaLaunchKernel()
