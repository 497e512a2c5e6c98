; A lane that ends by `exit` gives its counts to memory first; a callee that may do so keeps its callers' counts out of
; registers.
; RUN: %opt -passes='divergence-map<name=t>' -S %s | %FileCheck %s

; CHECK-LABEL: define ptx_kernel void @inline_exit
; CHECK: asm sideeffect "{{.*}}redux.sync.add.u32 s0, x, m;{{.*}}@p bra D0;{{.*}}END:
; CHECK-NEXT: call void @llvm.nvvm.exit()
; CHECK-LABEL: define ptx_kernel void @calls
; CHECK-NOT: bra END
; CHECK: }

target triple = "nvptx64-nvidia-cuda"

define void @leaves() noinline {
  call void @llvm.nvvm.exit()
  unreachable
}

define ptx_kernel void @inline_exit() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %after
after:
  call void @llvm.nvvm.exit()
  unreachable
}

define ptx_kernel void @calls() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @leaves()
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %after
after:
  ret void
}

declare void @llvm.nvvm.exit()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
