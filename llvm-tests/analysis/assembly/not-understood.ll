; What is not understood is divergent: control flow, unknown instructions (and every register that they name), unusual
; constraints, operands that do not fill their registers, undefined operands.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n, i16 %h, ptr %p) {
  ; CHECK: %div.branch = divergent{{$}}
  %div.branch = call i32 asm "mov.u32 $0, 1; bra.uni done; done:", "=r"()
  ; CHECK: %div.exit = divergent{{$}}
  %div.exit = call i32 asm sideeffect "mov.u32 $0, 1; exit;", "=r"()
  ; CHECK: %div.unknown = divergent{{$}}
  %div.unknown = call i32 asm "frobnicate.u32 $0, $1;", "=r,r"(i32 %n)
  ; CHECK: %div.named = divergent{{$}}
  %div.named = call i32 asm "mov.u32 $0, 1; frobnicate.u32 $1, [$0+8];", "=r,r"(i32 %n)
  ; CHECK: %uni.not.named = constant 1{{$}}
  %uni.not.named = call i32 asm "mov.u32 $0, 1; frobnicate.u32 $1, [$1+8];", "=r,r"(i32 %n)
  ; CHECK: %div.token = divergent{{$}}
  %div.token = call i64 asm sideeffect "mov.u64 $0, 0; mbarrier.arrive.expect_tx.shared.b64 $0, [$1], 8;", "=l,r"(i32 %n)
  ; CHECK: %div.scopes = divergent{{$}}
  %div.scopes = call i32 asm "{ .reg .u32 a; mov.u32 a, $1; { .reg .u32 a; mov.u32 $0, a; } }", "=r,r"(i32 %n)
  ; CHECK: %div.modifier = divergent{{$}}
  %div.modifier = call i32 asm "mov.u32 $0, ${1:x};", "=r,r"(i32 %n)
  ; CHECK: %div.memory = divergent{{$}}
  %div.memory = call i32 asm "ld.global.nc.u32 $0, [$1];", "=r,*m"(ptr elementtype(i32) %p)
  ; CHECK: %div.comment = divergent{{$}}
  %div.comment = call i32 asm "/* mov.u32 $0, 1;", "=r"()
  ; CHECK: %div.upper.bits = divergent{{$}}
  %div.upper.bits = call i32 asm "mov.b32 $0, $1;", "=r,r"(i16 %h)
  ; CHECK: %div.too.wide = divergent{{$}}
  %div.too.wide = call i64 asm "mov.u32 $0, 1;", "=r"()
  ; CHECK: %div.undefined = divergent{{$}}
  %div.undefined = call i32 asm "mov.u32 $0, $1;", "=r,r"(i32 undef)
  %sum = add i32 %n, undef
  ; CHECK: %div.sum = divergent{{$}}
  %div.sum = call i32 asm "mov.u32 $0, $1;", "=r,r"(i32 %sum)
  %given = call i32 @given()
  ; CHECK: %div.given = divergent{{$}}
  %div.given = call i32 asm "mov.u32 $0, $1;", "=r,r"(i32 %given)
  ret void
}

define internal i32 @given() {
  ret i32 undef
}
