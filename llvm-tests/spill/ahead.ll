; A load behind a division of single precision starts in front of it, with what its address needs: ptxas writes the division with a
; branch, and moves nothing across. Loads in front of an earlier division stay behind that.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t
; RUN: %opt -passes='steer-spills<limit=0>' -S %s 2>/dev/null | %FileCheck %s --check-prefix=LIMIT
; RUN: %opt -passes=steer-spills -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll --kernel divisions --block 32 --arg f32[128]:random:9 --arg f32[32]:zero
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.sqrt.f32(float)

; REMARK: remark: {{.*}} 1 load starts in front of a division, behind which ptxas would leave it
; REMARK: remark: {{.*}} 2 loads start in front of a division, behind which ptxas would leave them
; CHECK-LABEL: @divisions(
; CHECK: %x = load float
; CHECK-NEXT: [[J:%[0-9]+]] = add i32 %tid, 32
; CHECK-NEXT: [[Q:%[0-9]+]] = getelementptr float, ptr addrspace(1) %in, i32 [[J]]
; CHECK-NEXT: [[Y:%[0-9]+]] = load float, ptr addrspace(1) [[Q]]
; CHECK-NEXT: %d = fdiv float 1.000000e+00, %x
; CHECK-NEXT: %e = fadd float %d, [[Y]]
; CHECK-NEXT: [[K:%[0-9]+]] = add i32 [[J]], 32
; CHECK-NEXT: [[R:%[0-9]+]] = getelementptr float, ptr addrspace(1) %in, i32 [[K]]
; CHECK-NEXT: [[Z:%[0-9]+]] = load float, ptr addrspace(1) [[R]]
; CHECK-NEXT: [[S:%[0-9]+]] = getelementptr float, ptr addrspace(1) [[R]], i32 32
; CHECK-NEXT: [[W:%[0-9]+]] = load float, ptr addrspace(1) [[S]]
; CHECK-NEXT: %f = call float @llvm.sqrt.f32(float %e)
; LIMIT-LABEL: @divisions(
; LIMIT: fdiv
; LIMIT: load
define ptx_kernel void @divisions(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %tid
  %x = load float, ptr addrspace(1) %p
  %d = fdiv float 1.0, %x
  %j = add i32 %tid, 32
  %q = getelementptr float, ptr addrspace(1) %in, i32 %j
  %y = load float, ptr addrspace(1) %q
  %e = fadd float %d, %y
  %f = call float @llvm.sqrt.f32(float %e)
  %k = add i32 %j, 32
  %r = getelementptr float, ptr addrspace(1) %in, i32 %k
  %z = load float, ptr addrspace(1) %r
  %s = getelementptr float, ptr addrspace(1) %r, i32 32
  %w = load float, ptr addrspace(1) %s
  %g = fadd float %f, %z
  %h = fadd float %g, %w
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %h, ptr addrspace(1) %to
  ret void
}
