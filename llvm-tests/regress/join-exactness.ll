; `t + 100` and `t − 156` are one form of eight bits, each exact on its own path; together they are not.
;
; RUN: %warpwise fuzz check --check %s
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; launch: {"geometries":[{"grid":[1,1,1],"block":[256,1,1]}],"args":[{"buffer":{"elem":"i32","len":256,"fill":"zero"}}]}

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'kernel'
define ptx_kernel void @kernel(ptr %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t = trunc i32 %tid to i8
  %few = icmp ult i8 %t, 100
  br i1 %few, label %low, label %rest
low:
  %a = add nuw i8 %t, 100
  br label %join
rest:
  %some = icmp ult i8 %t, 156
  br i1 %some, label %out.of.range, label %high
high:
  %b = sub nuw i8 %t, 156
  br label %join
out.of.range:
  br label %exit
join:
  %j = phi i8 [ %a, %low ], [ %b, %high ]
  ; CHECK: %j = affine 1*tid.x + 100{{$}}
  %w = zext i8 %j to i32
  ; CHECK: %w = divergent{{$}}
  %at = getelementptr inbounds i32, ptr %out, i32 %tid
  store i32 %w, ptr %at, align 4
  br label %exit
exit:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
