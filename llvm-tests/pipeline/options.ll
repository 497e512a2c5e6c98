; What brackets refuse, the command line refuses, with the same sentence.
;
; RUN: %not %opt -warpwise-regs=1000000 -passes=steer-spills -disable-output %s 2>&1 | %FileCheck %s --check-prefix=REGS
; RUN: %not %opt -passes='steer-spills<regs=1000000>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=REGS
; RUN: %not %opt -passes='fuse-branches<regs=0>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=ZERO
; RUN: %not %opt -warpwise-dynamic-shared=4000000000 -passes=steer-spills -disable-output %s 2>&1 | %FileCheck %s --check-prefix=BYTES
; RUN: %not %opt -passes='warpwise<dynamic-shared=4000000000>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=BYTES
; RUN: %not %opt -warpwise-fuse=2 -passes=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=SWITCH
; RUN: %not %opt -passes='warpwise<fuse=2>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=SWITCH
; RUN: %not %opt -warpwise-profile-generate=name:a-b -passes=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=NAME
; RUN: %not %opt -passes='divergence-map<name=a-b>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=NAME
; RUN: %not %opt -warpwise-choices= -passes=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=PATH
; RUN: %not %opt -passes='warpwise<choices>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=PATH
; RUN: %opt -warpwise-fuse=false -warpwise-off -warpwise-profile-generate=all -passes='warpwise<steer=0;no-annotate;fuse=1>' -disable-output %s

; REGS: takes a whole number from 1 to 255, not '1000000'
; ZERO: parameter 'regs' of 'fuse-branches' takes a whole number from 1 to 255, not '0'
; BYTES: takes a whole number from 0 to 232448, not '4000000000'
; SWITCH: is 0 or 1, not '2'
; NAME: takes letters, digits and underscores, not 'a-b'
; PATH: takes a path, but has none

; Options that have another name now, or are gone, are accepted, and what takes their place is said.
; RUN: %opt -warpwise-divergence-map -warpwise-map-all -warpwise-map-name=t -warpwise-remark-all -warpwise-victims=all -warpwise-hoist-grid -warpwise-whole-program -warpwise-ptxas=/no/ptxas -passes=warpwise -S %s 2>&1 | %FileCheck %s --check-prefix=FORMER
; RUN: %not %opt -warpwise-map-name=a-b -passes=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=NAME
; RUN: %opt --help-hidden | %FileCheck %s --check-prefix=HIDDEN
; RUN: %opt --help | %FileCheck %s --check-prefix=HELP

; FORMER: warning: -warpwise-divergence-map is now called -warpwise-profile-generate
; FORMER: warning: -warpwise-map-all is now -warpwise-profile-generate=all
; FORMER: warning: -warpwise-map-name is now -warpwise-profile-generate=name:SUFFIX
; FORMER: warning: -warpwise-remark-all is now -warpwise-remarks=optimal
; FORMER: warning: -warpwise-victims is now -warpwise-steer=CLASS+...
; FORMER: warning: -warpwise-hoist-grid does nothing any more
; FORMER: warning: -warpwise-whole-program does nothing any more
; FORMER: warning: -warpwise-ptxas does nothing any more
; FORMER: define ptx_kernel void @k()
; HIDDEN: --warpwise-divergence-map
; HELP-NOT: --warpwise-divergence-map
; HELP: --warpwise-profile-generate
; HELP-NOT: --warpwise-divergence-map

; An empty parameter is none, and an unknown one is answered with all there are, once.
; RUN: %not %opt -passes='steer-spills<;;>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=EMPTY
; RUN: %not %opt -passes='steer-spills<regs=32;>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=TRAILING
; RUN: %not %opt -passes='warpwise<frob>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=KNOWN
; RUN: %not %opt -passes='warpwise-remarks<frob>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=REMARKS

; EMPTY: 'steer-spills' has an empty parameter in ';;'; one ';' stands between two parameters
; TRAILING: 'steer-spills' has an empty parameter in 'regs=32;'
; KNOWN-COUNT-1: 'warpwise' has no parameter 'frob'; it takes block=X[xYxZ], unroll, no-unroll, annotate, no-annotate, fuse, no-fuse, steer, no-steer, coarsen, no-coarsen, map, no-map, regs=N, dynamic-shared=BYTES, victims=CLASS[+...], ptxas-smem, versions, tune, choices=FILE, results=same|contract, assume-restrict, limit=N{{$}}
; KNOWN-NOT: no parameter
; REMARKS: 'warpwise-remarks' has no parameter 'frob'; it takes block=X[xYxZ], optimal{{$}}

target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  ret void
}
