; RUN: %opt -passes=annotate-uniform -verify-each -S %s | %FileCheck %s
; One lane of each warp executes the loop, so that `tid.x & 3` is the same for all lanes there. Lane 0 has gone straight to
; the return, so it is not read there; and the entry is executed by all lanes, which do not agree.
; CHECK-NOT: shfl.sync
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @one_lane(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %some = and i32 %n, 15
  %one = icmp eq i32 %lane, %some
  br i1 %one, label %body, label %exit
body:
  %k = and i32 %t, 3
  br label %loop
loop:
  %left = phi i32 [ %k, %body ], [ %next, %join ]
  %sum = phi i32 [ 0, %body ], [ %more, %join ]
  %odd = and i32 %left, 1
  %is.odd = icmp ne i32 %odd, 0
  br i1 %is.odd, label %then, label %else
then:
  %a = mul i32 %sum, %left
  %a1 = xor i32 %a, 77
  store volatile i32 %a1, ptr %p
  br label %join
else:
  %b = sub i32 %sum, %left
  store volatile i32 %b, ptr %p
  br label %join
join:
  %more = phi i32 [ %a1, %then ], [ %b, %else ]
  %next = add i32 %left, -1
  %again = icmp sgt i32 %next, 0
  br i1 %again, label %loop, label %out
out:
  %q = getelementptr i32, ptr %p, i32 %t
  store i32 %more, ptr %q
  br label %exit
exit:
  ret void
}

define ptx_kernel void @one_lane_then_all(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %some = and i32 %n, 15
  %one = icmp eq i32 %lane, %some
  br i1 %one, label %body, label %exit
body:
  %k = and i32 %t, 3
  br label %loop
loop:
  %left = phi i32 [ %k, %body ], [ %next, %join ]
  %sum = phi i32 [ 0, %body ], [ %more, %join ]
  %odd = and i32 %left, 1
  %is.odd = icmp ne i32 %odd, 0
  br i1 %is.odd, label %then, label %else
then:
  %a = mul i32 %sum, %left
  %a1 = xor i32 %a, 77
  store volatile i32 %a1, ptr %p
  br label %join
else:
  %b = sub i32 %sum, %left
  store volatile i32 %b, ptr %p
  br label %join
join:
  %more = phi i32 [ %a1, %then ], [ %b, %else ]
  %next = add i32 %left, -1
  %again = icmp sgt i32 %next, 0
  br i1 %again, label %loop, label %out
out:
  %q = getelementptr i32, ptr %p, i32 %t
  store i32 %more, ptr %q
  br label %exit
exit:
  %w = getelementptr i8, ptr %p, i32 %n
  store volatile i8 0, ptr %w
  br label %last
last:
  ret void
}
