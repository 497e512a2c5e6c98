; With a ptxas at hand its numbers decide; without numbers the model does, and says so.
; RUN: %opt -passes=steer-spills -warpwise-ptxas=%cuda/bin/ptxas -S %s | %FileCheck %s
; RUN: %opt -passes=steer-spills -warpwise-ptxas=%cuda/bin/no-ptxas -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=FAILS < %t
; RUN: %opt -passes=steer-spills -warpwise-ptxas=/bin/false -S %s 2>%t.silent | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=SILENT < %t.silent

target triple = "nvptx64-nvidia-cuda"

; FAILS: ptxas gives no numbers, the model decides: cannot run
; SILENT: ptxas gives no numbers, the model decides: it ends without a word, exit status: 1

; CHECK: @warpwise_stack_kernel = internal addrspace(3) global [4096 x i8]
define ptx_kernel void @kernel(ptr %in, ptr %out) #0 {
  %array = alloca [16 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %place = and i32 %div.k, 15
  %element = getelementptr inbounds i32, ptr %array, i32 %place
  store i32 %div.k, ptr %element, align 4
  %value = load i32, ptr %array, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "target-features"="+ptx83,+sm_90" "nvvm.maxntid"="64" }
