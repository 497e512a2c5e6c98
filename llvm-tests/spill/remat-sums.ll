; Twenty-five sums of five rows and five columns: the rows and columns wait in registers, the sums are made where they are used,
; over rows that the loop changes by nothing, so that no sum moves out again. No launch bound is needed.
; RUN: %opt -passes=steer-spills -verify-each -pass-remarks=warpwise -S %s 2>%t | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK < %t

target triple = "nvptx64-nvidia-cuda"

; REMARK: register pressure of {{[0-9]+}} for 24 registers eased to {{[0-9]+}}: 25 values are rematerialised at their uses, 25 instructions in all
; CHECK: %warpwise.zero = zext i1
; CHECK: loop:
; CHECK: [[PHI:%[0-9]+]] = phi i32 [ %row0, %entry ], [ [[HIDDEN:%[0-9]+]], %loop ]
; CHECK: [[HIDDEN]] = xor i32 [[PHI]], %warpwise.zero
; CHECK: add i32 [[HIDDEN]], %col0
define ptx_kernel void @kernel(ptr noalias readonly %in, ptr noalias %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %pr0 = getelementptr i32, ptr %in, i64 0
  %qr0 = getelementptr i32, ptr %pr0, i64 %wide
  %row0 = load i32, ptr %qr0, align 4
  %pr1 = getelementptr i32, ptr %in, i64 1
  %qr1 = getelementptr i32, ptr %pr1, i64 %wide
  %row1 = load i32, ptr %qr1, align 4
  %pr2 = getelementptr i32, ptr %in, i64 2
  %qr2 = getelementptr i32, ptr %pr2, i64 %wide
  %row2 = load i32, ptr %qr2, align 4
  %pr3 = getelementptr i32, ptr %in, i64 3
  %qr3 = getelementptr i32, ptr %pr3, i64 %wide
  %row3 = load i32, ptr %qr3, align 4
  %pr4 = getelementptr i32, ptr %in, i64 4
  %qr4 = getelementptr i32, ptr %pr4, i64 %wide
  %row4 = load i32, ptr %qr4, align 4
  %pc0 = getelementptr i32, ptr %in, i64 8
  %qc0 = getelementptr i32, ptr %pc0, i64 %wide
  %col0 = load i32, ptr %qc0, align 4
  %pc1 = getelementptr i32, ptr %in, i64 9
  %qc1 = getelementptr i32, ptr %pc1, i64 %wide
  %col1 = load i32, ptr %qc1, align 4
  %pc2 = getelementptr i32, ptr %in, i64 10
  %qc2 = getelementptr i32, ptr %pc2, i64 %wide
  %col2 = load i32, ptr %qc2, align 4
  %pc3 = getelementptr i32, ptr %in, i64 11
  %qc3 = getelementptr i32, ptr %pc3, i64 %wide
  %col3 = load i32, ptr %qc3, align 4
  %pc4 = getelementptr i32, ptr %in, i64 12
  %qc4 = getelementptr i32, ptr %pc4, i64 %wide
  %col4 = load i32, ptr %qc4, align 4
  %sum00 = add i32 %row0, %col0
  %sum01 = add i32 %row0, %col1
  %sum02 = add i32 %row0, %col2
  %sum03 = add i32 %row0, %col3
  %sum04 = add i32 %row0, %col4
  %sum10 = add i32 %row1, %col0
  %sum11 = add i32 %row1, %col1
  %sum12 = add i32 %row1, %col2
  %sum13 = add i32 %row1, %col3
  %sum14 = add i32 %row1, %col4
  %sum20 = add i32 %row2, %col0
  %sum21 = add i32 %row2, %col1
  %sum22 = add i32 %row2, %col2
  %sum23 = add i32 %row2, %col3
  %sum24 = add i32 %row2, %col4
  %sum30 = add i32 %row3, %col0
  %sum31 = add i32 %row3, %col1
  %sum32 = add i32 %row3, %col2
  %sum33 = add i32 %row3, %col3
  %sum34 = add i32 %row3, %col4
  %sum40 = add i32 %row4, %col0
  %sum41 = add i32 %row4, %col1
  %sum42 = add i32 %row4, %col2
  %sum43 = add i32 %row4, %col3
  %sum44 = add i32 %row4, %col4
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %h = phi i32 [ 0, %entry ], [ %h44, %loop ]
  %m00 = mul i32 %h, 3
  %h00 = xor i32 %m00, %sum00
  %m01 = mul i32 %h00, 3
  %h01 = xor i32 %m01, %sum01
  %m02 = mul i32 %h01, 3
  %h02 = xor i32 %m02, %sum02
  %m03 = mul i32 %h02, 3
  %h03 = xor i32 %m03, %sum03
  %m04 = mul i32 %h03, 3
  %h04 = xor i32 %m04, %sum04
  %m10 = mul i32 %h04, 3
  %h10 = xor i32 %m10, %sum10
  %m11 = mul i32 %h10, 3
  %h11 = xor i32 %m11, %sum11
  %m12 = mul i32 %h11, 3
  %h12 = xor i32 %m12, %sum12
  %m13 = mul i32 %h12, 3
  %h13 = xor i32 %m13, %sum13
  %m14 = mul i32 %h13, 3
  %h14 = xor i32 %m14, %sum14
  %m20 = mul i32 %h14, 3
  %h20 = xor i32 %m20, %sum20
  %m21 = mul i32 %h20, 3
  %h21 = xor i32 %m21, %sum21
  %m22 = mul i32 %h21, 3
  %h22 = xor i32 %m22, %sum22
  %m23 = mul i32 %h22, 3
  %h23 = xor i32 %m23, %sum23
  %m24 = mul i32 %h23, 3
  %h24 = xor i32 %m24, %sum24
  %m30 = mul i32 %h24, 3
  %h30 = xor i32 %m30, %sum30
  %m31 = mul i32 %h30, 3
  %h31 = xor i32 %m31, %sum31
  %m32 = mul i32 %h31, 3
  %h32 = xor i32 %m32, %sum32
  %m33 = mul i32 %h32, 3
  %h33 = xor i32 %m33, %sum33
  %m34 = mul i32 %h33, 3
  %h34 = xor i32 %m34, %sum34
  %m40 = mul i32 %h34, 3
  %h40 = xor i32 %m40, %sum40
  %m41 = mul i32 %h40, 3
  %h41 = xor i32 %m41, %sum41
  %m42 = mul i32 %h41, 3
  %h42 = xor i32 %m42, %sum42
  %m43 = mul i32 %h42, 3
  %h43 = xor i32 %m43, %sum43
  %m44 = mul i32 %h43, 3
  %h44 = xor i32 %m44, %sum44
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %exit
exit:
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %h44, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" "nvvm.maxnreg"="24" }
