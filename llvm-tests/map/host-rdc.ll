; Host code of a separately compiled unit without kernels: clang's empty registration function is filled.
; RUN: %opt -warpwise-profile-generate=name:t -passes=divergence-map-host -S %s | %FileCheck %s

; CHECK: define internal void @dummy(ptr %0)
; CHECK-NEXT: call void @__cudaRegisterVar(ptr %0, ptr @__warpwise_map_shadow,

target triple = "x86_64-pc-linux-gnu"

define internal void @dummy(ptr %0) {
  ret void
}

define internal void @__cuda_module_ctor() {
  call void @__cudaRegisterLinkedBinary__nv_1(ptr @dummy, ptr null, ptr null, ptr null)
  ret void
}

declare void @__cudaRegisterLinkedBinary__nv_1(ptr, ptr, ptr, ptr)
