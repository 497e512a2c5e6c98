; Behind `x == 4`, ptxas writes 4 for x and forgets that it is complemented: ~x & 7 becomes 4 & 7. What LLVM has not seen to be
; known there, because it has another width or stands in front of the branch, where the back end would take it from,
; gets its number; what is not complemented is left alone.
;
; RUN: %opt -passes=warpwise -S %s -pass-remarks=warpwise 2>%t.remarks | %FileCheck %s
; RUN: %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.remarks

; REMARK-COUNT-4: remark: {{.*}}: 4 is known here: ptxas would lose the complement of such a value
; REMARK:         remark: {{.*}}: 9 is known here: ptxas would lose the complement of such a value

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @as_a_word(
; CHECK:       then:
; CHECK-NEXT:    [[WORD:%.*]] = zext i8 4 to i32
; CHECK-NEXT:    [[NOT:%.*]] = xor i32 [[WORD]], -1
; CHECK-NEXT:    and i32 [[NOT]], %mask
define ptx_kernel void @as_a_word(ptr %out, i8 %byte, i32 %mask) {
  %word = zext i8 %byte to i32
  store volatile i32 %word, ptr %out
  %is = icmp eq i8 %byte, 4
  br i1 %is, label %then, label %done
then:
  %not = xor i32 %word, -1
  %low = and i32 %not, %mask
  store i32 %low, ptr %out
  br label %done
done:
  ret void
}

; CHECK-LABEL: @in_front(
; CHECK:         [[FRONT:%.*]] = and i32 %x, 1
; CHECK:       then:
; CHECK-NEXT:    [[ONE:%.*]] = and i32 4, 1
; CHECK-NEXT:    [[OTHER:%.*]] = xor i32 [[ONE]], 1
; CHECK-NEXT:    store i32 [[OTHER]]
define ptx_kernel void @in_front(ptr %out, i32 %x) {
  %bit = and i32 %x, 1
  %other = xor i32 %bit, 1
  %differs = icmp ne i32 %x, 4
  br i1 %differs, label %done, label %then
then:
  store i32 %other, ptr %out
  br label %done
done:
  ret void
}

; One uses the other: they stay in their order.
; CHECK-LABEL: @one_uses_the_other(
; CHECK:       then:
; CHECK-NEXT:    [[NEXT:%.*]] = or i32 4, 1
; CHECK-DAG:     [[HERE:%.*]] = or i32 %y, 4
; CHECK-DAG:     [[THERE:%.*]] = or i32 %y, [[NEXT]]
; CHECK:         [[BOTH:%.*]] = xor i32 [[THERE]], [[HERE]]
; CHECK-NEXT:    store i32 [[BOTH]]
define ptx_kernel void @one_uses_the_other(ptr %out, i32 %x, i32 %y) {
  %here = or i32 %y, %x
  %next = or i32 %x, 1
  %there = or i32 %y, %next
  %both = xor i32 %there, %here
  %is = icmp eq i32 %x, 4
  br i1 %is, label %then, label %done
then:
  store i32 %both, ptr %out
  br label %done
done:
  ret void
}

; Narrowed and complemented behind the branch.
; CHECK-LABEL: @narrowed(
; CHECK:       then:
; CHECK-NEXT:    [[LOW:%.*]] = trunc i64 4 to i32
; CHECK-NEXT:    xor i32 [[LOW]], -1
define ptx_kernel void @narrowed(ptr %out, i64 %x, i32 %mask) {
  %is = icmp eq i64 %x, 4
  br i1 %is, label %then, label %done
then:
  %word = trunc i64 %x to i32
  %not = xor i32 %word, -1
  %low = and i32 %not, %mask
  store i32 %low, ptr %out
  br label %done
done:
  ret void
}

; Two cases lead to the first block, and nothing is known there.
; CHECK-LABEL: @of_a_switch(
; CHECK:       few:
; CHECK-NEXT:    xor i32 %x, -1
; CHECK:       nine:
; CHECK-NEXT:    xor i32 9, -1
define ptx_kernel void @of_a_switch(ptr %out, i32 %x, i32 %mask) {
  switch i32 %x, label %done [ i32 4, label %few
                               i32 5, label %few
                               i32 9, label %nine ]
few:
  %not = xor i32 %x, -1
  %low = and i32 %not, %mask
  store i32 %low, ptr %out
  br label %done
nine:
  %not9 = xor i32 %x, -1
  %low9 = and i32 %not9, %mask
  store i32 %low9, ptr %out
  br label %done
done:
  ret void
}

; CHECK-LABEL: @plain(
; CHECK:       then:
; CHECK-NEXT:    and i32 %x, %mask
define ptx_kernel void @plain(ptr %out, i32 %x, i32 %mask) {
  %is = icmp eq i32 %x, 4
  br i1 %is, label %then, label %done
then:
  %low = and i32 %x, %mask
  store i32 %low, ptr %out
  br label %done
done:
  ret void
}
