; In a loop in which each lane goes through the bits of a number of its own, a way that is too long for ptxas to be predicated is executed by
; all lanes: of nearly every warp some lane takes it.
; RUN: %opt -S -passes='fuse-branches' -verify-each -pass-remarks=warpwise %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=REMARK %s < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK: divergent branches converted to selects: 2 ways, 11 instructions, 1 selects; they cost {{[0-9]+}} cycles, a warp that splits pays 16 for the branches
; REMARK: divergent branches converted to selects: 2 ways, 11 instructions, 1 selects

; Bit 0 of what is left.
define ptx_kernel void @shifted(ptr %data, ptr %out, i32 %modulus) {
; CHECK-LABEL: define ptx_kernel void @shifted(
; CHECK: select i1 %is.odd, i32 %a11, i32 %power
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pn = getelementptr i32, ptr %data, i32 %t
  %number = load i32, ptr %pn
  br label %loop

loop:
  %left = phi i32 [ %number, %entry ], [ %left.next, %latch ]
  %power = phi i32 [ 1, %entry ], [ %power.next, %latch ]
  %square = phi i32 [ 3, %entry ], [ %square.next, %latch ]
  %bit = and i32 %left, 1
  %is.odd = icmp ne i32 %bit, 0
  br i1 %is.odd, label %odd, label %latch

odd:
  %a1 = mul i32 %power, %square
  %a2 = xor i32 %a1, %modulus
  %a3 = mul i32 %a2, %square
  %a4 = xor i32 %a3, %modulus
  %a5 = mul i32 %a4, %square
  %a6 = xor i32 %a5, %modulus
  %a7 = mul i32 %a6, %square
  %a8 = xor i32 %a7, %modulus
  %a9 = mul i32 %a8, %square
  %a10 = xor i32 %a9, %modulus
  %a11 = mul i32 %a10, %square
  br label %latch

latch:
  %power.next = phi i32 [ %power, %loop ], [ %a11, %odd ]
  %square.next = mul i32 %square, %square
  %left.next = lshr i32 %left, 1
  %more = icmp ne i32 %left.next, 0
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %power.next, ptr %po
  ret void
}

; The bit whose place is counted.
define ptx_kernel void @counted(ptr %data, ptr %out, i32 %modulus) {
; CHECK-LABEL: define ptx_kernel void @counted(
; CHECK: select i1 %is.odd, i32 %a11, i32 %power
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pn = getelementptr i32, ptr %data, i32 %t
  %number = load i32, ptr %pn
  br label %loop

loop:
  %left = phi i32 [ %number, %entry ], [ %left.next, %latch ]
  %power = phi i32 [ 1, %entry ], [ %power.next, %latch ]
  %square = phi i32 [ 3, %entry ], [ %square.next, %latch ]
  %here = lshr i32 %number, %left
  %is.odd = trunc i32 %here to i1
  br i1 %is.odd, label %odd, label %latch

odd:
  %a1 = mul i32 %power, %square
  %a2 = xor i32 %a1, %modulus
  %a3 = mul i32 %a2, %square
  %a4 = xor i32 %a3, %modulus
  %a5 = mul i32 %a4, %square
  %a6 = xor i32 %a5, %modulus
  %a7 = mul i32 %a6, %square
  %a8 = xor i32 %a7, %modulus
  %a9 = mul i32 %a8, %square
  %a10 = xor i32 %a9, %modulus
  %a11 = mul i32 %a10, %square
  br label %latch

latch:
  %power.next = phi i32 [ %power, %loop ], [ %a11, %odd ]
  %square.next = mul i32 %square, %square
  %left.next = lshr i32 %left, 1
  %more = icmp ne i32 %left.next, 0
  br i1 %more, label %loop, label %end

end:
  %po = getelementptr i32, ptr %out, i32 %t
  store i32 %power.next, ptr %po
  ret void
}
