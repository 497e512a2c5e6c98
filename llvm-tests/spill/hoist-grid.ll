; What all threads of the grid would repeat is computed by the first thread of each block: a new entry block, which takes
; the stack objects along, a barrier, and a load of each result. `noundef` is taken back, since the first thread computes
; what perhaps no thread would have. What is cheaper than a load stays. Only with -warpwise-hoist-grid.
;
; RUN: %opt -passes='steer-spills<hoist-grid>' -S -pass-remarks=warpwise %s 2>&1 | %FileCheck %s
; RUN: %opt -passes=steer-spills -warpwise-hoist-grid -S %s | %FileCheck %s --check-prefix=OPTION
; RUN: %opt -passes=steer-spills -S %s | %FileCheck %s --check-prefix=OFF
; OFF-NOT: warpwise.once
; OPTION: warpwise.once
; RUN: %opt -passes='steer-spills<hoist-grid>' %s -o %t.bc && %llc -mcpu=sm_90 %t.bc -o %t.ptx
; RUN: %FileCheck %s --check-prefix=PTX --input-file=%t.ptx
; PTX: bar{{(rier)?}}.{{(cta.)?}}sync
; RUN: %opt -passes='steer-spills<hoist-grid>' -S %s -o %t.ll
; RUN: %warpwise simt --compare %s %t.ll -k plain --grid 3 --block 64x2 --arg 'f32[64]:zero' --arg i32:192 --arg f32:2.5 | %FileCheck %s --check-prefix=SAME
; RUN: %warpwise simt %t.ll -k plain --grid 3 --block 64x2 --arg 'f32[64]:zero' --arg i32:192 --arg f32:2.5 --race
; SAME: {{.}}

; CHECK: remark: {{.*}}6 instructions that all threads of the grid would repeat are executed by one thread of each block: 2 results in 8 bytes of shared memory, {{[0-9]+}} instead of {{[0-9]+}} issue cycles of a warp (not measured)
; CHECK: @warpwise_grid_shared = internal addrspace(3) global [8 x i8] poison, align 16
; CHECK-LABEL: define ptx_kernel void @shared(
; CHECK-NEXT:  warpwise.first:
; CHECK-NEXT:    %stack = alloca [8 x i32]
; CHECK:         %[[X:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK:         %[[Y:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; CHECK:         %[[IS:.*]] = icmp eq i32 %{{.*}}, 0
; CHECK-NEXT:    br i1 %[[IS]], label %warpwise.once, label %entry
; CHECK:       warpwise.once:
; CHECK:         udiv i32 %n,
; CHECK:         call float @llvm.sqrt.f32(float %{{.*}})
; CHECK:         store float %{{.*}}, ptr addrspace(3) {{.*}}@warpwise_grid_shared
; CHECK:         br label %entry
; CHECK:       entry:
; CHECK-NEXT:    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK:         %warpwise.shared = load float, ptr addrspace(3)
; CHECK-NOT:     fdiv
; CHECK:         fadd float %x, 1.0
; CHECK-NOT:     fdiv
; CHECK:         ret void

target triple = "nvptx64-nvidia-cuda"

%P = type { float, float, i32 }

define ptx_kernel void @shared(ptr noalias %p, ptr noundef readonly byval(%P) align 4 captures(none) %s, i32 %n, float %x) #0 {
entry:
  %stack = alloca [8 x i32]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %part = udiv i32 %n, %blocks
  %f = uitofp i32 %part to float
  %bp = getelementptr i8, ptr %s, i64 4
  %b = load float, ptr %bp
  %q = fdiv float %x, %f
  %in = icmp ult i32 %t, %n
  br i1 %in, label %go, label %end
go:
  %r = call noundef float @llvm.sqrt.f32(float noundef %q)
  %d = fdiv float %r, %b
  %e = fdiv float %b, %q
  %tf = uitofp i32 %t to float
  %scaled = fmul float %d, %tf
  %less = fadd float %x, 1.0
  %more = fadd float %scaled, %less
  %most = fadd float %more, %e
  %slot = getelementptr i32, ptr %stack, i32 1
  store volatile i32 %t, ptr %slot
  %at = getelementptr float, ptr %p, i32 %t
  store float %most, ptr %at
  br label %end
end:
  ret void
}

define ptx_kernel void @plain(ptr noalias %p, i32 %n, float %x) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %go, label %end
go:
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %f = uitofp i32 %blocks to float
  %q = fdiv float %x, %f
  %r = call noundef float @llvm.sqrt.f32(float noundef %q)
  %d = fdiv float %r, %x
  %e = fdiv float %q, %d
  %g = call float @llvm.sqrt.f32(float %e)
  %h = fdiv float %g, %q
  %tf = uitofp i32 %t to float
  %scaled = fmul float %h, %tf
  %at = getelementptr float, ptr %p, i32 %t
  store float %scaled, ptr %at
  br label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare float @llvm.sqrt.f32(float)
attributes #0 = { "target-cpu"="sm_90" "nvvm.maxntid"="256" }
