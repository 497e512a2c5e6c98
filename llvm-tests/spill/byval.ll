; An aggregate taken by value that is written to: llc would copy it to the stack, so it is planned for as a stack object, and copied
; to shared memory at entry. One that is only read stays in parameter space, one that has no variable index is left to llc, and one that
; cannot move is not touched: both bodies of a kernel without a bound keep what they had.
; RUN: %opt -passes=steer-spills -pass-remarks=warpwise -disable-output %s 2>&1 | %FileCheck --check-prefix=SAYS %s
; SAYS: stack object %s (%pair {{.*}} 32 bytes) (indexed by %tid) moved from local to shared memory
; RUN: %opt -passes=steer-spills -verify-each -S %s | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

%pair = type { [4 x i32], [4 x i32] }

; CHECK-LABEL: @written(
; CHECK-NOT: alloca
; CHECK: load i32, ptr %s
; CHECK: store i32 {{.*}}, ptr addrspace(3)
; CHECK: load i32, ptr addrspace(3)
define ptx_kernel void @written(ptr byval(%pair) align 4 %s, ptr %out, i32 %k) #0 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr inbounds i32, ptr %s, i32 %tid
  store i32 %tid, ptr %mine, align 4
  %other = getelementptr inbounds i32, ptr %s, i32 %k
  %value = load i32, ptr %other, align 4
  store i32 %value, ptr %out, align 4
  ret void
}

; CHECK-LABEL: @read(
; CHECK-NOT: alloca
; CHECK-NOT: addrspace(3)
; CHECK: load i32, ptr %other
define ptx_kernel void @read(ptr byval(%pair) align 4 %s, ptr %out, i32 %k) #0 {
  %other = getelementptr inbounds i32, ptr %s, i32 %k
  %value = load i32, ptr %other, align 4
  store i32 %value, ptr %out, align 4
  ret void
}

; CHECK-LABEL: @fixed(
; CHECK-NOT: alloca
; CHECK: store i32 %k, ptr %s
define ptx_kernel void @fixed(ptr byval(%pair) align 4 %s, ptr %out, i32 %k) #0 {
  store i32 %k, ptr %s, align 4
  %value = load i32, ptr %s, align 4
  store i32 %value, ptr %out, align 4
  ret void
}

; CHECK-LABEL: @no_room(
; CHECK-NOT: alloca
; CHECK-NOT: memcpy
; CHECK: getelementptr inbounds i32, ptr %s, i32 %k
; CHECK-NOT: addrspace(3)
define ptx_kernel void @no_room(ptr byval([1024 x i32]) align 4 %s, ptr %out, i32 %k) #1 {
  %mine = getelementptr inbounds i32, ptr %s, i32 %k
  store i32 %k, ptr %mine, align 4
  %value = load i32, ptr %s, align 4
  store i32 %value, ptr %out, align 4
  ret void
}

; CHECK-LABEL: @two_bodies(
; CHECK: warpwise.entry:
; CHECK-NOT: memcpy
; CHECK: getelementptr inbounds i32, ptr %s, i32 %tid
; CHECK: store i32 {{.*}}, ptr addrspace(3)
define ptx_kernel void @two_bodies(ptr byval(%pair) align 4 %s, ptr %out, i32 %k) #1 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr inbounds i32, ptr %s, i32 %tid
  store i32 %tid, ptr %mine, align 4
  %other = getelementptr inbounds i32, ptr %s, i32 %k
  %value = load i32, ptr %other, align 4
  store i32 %value, ptr %out, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
attributes #1 = { "target-cpu"="sm_90" }
