; Tables that are chosen between stay, if one may be written through the choice, or is not filled with constants.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks-missed=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK-COUNT-4: stays in local memory: its address is mixed with addresses of other objects

; CHECK-NOT: @warpwise_constant
; CHECK-LABEL: define ptx_kernel void @written
; CHECK-COUNT-2: alloca
define ptx_kernel void @written(ptr %out, i32 %n) #0 {
  %a = alloca [2 x i32], align 4
  %b = alloca [2 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  store <2 x i32> <i32 31, i32 28>, ptr %a, align 4
  store <2 x i32> <i32 31, i32 29>, ptr %b, align 4
  %c = icmp eq i32 %tid, %n
  %table = select i1 %c, ptr %a, ptr %b
  store i32 7, ptr %table, align 4
  %value = load i32, ptr %a, align 4
  %other = load i32, ptr %b, align 4
  %sum = add i32 %value, %other
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %sum, ptr %to, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @filled
; CHECK-COUNT-2: alloca
define ptx_kernel void @filled(ptr %out, i32 %n) #0 {
  %a = alloca [2 x i32], align 4
  %b = alloca [2 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  store i32 %tid, ptr %a, align 4
  %c = icmp eq i32 %tid, %n
  br i1 %c, label %some, label %join
some:
  store i32 3, ptr %b, align 4
  br label %join
join:
  %table = phi ptr [ %b, %some ], [ %a, %0 ]
  %value = load i32, ptr %table, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="64" }
