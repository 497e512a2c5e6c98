; Votes, reductions and shuffles in inline PTX follow the rules of the intrinsics, if the call is convergent.
;
; RUN: %opt -passes='print<affine-divergence>' -disable-output %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: affine divergence for 'k'
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = mul i32 %t, %t
  ; CHECK: %uni.any = uniform warp{{$}}
  %uni.any = call i32 asm sideeffect "{ .reg .pred p, q; setp.ne.u32 p, $1, 0; vote.sync.any.pred q, p, -1; selp.u32 $0, 1, 0, q; }", "=r,r"(i32 %x) convergent
  ; CHECK: %uni.ballot = uniform warp{{$}}
  %uni.ballot = call i32 asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $1, 0; vote.ballot.sync.b32 $0, !p, $2; }", "=r,r,r"(i32 %x, i32 %n) convergent
  ; CHECK: %div.moved = divergent{{$}}
  %div.moved = call i32 asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $1, 0; vote.sync.ballot.b32 $0, p, -1; }", "=r,r"(i32 %x)
  ; CHECK: %div.members = divergent{{$}}
  %div.members = call i32 asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $1, 0; vote.sync.ballot.b32 $0, p, $1; }", "=r,r"(i32 %x) convergent
  ; CHECK: %div.no.mask = divergent{{$}}
  %div.no.mask = call i32 asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $1, 0; vote.ballot.b32 $0, p; }", "=r,r"(i32 %x) convergent
  ; CHECK: %uni.redux = uniform warp{{$}}
  %uni.redux = call i32 asm sideeffect "redux.sync.add.s32 $0, $1, -1;", "=r,r"(i32 %x) convergent
  ; CHECK: %uni.match = uniform warp{{$}}
  %uni.match = call i32 asm sideeffect "{ .reg .pred p; match.all.sync.b32 $0|p, $1, -1; }", "=r,r"(i32 %x) convergent
  ; CHECK: %div.match = divergent{{$}}
  %div.match = call i32 asm sideeffect "match.any.sync.b32 $0, $1, -1;", "=r,r"(i32 %x) convergent
  ; CHECK: %div.active = divergent{{$}}
  %div.active = call i32 asm sideeffect "activemask.b32 $0;", "=r"() convergent
  ; CHECK: %uni.shuffle = uniform warp{{$}}
  %uni.shuffle = call i32 asm sideeffect "shfl.sync.idx.b32 $0, $1, $2, $3, -1;", "=r,r,r,r"(i32 %x, i32 %n, i32 31) convergent
  ; CHECK: %div.segment = divergent{{$}}
  %div.segment = call i32 asm sideeffect "shfl.sync.idx.b32 $0, $1, 0, 0x101f, -1;", "=r,r"(i32 %x) convergent
  ; CHECK: %div.lane = divergent{{$}}
  %div.lane = call i32 asm sideeffect "shfl.sync.idx.b32 $0, $1, $1, 31, -1;", "=r,r"(i32 %x) convergent
  ; CHECK: %div.down = divergent{{$}}
  %div.down = call i32 asm sideeffect "shfl.sync.down.b32 $0, $1, 1, 31, -1;", "=r,r"(i32 %n) convergent
  ; CHECK: %uni.barrier = uniform block{{$}}
  %uni.barrier = call i32 asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $1, 0; bar.red.popc.u32 $0, 0, p; }", "=r,r"(i32 %x) convergent
  ; CHECK: %uni.part = uniform warp{{$}}
  %uni.part = call i32 asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $1, 0; bar.red.popc.u32 $0, 1, 64, p; }", "=r,r"(i32 %x) convergent
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
