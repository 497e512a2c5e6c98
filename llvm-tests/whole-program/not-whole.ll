; A module that shows that other device modules are linked to it stays as it is, and a remark says by what.
; RUN: split-file %s %t
; RUN: cat %t/head.ll %t/body.ll > %t/1.ll
; RUN: cat %t/head.ll %t/variable.ll > %t/2.ll
; RUN: cat %t/head.ll %t/shared.ll > %t/3.ll
; RUN: cat %t/head.ll %t/host.ll > %t/4.ll
; RUN: cat %t/head.ll %t/unused.ll > %t/5.ll
; RUN: %opt -passes=whole-program -S %t/1.ll -pass-remarks-missed=warpwise 2>&1 | %FileCheck %s --check-prefixes=NO,BODY
; RUN: %opt -passes=whole-program -S %t/2.ll -pass-remarks-missed=warpwise 2>&1 | %FileCheck %s --check-prefixes=NO,VARIABLE
; RUN: %opt -passes=whole-program -S %t/3.ll -pass-remarks-missed=warpwise 2>&1 | %FileCheck %s --check-prefixes=NO,SHARED
; RUN: %opt -passes=whole-program -S %t/4.ll -pass-remarks-missed=warpwise 2>&1 | %FileCheck %s --check-prefixes=NO,HOST
; RUN: %opt -passes=whole-program -S %t/5.ll -pass-remarks-missed=warpwise 2>&1 | %FileCheck %s --check-prefix=YES --implicit-check-not=remark:
; BODY: device functions stay visible: this is not a whole program, as 'other' is used and has no body in it
; VARIABLE: device functions stay visible: this is not a whole program, as the variable 'other' is defined elsewhere
; SHARED: device functions stay visible: this is not a whole program, as 'other' is shared among modules (weak_odr, which clang makes with -fgpu-rdc)
; HOST: device functions stay visible: this is not a whole program, as clang compiled it with -fgpu-rdc
; NO: define i32 @plain(
; YES: define internal i32 @plain(

;--- head.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define i32 @plain(i32 %x) {
  ret i32 %x
}
;--- body.ll
declare void @other()
define ptx_kernel void @kernel() {
  call void @other()
  ret void
}
;--- variable.ll
@other = external addrspace(1) global i32
define ptx_kernel void @kernel() {
  store i32 0, ptr addrspace(1) @other
  ret void
}
;--- shared.ll
define weak_odr void @other() {
  ret void
}
;--- host.ll
@__clang_gpu_used_external = internal global [1 x ptr] [ptr @kernel]
define ptx_kernel void @kernel() {
  ret void
}
;--- unused.ll
@dynamic = external addrspace(3) global [0 x i32]
@other = external addrspace(1) global i32
@blockDim = extern_weak addrspace(1) global i8
declare void @another()
declare i32 @vprintf(ptr, ptr)
define ptx_kernel void @kernel() {
  %x = call i32 @vprintf(ptr null, ptr null)
  store i32 %x, ptr addrspace(3) @dynamic
  %y = load i8, ptr addrspace(1) @blockDim
  ret void
}
