; What may stand between the brackets of the default pipeline.
;
; RUN: %opt -passes='warpwise<block=256>' -disable-output %s
; RUN: %opt -passes='warpwise<no-fuse;block=256>' -disable-output %s
; RUN: %opt -passes='warpwise<fuse;steer;map;no-annotate;regs=64;dynamic-shared=1024;assume-restrict>' -disable-output %s
; RUN: %not %opt -passes='warpwise<no-fuse=1>' -disable-output %s 2>&1 | %FileCheck --check-prefix=VALUE %s
; RUN: %not %opt -passes='warpwise<block=0>' -disable-output %s 2>&1 | %FileCheck --check-prefix=BLOCK %s
; RUN: %not %opt -passes='warpwise<regs=256>' -disable-output %s 2>&1 | %FileCheck --check-prefix=REGS %s
; RUN: %not %opt -passes='warpwise<what>' -disable-output %s 2>&1 | %FileCheck --check-prefix=WHAT %s

; VALUE: error: warpwise: parameter 'no-fuse' of 'warpwise' takes no value, but has '1'
; BLOCK: error: warpwise: {{.*}}'0'
; REGS: error: warpwise: parameter 'regs' of 'warpwise' takes a whole number from 1 to 255, not '256'
; WHAT: error: warpwise: 'warpwise' has no parameter 'what'; it takes {{.*}}fuse{{.*}}no-fuse

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  ret void
}
