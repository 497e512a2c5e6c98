; Arrays that loops of constant trip count index become registers: the loops are unrolled, one in the other and through a pointer, too.
; RUN: %opt -passes=free-arrays -S %s | %FileCheck %s --implicit-check-not=alloca --implicit-check-not=phi
; RUN: %opt -passes=free-arrays -disable-output -pass-remarks=warpwise -pass-remarks-missed=warpwise %s 2>&1 | %FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
; RUN: %opt -passes='default<O2>' -S %s | %FileCheck %s --check-prefix=DEFAULT --implicit-check-not=alloca
; RUN: %opt -passes='default<O2>' -warpwise-arrays=0 -S %s | %FileCheck %s --check-prefix=OFF
; RUN: %opt -passes='default<O1>' -S %s | %FileCheck %s --check-prefix=OFF
; DEFAULT: ptx_kernel void @one(
; OFF: ptx_kernel void @one(
; OFF: alloca
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK: remark: {{.*}} 2 loops unrolled completely, {{[0-9]+}} instructions afterwards: a stack object of 320 bytes can be in registers (about {{[0-9]+}} instead of {{[0-9]+}})
; CHECK-LABEL: @one(
; CHECK-COUNT-40: load double
; CHECK-COUNT-40: store double
define ptx_kernel void @one(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %a = alloca [40 x double]
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %from = getelementptr double, ptr addrspace(1) %in, i32 %i
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr [40 x double], ptr %a, i32 0, i32 %i
  store double %x, ptr %to
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 40
  br i1 %more, label %fill, label %middle
middle:
  br label %use
use:
  %j = phi i32 [ 0, %middle ], [ %j.next, %use ]
  %back = sub nuw nsw i32 39, %j
  %of = getelementptr [40 x double], ptr %a, i32 0, i32 %back
  %y = load double, ptr %of
  %into = getelementptr double, ptr addrspace(1) %out, i32 %j
  store double %y, ptr addrspace(1) %into
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 40
  br i1 %again, label %use, label %done
done:
  ret void
}

; REMARK: remark: {{.*}} 3 loops unrolled completely, {{[0-9]+}} instructions afterwards: a stack object of 48 bytes can be in registers
; CHECK-LABEL: @nested(
; CHECK-COUNT-6: load double
; CHECK-COUNT-6: store double
define ptx_kernel void @nested(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %a = alloca [2 x [3 x double]]
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %row ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %row.at = mul nuw nsw i32 %i, 3
  %at = add nuw nsw i32 %row.at, %j
  %from = getelementptr double, ptr addrspace(1) %in, i32 %at
  %x = load double, ptr addrspace(1) %from
  %to = getelementptr [2 x [3 x double]], ptr %a, i32 0, i32 %i, i32 %j
  store double %x, ptr %to
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 3
  br i1 %more, label %inner, label %row
row:
  %i.next = add nuw nsw i32 %i, 1
  %rows = icmp ult i32 %i.next, 2
  br i1 %rows, label %outer, label %middle
middle:
  br label %use
use:
  %k = phi i32 [ 0, %middle ], [ %k.next, %use ]
  %p = phi ptr [ %a, %middle ], [ %p.next, %use ]
  %y = load double, ptr %p
  %p.next = getelementptr i8, ptr %p, i32 8
  %into = getelementptr double, ptr addrspace(1) %out, i32 %k
  store double %y, ptr addrspace(1) %into
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 6
  br i1 %again, label %use, label %done
done:
  ret void
}
