; A branch around one side has nothing to meld it with. Every kernel has such branches, so that is only said if all is asked for.
; RUN: %opt -passes=fuse-branches -pass-remarks-missed=warpwise -warpwise-remarks=all -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -passes=fuse-branches -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=OWN --allow-empty

; OWN-NOT: remark
; CHECK: divergent branch not fused: it has one side only

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out, i32 %x, i32 %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 0
  br i1 %c, label %yes, label %join

yes:
  %a = sdiv i32 %x, %y
  store i32 %a, ptr %out, align 4
  br label %join

join:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
