; Hardly any warp comes to the branch: large arguments are rare.
; RUN: %opt -passes='fuse-branches' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: divergent branch not fused: hardly any warp comes to it

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out, float %f, i32 %x, i32 %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = call float @llvm.fabs.f32(float %f)
  %large = fcmp ogt float %size, 1.310720e+05
  br i1 %large, label %slow, label %end

slow:
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %a = sdiv i32 %x, %y
  br label %join

no:
  %b = sdiv i32 %y, %x
  br label %join

join:
  %r = phi i32 [ %a, %yes ], [ %b, %no ]
  store i32 %r, ptr %out, align 4
  br label %end

end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.fabs.f32(float)
