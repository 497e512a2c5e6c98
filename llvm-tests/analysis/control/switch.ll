; A switch on the thread index parts the lanes, one on an argument does not.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %n, label %d [ i32 0, label %a
                            i32 1, label %a ]
a:
  br label %d
d:
  ; CHECK: %uni.p = uniform grid{{$}}
  %uni.p = phi i32 [ 0, %entry ], [ 1, %a ]
  ret void
}
; CHECK-LABEL: affine divergence for 'lanes'
define ptx_kernel void @lanes() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %t, label %d [ i32 0, label %a
                            i32 1, label %b ]
  ; CHECK: switch %t: divergent{{$}}
  ; CHECK: %a: divergent{{$}}
a:
  br label %d
b:
  br label %d
  ; CHECK: %d: convergent{{$}}
d:
  ; CHECK: %div.p = divergent{{$}}
  %div.p = phi i32 [ 0, %entry ], [ 1, %a ], [ 1, %b ]
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
