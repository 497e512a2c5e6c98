; Dynamic shared memory is aligned to 16 bytes, as nvcc aligns it, whatever it is an array of, so that copies of structs are not
; made in pieces of its elements. Variables that another module has stay as they are.
; RUN: %opt -O0 -S %s | %FileCheck %s
; RUN: %opt -O2 -S %s | %llc -mcpu=sm_90 -o - | %FileCheck %s --check-prefix=PTX
; RUN: %opt -O2 -warpwise-off -S %s | %llc -mcpu=sm_90 -o - | %FileCheck %s --check-prefix=OFF
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @rows = external addrspace(3) global [0 x [80 x half]], align 16
; CHECK: @lines = external addrspace(3) global [0 x i128], align 32
; CHECK: @other = external addrspace(3) global [80 x half], align 2
; PTX: .extern .shared .align 16 .b8 rows[]
; OFF: .extern .shared .align 2 .b8 rows[]
@rows = external addrspace(3) global [0 x [80 x half]], align 2
@lines = external addrspace(3) global [0 x i128], align 32
@other = external addrspace(3) global [80 x half], align 2

; PTX-LABEL: entry copy(
; PTX-NOT: st.shared.b16
; PTX: st.shared.v2.b64
; PTX: ret
; OFF-LABEL: entry copy(
; OFF: st.shared.b16
define ptx_kernel void @copy(ptr noalias readonly %in, i32 %row) {
  %wide = zext i32 %row to i64
  %to = getelementptr inbounds [0 x [80 x half]], ptr addrspacecast (ptr addrspace(3) @rows to ptr), i64 0, i64 %wide
  call void @llvm.memcpy.p0.p0.i64(ptr align 2 %to, ptr align 16 %in, i64 16, i1 false)
  ret void
}

define ptx_kernel void @others(i32 %row, half %x, i128 %y) {
  %wide = zext i32 %row to i64
  %to = getelementptr inbounds i128, ptr addrspacecast (ptr addrspace(3) @lines to ptr), i64 %wide
  store i128 %y, ptr %to
  %there = getelementptr inbounds half, ptr addrspacecast (ptr addrspace(3) @other to ptr), i64 %wide
  store half %x, ptr %there
  ret void
}
