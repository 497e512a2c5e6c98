; Inline assembly with branches: lanes that part skip what no lane does together with others; loops and votes are for
; lanes that agree, and a group that does not agree is a fault by name.
; RUN: %warpwise simt %s -k apart --block 10 --arg 'i32[12]:zero' | %FileCheck %s --check-prefix=APART
; RUN: %warpwise simt %s -k apart --block 10 --arg 'i32[12]:zero' --scheduler independent:3 | %FileCheck %s --check-prefix=APART
; RUN: %warpwise simt %s -k loop --block 32 --arg 'i32[32]:zero' | %FileCheck %s --check-prefix=LOOP
; RUN: %not %warpwise simt %s -k vote --block 32 --arg 'i32[32]:zero' 2>&1 | %FileCheck %s --check-prefix=VOTE

; APART: i32[12] = 7, 7, 7, 7, 8, 10, 12, 14, 16, 18, 0, 5
; LOOP: i32[32] = 1440, 1440,
; VOTE: lanes part at a branch

target triple = "nvptx64-nvidia-cuda"

; lanes below 4 keep 7, the others get 2 * lane; lane 6 stores 5 as well
define ptx_kernel void @apart(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = call i32 asm sideeffect "{ .reg .pred p; mov.u32 $0, 7; setp.lt.u32 p, $1, 4; @p bra END; add.u32 $0, $1, $1; setp.eq.u32 p, $1, 6; @p st.global.u32 [$2+44], 5; END: }", "=&r,r,l"(i32 %t, ptr %out)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %p
  ret void
}

; 0 + 1 + … + 9 in each lane, summed over the lanes by a reduction
define ptx_kernel void @loop(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = call i32 asm sideeffect "{ .reg .b32 i<2>; .reg .pred p; mov.u32 i0, 0; mov.u32 i1, 0; TOP: add.u32 i1, i1, i0; add.u32 i0, i0, 1; setp.lt.u32 p, i0, 10; @p bra TOP; redux.sync.add.u32 $0, i1, -1; }", "=r"() convergent
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %p
  ret void
}

define ptx_kernel void @vote(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = call i32 asm sideeffect "{ .reg .pred p; mov.u32 $0, 7; setp.lt.u32 p, $1, 16; @p bra END; vote.sync.ballot.b32 $0, p, 0xffff0000; END: }", "=&r,r"(i32 %t) convergent
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
