; The only call of a function that kernels reach is inlined if an object of the caller is in memory for it alone: passed by its
; address, by value (and passed on in this way), as the place of a result, or to two calls that both can be. The function itself
; stays, since another module may call it. Calls that other kernels reach, or none, do not count.
; RUN: %opt -passes=inline-calls,verify -S %s | %FileCheck %s
; RUN: %opt -passes=inline-calls -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -warpwise-limit=0 -passes=inline-calls -S -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=LIMIT
; LIMIT: plan 1 of inline-calls in kernel {{[a-z_]+}}: call inlined, {{.*}}; left out, the limit is 0
; LIMIT: call void @step(ptr %object
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { i32, i32 }

; CHECK: define void @step(ptr %p, ptr %out)
define void @step(ptr %p, ptr %out) {
  %b.at = getelementptr i8, ptr %p, i64 4
  %a = load i32, ptr %p
  %b = load i32, ptr %b.at
  %c = mul i32 %a, %b
  store i32 %c, ptr %b.at
  call void @barrier()
  store volatile i32 %c, ptr %out
  ret void
}

; no kernel reaches this call
define void @dead(ptr %p, ptr %out) {
  call void @step(ptr %p, ptr %out)
  ret void
}

; CHECK-LABEL: ptx_kernel void @other_kernel(
; CHECK-NOT: call void @step
; CHECK: ret void
define ptx_kernel void @other_kernel(ptr %out, i32 %x) {
  %object = alloca %pair
  store i32 %x, ptr %object
  call void @step(ptr %object, ptr %out)
  ret void
}

; REMARK-DAG: remark: {{.*}} call inlined, the only one of a function of 8 instructions: a stack object of 8 bytes can be in registers
; CHECK-LABEL: ptx_kernel void @by_address(
; CHECK-NOT: alloca
; CHECK-NOT: call void @step
; CHECK: call void @barrier()
define ptx_kernel void @by_address(ptr %out, i32 %x) {
entry:
  %object = alloca %pair
  %b.at = getelementptr %pair, ptr %object, i32 0, i32 1
  store i32 %x, ptr %object
  store i32 3, ptr %b.at
  call void @step(ptr %object, ptr %out)
  %r = load i32, ptr %b.at
  store i32 %r, ptr %out
  ret void
}

define void @take(ptr byval(%pair) align 4 %p, ptr %out) {
  %a = load i32, ptr %p
  store i32 1, ptr %p
  store volatile i32 %a, ptr %out
  call void @barrier()
  ret void
}

; REMARK-DAG: remark: {{.*}} call inlined, the only one of a function of 5 instructions: a stack object of 8 bytes can be in registers
; CHECK-LABEL: ptx_kernel void @by_value(
; CHECK-NOT: alloca
; CHECK: store volatile i32 %x, ptr %out
; CHECK: store i32 %x, ptr %out
define ptx_kernel void @by_value(ptr %out, i32 %x) {
entry:
  %object = alloca %pair
  store i32 %x, ptr %object
  call void @take(ptr byval(%pair) align 4 %object, ptr %out)
  %r = load i32, ptr %object
  store i32 %r, ptr %out
  ret void
}

define linkonce_odr void @fill(ptr sret(%pair) %p, i32 %x) {
  store i32 %x, ptr %p
  call void @barrier()
  ret void
}

define void @use(ptr %p, ptr %out) {
  %a = load i32, ptr %p
  store volatile i32 %a, ptr %out
  call void @barrier()
  ret void
}

; REMARK-DAG: remark: {{.*}} call inlined, the only one of a function of 3 instructions: a stack object of 8 bytes can be in registers
; REMARK-DAG: remark: {{.*}} call inlined, the only one of a function of 4 instructions: a stack object of 8 bytes can be in registers
; CHECK-LABEL: ptx_kernel void @both(
; CHECK-NOT: alloca
; CHECK: store volatile i32 %x, ptr %out
define ptx_kernel void @both(ptr %out, i32 %x) {
entry:
  %object = alloca %pair
  call void @fill(ptr sret(%pair) %object, i32 %x)
  call void @use(ptr %object, ptr %out)
  ret void
}

define void @innermost(ptr byval(%pair) align 4 %p, ptr %out) {
  %a = load i32, ptr %p
  store i32 1, ptr %p
  store volatile i32 %a, ptr %out
  call void @barrier()
  ret void
}

define void @passes_on(ptr byval(%pair) align 4 %p, ptr %out) {
  call void @innermost(ptr byval(%pair) align 4 %p, ptr %out)
  ret void
}

; What is passed on by value is an object of the function in between.
; REMARK-DAG: remark: {{.*}} call inlined, the only one of a function of 5 instructions: a stack object of 8 bytes can be in registers
; CHECK-LABEL: ptx_kernel void @two_levels(
; CHECK-NOT: alloca
; CHECK: store volatile i32 %x, ptr %out
; CHECK: store i32 %x, ptr %out
define ptx_kernel void @two_levels(ptr %out, i32 %x) {
entry:
  %object = alloca %pair
  store i32 %x, ptr %object
  call void @passes_on(ptr byval(%pair) align 4 %object, ptr %out)
  %r = load i32, ptr %object
  store i32 %r, ptr %out
  ret void
}

declare void @barrier() convergent
