; The parts of an `and` that holds, of an `or` that does not, and of the selects and negations that stand for them, bound values.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'both'
define ptx_kernel void @both(i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, %n
  %from = icmp sge i32 %i, 0
  %to = icmp slt i32 %i, %m
  %in = and i1 %from, %to
  br i1 %in, label %inside, label %outside
inside:
  ; CHECK: %wide = affine 1*tid.x + uniform grid
  %wide = sext i32 %i to i64
  br label %done
outside:
  ; CHECK: %other = divergent
  %other = sext i32 %i to i64
  br label %done
done:
  ret void
}

; CHECK-LABEL: affine divergence for 'neither'
define ptx_kernel void @neither(i32 %n, i32 %m, i1 %c) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, %n
  %below = icmp slt i32 %i, 0
  %above = icmp sge i32 %i, %m
  %out = select i1 %above, i1 true, i1 %below
  %in = xor i1 %out, true
  br i1 %in, label %inside, label %outside
inside:
  ; CHECK: %wide = affine 1*tid.x + uniform grid
  %wide = zext i32 %i to i64
  br label %done
outside:
  ; CHECK: %other = divergent
  %other = sext i32 %i to i64
  br label %done
done:
  ret void
}

; One of the two is not known to hold.
; CHECK-LABEL: affine divergence for 'either'
define ptx_kernel void @either(i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, %n
  %from = icmp sge i32 %i, 0
  %to = icmp sgt i32 %m, 9
  %in = or i1 %from, %to
  br i1 %in, label %inside, label %done
inside:
  ; CHECK: %wide = divergent
  %wide = sext i32 %i to i64
  br label %done
done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
