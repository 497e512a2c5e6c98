; Twenty-five products that a loop adds up, as in remat-sums.ll: made where they are used, each would become one multiply-add with
; its sum, which rounds once, not twice. So they stay; sums do not.
; RUN: sed -e 's/add i32 %%row/OP float %%row/; s/xor i32/fadd contract float/; s/mul i32 \(%%h[0-9]*\), 3/fneg float \1/' %S/remat-sums.ll \
; RUN:   -e 's/%%h = phi i32 \[ 0/%%h = phi float [ 0.0/; s/load i32/load float/; s/store i32/store float/' > %t.ll
; RUN: sed 's/OP/fmul contract/' %t.ll | %opt -passes=steer-spills -pass-remarks=warpwise -disable-output 2>&1 | %FileCheck %s --check-prefix=PRODUCTS --allow-empty
; RUN: sed 's/OP/fadd contract/' %t.ll | %opt -passes=steer-spills -pass-remarks=warpwise -disable-output 2>&1 | %FileCheck %s
; PRODUCTS-NOT: rematerialised
; CHECK: rematerialised at their uses
