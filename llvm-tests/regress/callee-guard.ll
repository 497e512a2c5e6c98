; Lanes that return from a device function early have not exited: what follows in it is executed by some lanes only.
;
; RUN: %warpwise fuzz check --check %s
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; launch: {"geometries":[{"grid":[1,1,1],"block":[64,1,1]}],"args":[{"buffer":{"elem":"i32","len":64,"fill":"zero"}}]}

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'guarded'
define internal i32 @guarded(i32 %x) noinline {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = icmp ult i32 %t, 5
  br i1 %few, label %exit, label %body
exit:
  ret i32 0
  ; CHECK: %body: divergent{{$}}
body:
  %y = mul i32 %x, %t
  %z = add i32 %y, 1
  ret i32 %z
}

; CHECK-LABEL: affine divergence for 'kernel'
define ptx_kernel void @kernel(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @guarded(i32 3)
  %at = getelementptr inbounds i32, ptr %out, i32 %t
  store i32 %r, ptr %at, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
