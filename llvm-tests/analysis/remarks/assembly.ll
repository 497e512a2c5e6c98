; The remark names the instruction of inline PTX at which divergence starts, and says if warpwise does not know it.
;
; RUN: %opt -passes=warpwise-remarks -pass-remarks-analysis=warpwise -disable-output %s 2>&1 | %FileCheck %s

; CHECK: branch diverges: `frobnicate.u32(n) == 0` depends on `frobnicate.u32` in inline PTX, which warpwise does not know
; CHECK: branch diverges: `shfl.sync.down.b32(n) == 0` depends on `shfl.sync.down.b32` in inline PTX{{$}}
; CHECK: branch diverges: `%smid == 0` depends on `%smid`, read by inline PTX
; CHECK: branch diverges: `lane id < 7` depends on lane id
; CHECK: branch diverges: `asm(n) == 0` depends on inline PTX that may leave a result unwritten
; CHECK-NOT: branch diverges

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(i32 %n) {
entry:
  %unknown = call i32 asm "frobnicate.u32 $0, $1;", "=r,r"(i32 %n)
  %a = icmp eq i32 %unknown, 0
  br i1 %a, label %one, label %done
one:
  %moved = call i32 asm sideeffect "shfl.sync.down.b32 $0, $1, 1, 31, -1;", "=r,r"(i32 %n) convergent
  %b = icmp eq i32 %moved, 0
  br i1 %b, label %two, label %done
two:
  %sm = call i32 asm sideeffect "mov.u32 $0, %smid;", "=r"()
  %c = icmp eq i32 %sm, 0
  br i1 %c, label %three, label %done
three:
  %lane = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %d = icmp ult i32 %lane, 7
  br i1 %d, label %four, label %done
four:
  %open = call i32 asm "{ .reg .pred p; setp.ne.u32 p, $1, 0; @p mov.u32 $0, 1; }", "=r,r"(i32 %n)
  %e = icmp eq i32 %open, 0
  br i1 %e, label %five, label %done
five:
  %known = call i32 asm "add.u32 $0, $1, 1;", "=r,r"(i32 %n)
  %f = icmp eq i32 %known, 0
  br i1 %f, label %done, label %done2
done2:
  br label %done
done:
  ret void
}
