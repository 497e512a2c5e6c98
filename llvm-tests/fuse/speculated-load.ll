; A load that LLVM speculates past the branch races with nothing of ours.
; RUN: %warpwise fuzz check --passes 'default<O2>,fuse-branches' %s
; launch: {"geometries":[{"grid":[1,1,1],"block":[64,1,1]}],"args":[{"buffer":{"elem":"i32","len":64,"fill":"zero"}}]}
target triple = "nvptx64-nvidia-cuda"
@shared = internal addrspace(3) global [64 x i32] undef, align 16
define ptx_kernel void @kernel(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %own = getelementptr inbounds [64 x i32], ptr addrspace(3) @shared, i64 0, i64 %i
  store i32 %t, ptr addrspace(3) %own, align 4
  %place = getelementptr inbounds i32, ptr %out, i64 %i
  %is8 = icmp eq i32 %t, 8
  br i1 %is8, label %eight, label %others
eight:
  %again = getelementptr inbounds i32, ptr addrspace(3) @shared, i32 %t
  %loaded = load i32, ptr addrspace(3) %again, align 4
  store i32 %loaded, ptr %place, align 4
  br label %exit
others:
  store i32 7, ptr %place, align 4
  br label %exit
exit:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
