; A branch outside loops: who is there, who goes where, and one addition for the warp.
; RUN: %opt -passes='divergence-map<name=t>' -S %s | %FileCheck %s
; RUN: %opt -passes='divergence-map<name=t>' -S %s -o %t.ll
; RUN: %warpwise simt %t.ll --block 50 --arg 'i32[64]:zero' --recount --save-map %t.map | %FileCheck %s --check-prefix=RECOUNT
; RUN: %warpwise map show %t.map | %FileCheck %s --check-prefix=SHOW
; RUN: %warpwise simt --compare %s %t.ll --block 50 --arg 'i32[64]:zero' | %FileCheck %s --check-prefix=SAME

; CHECK-DAG: @__warpwise_map_t_counters = dso_local addrspace(1) global [{{[0-9]+}} x i64] zeroinitializer
; CHECK-DAG: @__warpwise_map_t_table = dso_local addrspace(1) global [{{[0-9]+}} x i8] c"WARPTBL3
; CHECK-DAG: @__warpwise_map_t = dso_local addrspace(1) constant { ptr addrspace(1), ptr addrspace(1), i64, i64 } { ptr addrspace(1) @__warpwise_map_t_counters, ptr addrspace(1) @__warpwise_map_t_table,
; CHECK-DAG: @__warpwise_map = weak dso_local addrspace(1) constant
; CHECK: asm sideeffect "{{.*}}mov.u32 $0, %lanemask_lt;{{.*}}mad.wide.u32 $1, x, 128, $2;{{.*}}mov.u32 x, %tid.x;{{.*}}@p red.global.add.u64 [$2+$3], w;{{.*}}@q red.global.add.u64 [$2+$5], w;{{.*}}", "=&r,=&l,l,n,r,n,~{memory}"(ptr addrspace(1) @__warpwise_map_t_counters, i32 0, i32 %{{[0-9]+}}, i32 8)
; CHECK: asm sideeffect "{{.*}}activemask.b32 m;\0A@$0 activemask.b32 b;\0A@!$0 activemask.b32 b;{{.*}}@t red.global.add.u64 [a+$3], w;{{.*}}", "b,r,l,n,n,n,n,~{memory}"(i1 %c, i32 %{{[0-9]+}}, i64 %{{[0-9]+}}, i32 32, i32 40, i32 48, i32 56)
; CHECK-NEXT: br i1 %c, label %a, label %b

; RECOUNT: 1 branches were counted as the machine saw them
; SHOW: k 1 1 1 0 2 1 50.0 %
; SHOW: (no line) k %entry 2 1 50.0 % 7.0
; SAME: equal under the lockstep scheduler

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %c = icmp ult i32 %t, 20
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %p
  br label %b
b:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
