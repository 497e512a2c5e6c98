; A column of a 32-wide tile lies in one bank; a row of 33 words spreads it.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: 32-way bank conflict: lanes 128 bytes apart
; CHECK-NEXT: {{.*}}4-way bank conflict: lanes 32 bytes apart
; CHECK-NOT: remark

target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [32 x [32 x float]] poison
@padded = internal addrspace(3) global [32 x [33 x float]] poison
define ptx_kernel void @k() "nvvm.reqntid"="32,8" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr inbounds [32 x [32 x float]], ptr addrspace(3) @tile, i32 0, i32 %t, i32 0
  store float 1.0, ptr addrspace(3) %a
  %b = getelementptr inbounds [32 x [33 x float]], ptr addrspace(3) @padded, i32 0, i32 %t, i32 0
  store float 1.0, ptr addrspace(3) %b
  %c = getelementptr inbounds double, ptr addrspace(3) @tile, i32 %t
  store double 1.0, ptr addrspace(3) %c
  %d = getelementptr inbounds [4 x double], ptr addrspace(3) @tile, i32 %t
  store double 1.0, ptr addrspace(3) %d
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
