; Device functions that only the module can call get internal linkage: visible ones and instantiations of templates, also
; those whose address is taken. Kernels, variables and declarations stay as they are. The function with one caller is inlined
; although it is large for LLVM's inliner.
; RUN: %opt -passes=whole-program,verify -S %s | %FileCheck %s
; RUN: %opt -passes=whole-program -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes=whole-program,whole-program -disable-output -pass-remarks=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes='default<O2>' -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -warpwise-whole-program -passes='default<O2>' -S %s | %FileCheck %s --check-prefix=ON
; RUN: %opt -warpwise-whole-program -warpwise-off -passes='default<O2>' -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -warpwise-whole-program -passes='default<O0>' -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -warpwise-whole-program -passes='thinlto-pre-link<O2>' -S %s | %FileCheck %s --check-prefix=OFF
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

$instance = comdat any

; CHECK: @counter = addrspace(1) externally_initialized global i32 0
@counter = addrspace(1) externally_initialized global i32 0
@pointer = addrspace(1) externally_initialized global ptr @taken

; REMARK: remark: {{.*}} 3 device functions are internal: nobody else can call into a whole program
; CHECK: define internal i32 @plain(i32 %x)
; OFF: define {{.*}}@plain(
; ON-NOT: @plain(
define i32 @plain(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}

; CHECK: define internal i32 @instance(i32 %x) {
define linkonce_odr dso_local i32 @instance(i32 %x) comdat {
  %y = mul i32 %x, 5
  ret i32 %y
}

; CHECK: define internal i32 @taken(i32 %x)
; ON: define internal {{.*}}@taken(
define hidden i32 @taken(i32 %x) {
  %y = mul i32 %x, 7
  ret i32 %y
}

; CHECK: define internal i32 @local(i32 %x)
define internal i32 @local(i32 %x) {
  ret i32 %x
}

; CHECK: define available_externally i32 @elsewhere(
define available_externally i32 @elsewhere(i32 %x) {
  ret i32 %x
}

; CHECK: define weak dso_local ptx_kernel void @kernel(
; ON: define {{.*}}ptx_kernel void @kernel(
define weak dso_local ptx_kernel void @kernel(ptr %p, i32 %x) {
  %a = call i32 @plain(i32 %x)
  %b = call i32 @instance(i32 %a)
  %c = call i32 @local(i32 %b)
  %d = call i32 @elsewhere(i32 %c)
  store i32 %d, ptr %p
  call void @free(ptr %p)
  ret void
}

; CHECK: declare void @free(ptr)
declare void @free(ptr)
