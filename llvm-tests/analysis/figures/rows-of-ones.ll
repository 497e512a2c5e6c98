; D. Sampaio 2013, figure 3.10: with degree two the row index is affine, and the bound of the loop cancels.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'rows'
define ptx_kernel void @rows(ptr %m, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ; CHECK: %i0 = affine %n*tid.x{{$}}
  %i0 = mul nsw i32 %t, %n
  %t1 = add nsw i32 %t, 1
  ; CHECK: %k = affine %n*tid.x + uniform grid{{$}}
  %k = mul nsw i32 %t1, %n
  br label %head
head:
  ; CHECK: %i1 = affine %n*tid.x + uniform grid{{$}}
  %i1 = phi i32 [ %i0, %entry ], [ %i2, %body ]
  ; CHECK: %c = uniform grid{{$}}
  %c = icmp slt i32 %i1, %k
  ; CHECK: br %c: uniform{{$}}
  br i1 %c, label %body, label %exit
  ; CHECK: %body: convergent{{$}}
body:
  ; CHECK: %x = affine sext(%n)*tid.x + uniform grid{{$}}
  %x = sext i32 %i1 to i64
  ; CHECK: %a = affine 4*sext(%n)*tid.x + uniform grid{{$}}
  %a = getelementptr inbounds i32, ptr %m, i64 %x
  store i32 1, ptr %a
  ; CHECK: %i2 = affine %n*tid.x + uniform grid{{$}}
  %i2 = add nsw i32 %i1, 1
  br label %head
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
