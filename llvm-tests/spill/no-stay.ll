; Loads that LLVM's back end may have, one function for each reason.
; RUN: %opt -passes=steer-spills -pass-remarks=warpwise -S %s 2>&1 | %FileCheck %s --implicit-check-not=remark: --implicit-check-not=asm
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; only one side needs them
; CHECK-LABEL: @beside(
define ptx_kernel void @beside(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j0 = add i32 %tid, 0
  %p0 = getelementptr float, ptr addrspace(1) %in, i32 %j0
  %y0 = load float, ptr addrspace(1) %p0
  %j1 = add i32 %tid, 32
  %p1 = getelementptr float, ptr addrspace(1) %in, i32 %j1
  %y1 = load float, ptr addrspace(1) %p1
  %j2 = add i32 %tid, 64
  %p2 = getelementptr float, ptr addrspace(1) %in, i32 %j2
  %y2 = load float, ptr addrspace(1) %p2
  %j3 = add i32 %tid, 96
  %p3 = getelementptr float, ptr addrspace(1) %in, i32 %j3
  %y3 = load float, ptr addrspace(1) %p3
  %j4 = add i32 %tid, 128
  %p4 = getelementptr float, ptr addrspace(1) %in, i32 %j4
  %y4 = load float, ptr addrspace(1) %p4
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %inside, label %done
inside:
  %d = icmp slt i32 %tid, 7
  br i1 %d, label %seven, label %inner
seven:
  store float 7.0, ptr addrspace(1) %out
  br label %inner
inner:
  %s1 = fadd float %y0, %y1
  %s2 = fadd float %s1, %y2
  %s3 = fadd float %s2, %y3
  %s4 = fadd float %s3, %y4
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %s4, ptr addrspace(1) %to
  br label %done
done:
  ret void
}

; the next block uses them: they are left there
; CHECK-LABEL: @next(
define ptx_kernel void @next(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j0 = add i32 %tid, 0
  %p0 = getelementptr float, ptr addrspace(1) %in, i32 %j0
  %y0 = load float, ptr addrspace(1) %p0
  %j1 = add i32 %tid, 32
  %p1 = getelementptr float, ptr addrspace(1) %in, i32 %j1
  %y1 = load float, ptr addrspace(1) %p1
  %j2 = add i32 %tid, 64
  %p2 = getelementptr float, ptr addrspace(1) %in, i32 %j2
  %y2 = load float, ptr addrspace(1) %p2
  %j3 = add i32 %tid, 96
  %p3 = getelementptr float, ptr addrspace(1) %in, i32 %j3
  %y3 = load float, ptr addrspace(1) %p3
  %j4 = add i32 %tid, 128
  %p4 = getelementptr float, ptr addrspace(1) %in, i32 %j4
  %y4 = load float, ptr addrspace(1) %p4
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %seven, label %done
seven:
  store float 7.0, ptr addrspace(1) %out
  br label %done
done:
  %s1 = fadd float %y0, %y1
  %s2 = fadd float %s1, %y2
  %s3 = fadd float %s2, %y3
  %s4 = fadd float %s3, %y4
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %s4, ptr addrspace(1) %to
  ret void
}

; a store is behind them: they cannot move
; CHECK-LABEL: @stored(
define ptx_kernel void @stored(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j0 = add i32 %tid, 0
  %p0 = getelementptr float, ptr addrspace(1) %in, i32 %j0
  %y0 = load float, ptr addrspace(1) %p0
  %j1 = add i32 %tid, 32
  %p1 = getelementptr float, ptr addrspace(1) %in, i32 %j1
  %y1 = load float, ptr addrspace(1) %p1
  %j2 = add i32 %tid, 64
  %p2 = getelementptr float, ptr addrspace(1) %in, i32 %j2
  %y2 = load float, ptr addrspace(1) %p2
  %j3 = add i32 %tid, 96
  %p3 = getelementptr float, ptr addrspace(1) %in, i32 %j3
  %y3 = load float, ptr addrspace(1) %p3
  %j4 = add i32 %tid, 128
  %p4 = getelementptr float, ptr addrspace(1) %in, i32 %j4
  %y4 = load float, ptr addrspace(1) %p4
  store float 1.0, ptr addrspace(1) %out
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %seven, label %first
seven:
  store float 7.0, ptr addrspace(1) %out
  br label %first
first:
  %d = icmp slt i32 %tid, 9
  br i1 %d, label %nine, label %done
nine:
  store float 9.0, ptr addrspace(1) %out
  br label %done
done:
  %s1 = fadd float %y0, %y1
  %s2 = fadd float %s1, %y2
  %s3 = fadd float %s2, %y3
  %s4 = fadd float %s3, %y4
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %s4, ptr addrspace(1) %to
  ret void
}

; all lanes load the same: that is in the first-level cache
; CHECK-LABEL: @near(
define ptx_kernel void @near(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr float, ptr addrspace(1) %in, i32 0
  %y0 = load float, ptr addrspace(1) %p0
  %p1 = getelementptr float, ptr addrspace(1) %in, i32 1
  %y1 = load float, ptr addrspace(1) %p1
  %p2 = getelementptr float, ptr addrspace(1) %in, i32 2
  %y2 = load float, ptr addrspace(1) %p2
  %p3 = getelementptr float, ptr addrspace(1) %in, i32 3
  %y3 = load float, ptr addrspace(1) %p3
  %p4 = getelementptr float, ptr addrspace(1) %in, i32 4
  %y4 = load float, ptr addrspace(1) %p4
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %seven, label %first
seven:
  store float 7.0, ptr addrspace(1) %out
  br label %first
first:
  %d = icmp slt i32 %tid, 9
  br i1 %d, label %nine, label %done
nine:
  store float 9.0, ptr addrspace(1) %out
  br label %done
done:
  %s1 = fadd float %y0, %y1
  %s2 = fadd float %s1, %y2
  %s3 = fadd float %s2, %y3
  %s4 = fadd float %s3, %y4
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %s4, ptr addrspace(1) %to
  ret void
}

; loads of other warps fill the time
; CHECK-LABEL: @few(
define ptx_kernel void @few(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %j0 = add i32 %tid, 0
  %p0 = getelementptr float, ptr addrspace(1) %in, i32 %j0
  %y0 = load float, ptr addrspace(1) %p0
  %j1 = add i32 %tid, 32
  %p1 = getelementptr float, ptr addrspace(1) %in, i32 %j1
  %y1 = load float, ptr addrspace(1) %p1
  %j2 = add i32 %tid, 64
  %p2 = getelementptr float, ptr addrspace(1) %in, i32 %j2
  %y2 = load float, ptr addrspace(1) %p2
  %j3 = add i32 %tid, 96
  %p3 = getelementptr float, ptr addrspace(1) %in, i32 %j3
  %y3 = load float, ptr addrspace(1) %p3
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %seven, label %first
seven:
  store float 7.0, ptr addrspace(1) %out
  br label %first
first:
  %d = icmp slt i32 %tid, 9
  br i1 %d, label %nine, label %done
nine:
  store float 9.0, ptr addrspace(1) %out
  br label %done
done:
  %s1 = fadd float %y0, %y1
  %s2 = fadd float %s1, %y2
  %s3 = fadd float %s2, %y3
  %to = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %s3, ptr addrspace(1) %to
  ret void
}
