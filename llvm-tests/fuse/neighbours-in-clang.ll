; Stores to different members of one object, and loads from them, are not melded before LLVM has found out what the loads
; return: through a selected address, what is known of either member is lost. By its name the pass melds them.
; RUN: %opt -S -passes='default<O2>' %s -o - | %FileCheck %s
; RUN: %opt -S -passes='fuse-branches' -pass-remarks=warpwise %s -o /dev/null 2>&1 | %FileCheck %s --check-prefix=NAMED
; CHECK-LABEL: ptx_kernel void @k(
; CHECK-NOT: load i64
; CHECK: ret void
; NAMED: divergent branch fused
target triple = "nvptx64-nvidia-cuda"

@pairs = internal addrspace(3) global [64 x [2 x i64]] poison

define ptx_kernel void @k(ptr addrspace(1) noalias %out, i64 %x, i64 %y, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  %pair = getelementptr [2 x i64], ptr addrspace(3) @pairs, i32 %t
  %second = getelementptr i8, ptr addrspace(3) %pair, i64 8
  store i64 %x, ptr addrspace(3) %pair
  store i64 %y, ptr addrspace(3) %second
  br i1 %c, label %even, label %other

even:
  %a = load i64, ptr addrspace(3) %pair
  %a1 = udiv i64 %a, %x
  %a2 = mul i64 %a1, %y
  store i64 %a2, ptr addrspace(3) %pair
  br label %join

other:
  %b = load i64, ptr addrspace(3) %second
  %b1 = udiv i64 %b, %x
  %b2 = mul i64 %b1, %y
  store i64 %b2, ptr addrspace(3) %second
  br label %join

join:
  %p = load i64, ptr addrspace(3) %pair
  %q = load i64, ptr addrspace(3) %second
  %sum = add i64 %p, %q
  store i64 %sum, ptr addrspace(1) %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
