; Which numbers has the plan of a branch? Code in loops counts as often as it runs, and blocks that few lanes reach count less;
; of 16 lanes, one is as good as certain to take a branch that each takes with a probability of a half.
; RUN: %opt -passes=fuse-branches -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s
; Load, products and sum of each side; each address is computed for all lanes, and one of them selected.
; CHECK: divergent branch fused: 14 of 15+15 instructions melded in 1 block, 2 executed by both sides, 1 select; sides cost 50+50 cycles; a warp that splits saves 30, branches included, and pays 4;
; CHECK: fused: 8 of 8+8 {{.*}}, 0 selects; sides cost 312+312 cycles; a warp that splits saves 456,
; CHECK: fused: 8 of 8+8 {{.*}}, 0 selects; sides cost 31200+31200 cycles; a warp that splits saves 44016,
; CHECK: fused: 8 of 8+8 {{.*}}, 0 selects; sides cost 14667+14667 cycles; a warp that splits saves 27483,
; CHECK: fused: 8 of 8+8 {{.*}}, 0 selects; sides cost 31200+31200 cycles; a warp that splits saves 44016,
target datalayout = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @alike(ptr noalias readonly %in, ptr noalias %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %in, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %yes, label %other
yes:
  %yes.p = getelementptr i32, ptr %mine, i32 3
  %yes.0 = load i32, ptr %yes.p
  %yes.1 = mul i32 %yes.0, %n
  %yes.2 = mul i32 %yes.1, %n
  %yes.3 = mul i32 %yes.2, %n
  %yes.4 = mul i32 %yes.3, %n
  %yes.5 = mul i32 %yes.4, %n
  %yes.6 = mul i32 %yes.5, %n
  %yes.7 = mul i32 %yes.6, %n
  %yes.8 = mul i32 %yes.7, %n
  %yes.9 = mul i32 %yes.8, %n
  %yes.10 = mul i32 %yes.9, %n
  %yes.11 = mul i32 %yes.10, %n
  %yes.12 = mul i32 %yes.11, %n
  %yes.last = add i32 %yes.12, 12
  br label %join
other:
  %other.p = getelementptr i32, ptr %mine, i32 5
  %other.0 = load i32, ptr %other.p
  %other.1 = mul i32 %other.0, %n
  %other.2 = mul i32 %other.1, %n
  %other.3 = mul i32 %other.2, %n
  %other.4 = mul i32 %other.3, %n
  %other.5 = mul i32 %other.4, %n
  %other.6 = mul i32 %other.5, %n
  %other.7 = mul i32 %other.6, %n
  %other.8 = mul i32 %other.7, %n
  %other.9 = mul i32 %other.8, %n
  %other.10 = mul i32 %other.9, %n
  %other.11 = mul i32 %other.10, %n
  %other.12 = mul i32 %other.11, %n
  %other.last = add i32 %other.12, 12
  br label %join
join:
  %r = phi i32 [ %yes.last, %yes ], [ %other.last, %other ]
  store i32 %r, ptr %out
  ret void
}

define ptx_kernel void @few_turns(ptr noalias readonly %in, ptr noalias %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %in, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %yes, label %other
yes:
  br label %yes.loop
yes.loop:
  %yes.i = phi i32 [ 0, %yes ], [ %yes.next, %yes.latch ]
  %yes.sum = phi i32 [ 0, %yes ], [ %yes.last, %yes.latch ]
  %yes.p = getelementptr i32, ptr %mine, i32 %yes.i
  %yes.v = load i32, ptr %yes.p
  %yes.s = icmp sgt i32 %yes.v, 0
  br i1 %yes.s, label %yes.body, label %yes.latch
yes.body:
  %yes.m = mul i32 %yes.v, %n
  %yes.d = udiv i32 %yes.m, %n
  br label %yes.latch
yes.latch:
  %yes.t = phi i32 [ %yes.v, %yes.loop ], [ %yes.d, %yes.body ]
  %yes.last = add i32 %yes.sum, %yes.t
  %yes.next = add i32 %yes.i, 1
  %yes.more = icmp ult i32 %yes.next, 4
  br i1 %yes.more, label %yes.loop, label %join
other:
  br label %other.loop
other.loop:
  %other.i = phi i32 [ 0, %other ], [ %other.next, %other.latch ]
  %other.sum = phi i32 [ 0, %other ], [ %other.last, %other.latch ]
  %other.p = getelementptr i32, ptr %mine, i32 %other.i
  %other.v = load i32, ptr %other.p
  %other.s = icmp sgt i32 %other.v, 0
  br i1 %other.s, label %other.body, label %other.latch
other.body:
  %other.m = mul i32 %other.v, %n
  %other.d = udiv i32 %other.m, %n
  br label %other.latch
other.latch:
  %other.t = phi i32 [ %other.v, %other.loop ], [ %other.d, %other.body ]
  %other.last = add i32 %other.sum, %other.t
  %other.next = add i32 %other.i, 1
  %other.more = icmp ult i32 %other.next, 4
  br i1 %other.more, label %other.loop, label %join
join:
  %r = phi i32 [ %yes.last, %yes.latch ], [ %other.last, %other.latch ]
  store i32 %r, ptr %out
  ret void
}

define ptx_kernel void @many_turns(ptr noalias readonly %in, ptr noalias %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %in, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %yes, label %other
yes:
  br label %yes.loop
yes.loop:
  %yes.i = phi i32 [ 0, %yes ], [ %yes.next, %yes.latch ]
  %yes.sum = phi i32 [ 0, %yes ], [ %yes.last, %yes.latch ]
  %yes.p = getelementptr i32, ptr %mine, i32 %yes.i
  %yes.v = load i32, ptr %yes.p
  %yes.s = icmp sgt i32 %yes.v, 0
  br i1 %yes.s, label %yes.body, label %yes.latch
yes.body:
  %yes.m = mul i32 %yes.v, %n
  %yes.d = udiv i32 %yes.m, %n
  br label %yes.latch
yes.latch:
  %yes.t = phi i32 [ %yes.v, %yes.loop ], [ %yes.d, %yes.body ]
  %yes.last = add i32 %yes.sum, %yes.t
  %yes.next = add i32 %yes.i, 1
  %yes.more = icmp ult i32 %yes.next, 400
  br i1 %yes.more, label %yes.loop, label %join
other:
  br label %other.loop
other.loop:
  %other.i = phi i32 [ 0, %other ], [ %other.next, %other.latch ]
  %other.sum = phi i32 [ 0, %other ], [ %other.last, %other.latch ]
  %other.p = getelementptr i32, ptr %mine, i32 %other.i
  %other.v = load i32, ptr %other.p
  %other.s = icmp sgt i32 %other.v, 0
  br i1 %other.s, label %other.body, label %other.latch
other.body:
  %other.m = mul i32 %other.v, %n
  %other.d = udiv i32 %other.m, %n
  br label %other.latch
other.latch:
  %other.t = phi i32 [ %other.v, %other.loop ], [ %other.d, %other.body ]
  %other.last = add i32 %other.sum, %other.t
  %other.next = add i32 %other.i, 1
  %other.more = icmp ult i32 %other.next, 400
  br i1 %other.more, label %other.loop, label %join
join:
  %r = phi i32 [ %yes.last, %yes.latch ], [ %other.last, %other.latch ]
  store i32 %r, ptr %out
  ret void
}

define ptx_kernel void @few_lanes(ptr noalias readonly %in, ptr noalias %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %in, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %yes, label %other
yes:
  br label %yes.loop
yes.loop:
  %yes.i = phi i32 [ 0, %yes ], [ %yes.next, %yes.latch ]
  %yes.sum = phi i32 [ 0, %yes ], [ %yes.last, %yes.latch ]
  %yes.p = getelementptr i32, ptr %mine, i32 %yes.i
  %yes.v = load i32, ptr %yes.p
  %yes.s = icmp sgt i32 %yes.v, 0
  br i1 %yes.s, label %yes.body, label %yes.latch, !prof !0
yes.body:
  %yes.m = mul i32 %yes.v, %n
  %yes.d = udiv i32 %yes.m, %n
  br label %yes.latch
yes.latch:
  %yes.t = phi i32 [ %yes.v, %yes.loop ], [ %yes.d, %yes.body ]
  %yes.last = add i32 %yes.sum, %yes.t
  %yes.next = add i32 %yes.i, 1
  %yes.more = icmp ult i32 %yes.next, 400
  br i1 %yes.more, label %yes.loop, label %join
other:
  br label %other.loop
other.loop:
  %other.i = phi i32 [ 0, %other ], [ %other.next, %other.latch ]
  %other.sum = phi i32 [ 0, %other ], [ %other.last, %other.latch ]
  %other.p = getelementptr i32, ptr %mine, i32 %other.i
  %other.v = load i32, ptr %other.p
  %other.s = icmp sgt i32 %other.v, 0
  br i1 %other.s, label %other.body, label %other.latch, !prof !0
other.body:
  %other.m = mul i32 %other.v, %n
  %other.d = udiv i32 %other.m, %n
  br label %other.latch
other.latch:
  %other.t = phi i32 [ %other.v, %other.loop ], [ %other.d, %other.body ]
  %other.last = add i32 %other.sum, %other.t
  %other.next = add i32 %other.i, 1
  %other.more = icmp ult i32 %other.next, 400
  br i1 %other.more, label %other.loop, label %join
join:
  %r = phi i32 [ %yes.last, %yes.latch ], [ %other.last, %other.latch ]
  store i32 %r, ptr %out
  ret void
}

define ptx_kernel void @most_lanes(ptr noalias readonly %in, ptr noalias %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %in, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %yes, label %other
yes:
  br label %yes.loop
yes.loop:
  %yes.i = phi i32 [ 0, %yes ], [ %yes.next, %yes.latch ]
  %yes.sum = phi i32 [ 0, %yes ], [ %yes.last, %yes.latch ]
  %yes.p = getelementptr i32, ptr %mine, i32 %yes.i
  %yes.v = load i32, ptr %yes.p
  %yes.s = icmp sgt i32 %yes.v, 0
  br i1 %yes.s, label %yes.body, label %yes.latch, !prof !1
yes.body:
  %yes.m = mul i32 %yes.v, %n
  %yes.d = udiv i32 %yes.m, %n
  br label %yes.latch
yes.latch:
  %yes.t = phi i32 [ %yes.v, %yes.loop ], [ %yes.d, %yes.body ]
  %yes.last = add i32 %yes.sum, %yes.t
  %yes.next = add i32 %yes.i, 1
  %yes.more = icmp ult i32 %yes.next, 400
  br i1 %yes.more, label %yes.loop, label %join
other:
  br label %other.loop
other.loop:
  %other.i = phi i32 [ 0, %other ], [ %other.next, %other.latch ]
  %other.sum = phi i32 [ 0, %other ], [ %other.last, %other.latch ]
  %other.p = getelementptr i32, ptr %mine, i32 %other.i
  %other.v = load i32, ptr %other.p
  %other.s = icmp sgt i32 %other.v, 0
  br i1 %other.s, label %other.body, label %other.latch, !prof !1
other.body:
  %other.m = mul i32 %other.v, %n
  %other.d = udiv i32 %other.m, %n
  br label %other.latch
other.latch:
  %other.t = phi i32 [ %other.v, %other.loop ], [ %other.d, %other.body ]
  %other.last = add i32 %other.sum, %other.t
  %other.next = add i32 %other.i, 1
  %other.more = icmp ult i32 %other.next, 400
  br i1 %other.more, label %other.loop, label %join
join:
  %r = phi i32 [ %yes.last, %yes.latch ], [ %other.last, %other.latch ]
  store i32 %r, ptr %out
  ret void
}

!0 = !{!"branch_weights", i32 1, i32 999}
!1 = !{!"branch_weights", i32 9, i32 1}
