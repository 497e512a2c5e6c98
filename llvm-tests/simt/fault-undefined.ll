; An undefined value is reported where it is used, and where it came from.
; RUN: %not %warpwise simt %s -k loaded --block 2 --arg 'i32[2]:zero' 2>&1 | %FileCheck %s --check-prefix=LOADED
; RUN: %not %warpwise simt %s -k loaded --block 2 --arg 'i32[2]:zero' --scheduler independent:1 2>&1 | %FileCheck %s --check-prefix=LOADED
; RUN: %not %warpwise simt %s -k carried --block 2 --arg 'i32[2]:zero' 2>&1 | %FileCheck %s --check-prefix=CARRIED
; RUN: %not %warpwise simt %s -k itself --block 2 --arg 'i32[2]:zero' 2>&1 | %FileCheck %s --check-prefix=ITSELF

target triple = "nvptx64-nvidia-cuda"

; LOADED:      use of an undefined value as a branch condition
; LOADED-NEXT: kernel loaded, block (0,0,0), thread ({{[01]}},0,0)
; LOADED-NEXT: in loaded: br i1 %c, label %a, label %b
; LOADED-NEXT: the value is undefined since: %v = load i32, ptr %q, align 4
define ptx_kernel void @loaded(ptr %out) {
  %o = alloca [4 x i32], align 4
  %q = getelementptr i32, ptr %o, i32 1
  store i32 7, ptr %o, align 4
  %v = load i32, ptr %q, align 4
  %w = add i32 %v, 1
  %c = icmp slt i32 %w, 3
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %out, align 4
  br label %b
b:
  ret void
}

; Only one lane got it, in the second iteration.
; CARRIED:      use of an undefined value as an address
; CARRIED-NEXT: kernel carried, block (0,0,0), thread (1,0,0)
; CARRIED-NEXT: in carried: store i32 %i, ptr %to, align 4
; CARRIED-NEXT: the value is undefined since: %s = select i1 %is, i32 undef, i32 0
define ptx_kernel void @carried(ptr %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp eq i32 %tid, 1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %n = phi i32 [ 0, %entry ], [ %s, %loop ]
  %to = getelementptr i32, ptr %out, i32 %n
  store i32 %i, ptr %to, align 4
  %s = select i1 %is, i32 undef, i32 0
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 3
  br i1 %more, label %loop, label %end
end:
  ret void
}

; ITSELF:      use of an undefined value as a branch condition
; ITSELF-NEXT: kernel itself
; ITSELF-NEXT: in itself: br i1 undef
; ITSELF-NOT:  undefined since
define ptx_kernel void @itself(ptr %out) {
  br i1 undef, label %a, label %b
a:
  store i32 1, ptr %out, align 4
  br label %b
b:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
