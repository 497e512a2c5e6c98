; Kernels are built as they were measured to be fastest: as an alternative, as a version that the host chooses, or as they
; are. The models decide where the code is not what was measured, and where nothing was. The host's launches look for
; versions.
; RUN: %opt -passes='warpwise<tune>' -pass-remarks=warpwise -disable-output %s 2>%t.made
; RUN: sed -n 's/.*plain, fuse (code \(.*\)).*/{"kernel":"sides","hash":"\1","gpu":"sm_90","block":[64,1,1],"shared":0,"launches":100,"alternatives":[{"name":"plain","n":20,"mean":10,"m2":1},{"name":"fuse","n":20,"mean":8,"m2":1,"gain_n":20,"gain":2,"gain_m2":1}]}/p' %t.made > %t.fast
; RUN: sed -n 's/.*plain, version (code \(.*\)).*/{"kernel":"array","hash":"\1","gpu":"sm_90","block":[64,1,1],"shared":0,"launches":100,"alternatives":[{"name":"plain","n":20,"mean":10,"m2":1},{"name":"version","n":20,"mean":8,"m2":1,"gain_n":20,"gain":2,"gain_m2":1}]}/p' %t.made >> %t.fast
; RUN: %opt -passes='warpwise<choices=%t.fast>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s -o %t.ll 2>%t.remarks
; RUN: %FileCheck %s < %t.ll
; RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %opt -warpwise-choices=%t.fast -passes=warpwise -S %s | %FileCheck %s
; RUN: %warpwise simt --compare %s %t.ll --kernel array --block 64 --arg i32[1024]:random:4 --arg i32[1024]:zero
; RUN: %warpwise simt %t.ll --kernel array --block 64 --arg i32[1024]:random:4 --arg i32[1024]:zero | %FileCheck %s --check-prefix=RAN
; RUN: %warpwise tune show %t.fast | %FileCheck %s --check-prefix=SHOW
; RUN: %warpwise tune json %t.fast | %FileCheck %s --check-prefix=JSON
; RUN: %warpwise tune merge %t.fast %t.fast --output %t.twice
; RUN: %warpwise tune show %t.twice | %FileCheck %s --check-prefix=TWICE
;
; Slower: they stay as they are.
; RUN: sed 's/"gain":2/"gain":-2/' %t.fast > %t.slow
; RUN: %opt -passes='warpwise<choices=%t.slow>' -pass-remarks=warpwise -S %s 2>%t.remarks | %FileCheck %s --check-prefix=PLAIN
; RUN: %FileCheck %s --check-prefix=STAYS < %t.remarks
;
; Other code, other options: the models decide.
; RUN: sed 's/"hash":"[^"]*"/"hash":"0123456789abcdef"/' %t.fast > %t.stale
; RUN: %opt -passes='warpwise<choices=%t.stale>' -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=STALE
; RUN: %opt -passes='warpwise<choices=%t.fast;block=64>' -pass-remarks=warpwise -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=STALE
; RUN: sed 's/"fuse"/"frob"/' %t.fast > %t.frob
; RUN: %opt -passes='warpwise<choices=%t.frob>' -pass-remarks-missed=warpwise -disable-output %s 2>&1 | %FileCheck %s --check-prefix=FROB
;
; RUN: %not %opt -passes='warpwise<choices=%t.none>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=NONE
; RUN: %not %opt -passes='warpwise<choices=%s>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=BAD
; RUN: %not %warpwise tune show %s 2>&1 | %FileCheck %s --check-prefix=BAD

target triple = "nvptx64-nvidia-cuda"

; REMARK-DAG: built as 'version', which was measured to save 20.0 % of its time
; REMARK-DAG: built as 'fuse', which was measured to save 20.0 % of its time
; REMARK-DAG: divergent branch fused
; RAN: version array$v1 ran
; STAYS-COUNT-2: stays as it is: nothing was measured to be faster beyond noise
; STALE-COUNT-2: the models decide: its code, the options, the chip or warpwise are not those that were measured
; FROB: the models decide: no alternative 'frob', which was fastest, can be made
; NONE: error: {{.*}}-warpwise-choices: cannot read {{.*}}.none: No such file
; BAD: choices.ll:1 is not a line of a choice file: {{.*}}; remove the line, or measure again

; SHOW: array (code {{[0-9a-f]+}}): 'version' saves 20.0 % of its time
; SHOW-NEXT: sm_90, block 64x1x1, 0 bytes of dynamic shared memory, 100 launches
; SHOW-NEXT: plain {{ *}}10.000 us (20 rounds)
; SHOW-NEXT: version {{ *}}8.000 us (20 rounds), gains 2.000 +- 0.051 us: faster
; SHOW: sides (code
; TWICE: 200 launches
; TWICE-NEXT: (40 rounds)
; JSON: "choice": "version"

; CHECK: @"array$versions" = dso_local addrspace(1) constant [4 x i64] [i64 3616482057826816599, i64 3072,
; CHECK-NOT: $t
; CHECK: define ptx_kernel void @array(
; CHECK-NEXT: %array = alloca [24 x i32]
; PLAIN-NOT: array$v
; PLAIN: define ptx_kernel void @array(
; PLAIN-NEXT: %array = alloca [24 x i32]
define ptx_kernel void @array(ptr %in, ptr %out) #0 {
  %array = alloca [24 x i32], align 4
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr i32, ptr %in, i64 %wide
  %div.k = load i32, ptr %from, align 4
  %index = and i32 %div.k, 15
  %element = getelementptr inbounds i32, ptr %array, i32 %index
  store i32 %div.k, ptr %element, align 4
  %next = xor i32 %index, 1
  %beside = getelementptr inbounds i32, ptr %array, i32 %next
  store i32 %tid, ptr %beside, align 4
  %value = load i32, ptr %element, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  ret void
}

; fusing does not pay by the model
; CHECK: define ptx_kernel void @sides(
; CHECK-NOT: yes:
; CHECK: ret void
; PLAIN: define ptx_kernel void @sides(
; PLAIN: yes:
; PLAIN: ret void{{$}}
define ptx_kernel void @sides(ptr %in, ptr %out, <8 x i32> %v, <8 x i32> %w, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %yes, label %no

yes:
  %q = udiv i32 %t, %n
  store <8 x i32> %v, ptr %in, align 32
  br label %join

no:
  %s = udiv i32 %t, %n
  store <8 x i32> %w, ptr %out, align 32
  br label %join

join:
  %r = phi i32 [ 1, %yes ], [ 2, %no ]
  store i32 %r, ptr %out, align 4
  ret void
}

; not measured: fused by the model
; CHECK: define ptx_kernel void @pays(
; CHECK-NOT: yes:
; CHECK: ret void
; PLAIN: define ptx_kernel void @pays(
; PLAIN-NOT: yes:
; PLAIN: ret void
define ptx_kernel void @pays(ptr %in, ptr %out, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  %at.in = getelementptr i32, ptr %in, i32 %t
  %at.out = getelementptr i32, ptr %out, i32 %t
  br i1 %c, label %yes, label %no

yes:
  %q = udiv i32 %t, %n
  store i32 5, ptr %at.in, align 4
  br label %join

no:
  %s = udiv i32 %t, %n
  store i32 9, ptr %at.out, align 4
  br label %join

join:
  %r = phi i32 [ 1, %yes ], [ 2, %no ]
  store i32 %r, ptr %at.out, align 4
  ret void
}

; CHECK: define ptx_kernel void @"array$v1"(
; CHECK-NOT: alloca

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "target-cpu"="sm_90" }
