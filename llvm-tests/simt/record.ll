; A launch with its inputs and results in a folder, for another machine to repeat; globals that changed are part of it.
;
; RUN: rm -rf %t
; RUN: %warpwise simt %s --grid 2 --block 4 -a i32:7 -a i32[8]:iota --record %t
; RUN: %FileCheck %s --input-file=%t/launch.json
; RUN: od -An -td4 -v %t/arg1.before | %FileCheck %s --check-prefix=BEFORE
; RUN: od -An -td4 -v %t/arg1.after %t/global0.after | %FileCheck %s --check-prefix=AFTER
; CHECK: "kernel": "k"
; CHECK: "grid": [
; CHECK-NEXT: 2,
; CHECK: "value": [
; CHECK-NEXT: 7,
; CHECK: "element": "i32"
; CHECK: "globals": [
; CHECK: "name": "total"
; BEFORE: 0{{ +}}1{{ +}}2{{ +}}3
; BEFORE: 4{{ +}}5{{ +}}6{{ +}}7
; AFTER: 7{{ +}}8{{ +}}9{{ +}}10
; AFTER: 11{{ +}}12{{ +}}13{{ +}}14
; AFTER: 56

target triple = "nvptx64-nvidia-cuda"

@total = addrspace(1) global i32 0
@untouched = addrspace(1) global i32 5

define ptx_kernel void @k(i32 %n, ptr %data) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %ctaid, 4
  %i = add i32 %first, %tid
  %at = getelementptr i32, ptr %data, i32 %i
  %old = load i32, ptr %at
  %new = add i32 %old, %n
  store i32 %new, ptr %at
  %seen = atomicrmw add ptr addrspace(1) @total, i32 %n monotonic
  ret void
}
