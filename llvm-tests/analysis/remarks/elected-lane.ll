; Behind `if (threadIdx.x == 0)` nothing is said of "every lane".
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: `threadIdx.x == 0`
; CHECK: branch diverges: `threadIdx.x < argument 2`
; CHECK-NOT: address
; CHECK: every lane writes the same address
; CHECK-NOT: address

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, i32 %0) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %one, label %rest
one:
  %old = atomicrmw add ptr %p, i32 1 monotonic
  br label %rest
rest:
  %inside = icmp ult i32 %t, %0
  br i1 %inside, label %many, label %done
many:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 %t, ptr %q
  br label %done
done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
