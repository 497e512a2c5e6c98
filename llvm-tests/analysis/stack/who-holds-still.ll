; Which callers move the stack pointer by the same amount for all lanes? One callee each, named by the answer.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %warpwise simt %s -k k -a i32:5 -a "i64[32]:zero" --check | %FileCheck %s --check-prefix=HOLDS

; HOLDS: {{[0-9]+}} claims compared, 0 violated
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; A size on which lanes agree, in a block that all execute.
; CHECK-LABEL: affine divergence for 'below.uniform'
; CHECK: %uni.a = uniform warp{{$}}
define internal void @below.uniform() noinline {
  %uni.a = alloca i32
  store volatile i32 1, ptr %uni.a
  ret void
}
define internal void @uniform(i32 %n) noinline {
  %a = alloca i32, i32 %n
  store volatile i32 1, ptr %a
  call void @below.uniform()
  ret void
}

; The same, executed by some lanes only.
; CHECK-LABEL: affine divergence for 'below.some'
; CHECK: %div.a = divergent{{$}}
define internal void @below.some() noinline {
  %div.a = alloca i32
  store volatile i32 1, ptr %div.a
  ret void
}
define internal void @some(i32 %n, i32 %t) noinline {
  %c = icmp ult i32 %t, 3
  br i1 %c, label %s, label %j
s:
  %a = alloca i32, i32 %n
  store volatile i32 1, ptr %a
  br label %j
j:
  call void @below.some()
  ret void
}

; A loop that lanes leave in different iterations.
; CHECK-LABEL: affine divergence for 'below.turns'
; CHECK: %div.a = divergent{{$}}
define internal void @below.turns() noinline {
  %div.a = alloca i32
  store volatile i32 1, ptr %div.a
  ret void
}
define internal void @turns(i32 %t) noinline {
  br label %l
l:
  %i = phi i32 [ 0, %0 ], [ %j, %l ]
  %a = alloca i32
  store volatile i32 1, ptr %a
  %j = add i32 %i, 1
  %c = icmp ult i32 %i, %t
  br i1 %c, label %l, label %e
e:
  call void @below.turns()
  ret void
}

; A loop that all leave together.
; CHECK-LABEL: affine divergence for 'below.together'
; CHECK: %uni.a = uniform warp{{$}}
define internal void @below.together() noinline {
  %uni.a = alloca i32
  store volatile i32 1, ptr %uni.a
  ret void
}
define internal void @together(i32 %n) noinline {
  br label %l
l:
  %i = phi i32 [ 0, %0 ], [ %j, %l ]
  %a = alloca i32
  store volatile i32 1, ptr %a
  %j = add i32 %i, 1
  %c = icmp ult i32 %i, %n
  br i1 %c, label %l, label %e
e:
  call void @below.together()
  ret void
}

; Given back in a block that all execute; then by some of them.
; CHECK-LABEL: affine divergence for 'below.restored'
; CHECK: %uni.a = uniform warp{{$}}
define internal void @below.restored() noinline {
  %uni.a = alloca i32
  store volatile i32 1, ptr %uni.a
  ret void
}
define internal void @restored(i32 %n) noinline {
  ; CHECK-LABEL: affine divergence for 'restored'
  ; CHECK: %div.s = divergent{{$}}
  %div.s = call ptr @llvm.stacksave.p0()
  %a = alloca i32, i32 %n
  store volatile i32 1, ptr %a
  call void @llvm.stackrestore.p0(ptr %div.s)
  call void @below.restored()
  ret void
}
; CHECK-LABEL: affine divergence for 'below.restored.by.some'
; CHECK: %div.a = divergent{{$}}
define internal void @below.restored.by.some() noinline {
  %div.a = alloca i32
  store volatile i32 1, ptr %div.a
  ret void
}
define internal void @restored.by.some(i32 %n, i32 %t) noinline {
  %s = call ptr @llvm.stacksave.p0()
  %a = alloca i32, i32 %n
  store volatile i32 1, ptr %a
  %c = icmp ult i32 %t, 3
  br i1 %c, label %r, label %j
r:
  call void @llvm.stackrestore.p0(ptr %s)
  br label %j
j:
  call void @below.restored.by.some()
  ret void
}

; Inline assembly may do the same.
; CHECK-LABEL: affine divergence for 'below.assembly'
; CHECK: %div.a = divergent{{$}}
define internal void @below.assembly() noinline {
  %div.a = alloca i32
  store volatile i32 1, ptr %div.a
  ret void
}
define void @assembly(i64 %n) noinline {
  %a = call i64 asm sideeffect "alloca.u64 $0, $1;", "=l,l"(i64 %n)
  call void @below.assembly()
  ret void
}

define ptx_kernel void @k(i32 %n, ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @uniform(i32 %n)
  call void @some(i32 %n, i32 %t)
  call void @turns(i32 %t)
  call void @together(i32 %n)
  call void @restored(i32 %n)
  call void @restored.by.some(i32 %n, i32 %t)
  %q = getelementptr i64, ptr %p, i32 %t
  store i64 1, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
