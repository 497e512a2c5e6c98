; The divergence map: visits, splits and lanes of every branch, with source lines where there are any.
; RUN: %warpwise simt %s --block 50 --arg 'i32[64]:zero' --map text | %FileCheck %s
; RUN: %warpwise simt %s --block 50 --arg 'i32[64]:zero' --map json | %FileCheck %s --check-prefix=JSON

; CHECK: (no source line): in k, block %entry: br i1 %c, label %a, label %b
; CHECK-NEXT: visits 2, splits 1 (50.0 %), lanes 50, to %a 20, to %b 30
; CHECK: arg 0: i32[64] = 1, 1

; JSON: "block": "%entry"
; JSON: "visits": 2,
; JSON-NEXT: "splits": 1,
; JSON-NEXT: "lanes": 50,

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %c = icmp ult i32 %t, 20
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %p
  br label %b
b:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
