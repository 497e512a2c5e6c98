; Dynamic shared memory starts at a multiple of 16 bytes, as with nvcc, and so does a local array of such a size: a struct that is
; copied to half-precision numbers there is not copied two bytes at a time.
; RUN: %opt -passes='default<O2>' -S %s | %FileCheck %s
; RUN: %opt -warpwise-off -passes='default<O2>' -S %s | %FileCheck %s --check-prefix=OFF
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-DAG: @dynamic = external {{.*}}, align 16
; CHECK-DAG: @local = internal {{.*}}, align 16
; CHECK-DAG: @odd = internal {{.*}}, align 2
; CHECK-DAG: @visible = weak {{.*}}, align 2
; OFF-DAG: @dynamic = external {{.*}}, align 2
; OFF-DAG: @local = internal {{.*}}, align 2
@dynamic = external addrspace(3) global [0 x [80 x half]], align 2
@local = internal addrspace(3) global [64 x half] undef, align 2
@odd = internal addrspace(3) global [63 x half] undef, align 2
@visible = weak addrspace(3) global [64 x half] undef, align 2

; CHECK-LABEL: @copy(
; CHECK: store {{.*}}, ptr addrspace(3) %to, align 16
; OFF-LABEL: @copy(
; OFF-NOT: ptr addrspace(3) %to, align 16
define ptx_kernel void @copy(ptr addrspace(1) align 16 %from, i64 %row, i64 %place) {
  %line = getelementptr [80 x half], ptr addrspace(3) @dynamic, i64 %row
  %to = getelementptr [8 x half], ptr addrspace(3) %line, i64 %place
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 2 %to, ptr addrspace(1) align 16 %from, i64 16, i1 false)
  %a = getelementptr half, ptr addrspace(3) @local, i64 %place
  %b = getelementptr half, ptr addrspace(3) @odd, i64 %place
  %c = getelementptr half, ptr addrspace(3) @visible, i64 %place
  store volatile half 0.0, ptr addrspace(3) %a
  store volatile half 0.0, ptr addrspace(3) %b
  store volatile half 0.0, ptr addrspace(3) %c
  ret void
}
