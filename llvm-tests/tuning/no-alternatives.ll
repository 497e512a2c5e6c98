; Kernels that get no alternatives, and why; and what switches tuning off.
; RUN: %opt -passes='warpwise<tune>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s 2>%t.remarks | %FileCheck %s --implicit-check-not="$t"
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %opt -warpwise-tune -warpwise-off -passes=warpwise -S %s | %FileCheck %s
; RUN: %opt -warpwise-tune -warpwise-profile-generate -passes=warpwise -S %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: @"taken$t1" = addrspace(1) global i32 0

; REMARK: no alternatives: the kernel is local to its module, and the host could not find it
; REMARK: no alternatives: the linker may replace the kernel by another
; REMARK: no alternatives: the module has 'taken$t1' already
; REMARK: no alternatives: it cannot be copied, because of the address of a label, or of exceptions
; REMARK-NOT: {{measured|alternatives}}

define internal ptx_kernel void @local(ptr %in, ptr %out) #0 {
  %v = load i32, ptr %in, align 4
  store i32 %v, ptr %out, align 4
  ret void
}

define weak ptx_kernel void @replaceable(ptr %in, ptr %out) #0 {
  %v = load i32, ptr %in, align 4
  store i32 %v, ptr %out, align 4
  ret void
}

@"taken$t1" = addrspace(1) global i32 0
define ptx_kernel void @taken(ptr %in, ptr %out) #0 {
  %v = load i32, ptr %in, align 4
  store i32 %v, ptr %out, align 4
  ret void
}

define ptx_kernel void @label(ptr %in, ptr %out) #0 {
  store ptr blockaddress(@label, %end), ptr %out, align 8
  br label %end

end:
  ret void
}

; switched off by its source
define ptx_kernel void @off(ptr noalias readonly %in, ptr noalias %out) #1 {
  %v = load i32, ptr %in, align 4
  store i32 %v, ptr %out, align 4
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
attributes #1 = { "target-cpu"="sm_90" "warpwise-off" }
