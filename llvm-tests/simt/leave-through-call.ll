; Lanes 0 to 3 leave through a block with a call while the others shuffle: hardware waits for them to end, so does the
; machine, whichever side it runs first.
;
; RUN: %warpwise simt %s --kernel k --grid 1 --block 32 --arg "i32[32]:zero" | %FileCheck %s
; CHECK: = 7, 7, 7, 7, 1, 1
target triple = "nvptx64-nvidia-cuda"

define internal void @leave(ptr %at) noinline {
  store i32 7, ptr %at
  ret void
}

define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %out, i32 %t
  %high = icmp uge i32 %t, 4
  br i1 %high, label %stay, label %go
stay:
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 1, i32 4, i32 31)
  store i32 %s, ptr %at
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
go:
  call void @leave(ptr %at)
  ret void
}
