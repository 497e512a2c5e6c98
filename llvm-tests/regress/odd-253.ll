; RUN: %warpwise fuzz survive %s
; An odd module: types, instructions and attributes that no front end writes. scripts/fuzz --modules edits it further.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@global1 = external global float, align 1
@global2 = external global fp128, align 8
@global3 = internal addrspace(3) global i128 undef, align 16

define ptx_kernel void @kernel0() personality ptr @__gxx_personality_v0 {
b0:
  %v1 = bitcast ptr @global1 to ptr
  %v2 = alloca i77, align 2
  %v3 = extractelement <3 x i32> <i32 466, i32 259, i32 470>, i32 413
  %v11 = call i32 @llvm.nvvm.read.ptx.sreg.nwarpid()
  %v4 = addrspacecast ptr %v1 to ptr addrspace(3)
  %v5 = extractvalue { i32, i1 } poison, 0
  %v6 = ptrtoint ptr addrspace(3) %v4 to i77
  %v8 = getelementptr i5, ptr null, i32 %v5
  %v9 = uitofp i32 %v5 to fp128
  %v7 = select i1 false, ptr null, ptr null
  %v10 = call i32 undef()
  call void @llvm.memcpy.p0.p0.i64(ptr %v1, ptr poison, i64 95, i1 false)
  ret void
}

define ptx_kernel void @kernel1(fp128 %arg0, { ptr addrspace(101), ptr addrspace(5) } %arg1) personality ptr @__gxx_personality_v0 {
b0:
  %v1 = select i1 false, fp128 0xL00000000000000000000000000000000, fp128 %arg0
  %v2 = fptosi fp128 %v1 to i1
  %v3 = fptosi fp128 %v1 to i1
  %v4 = extractvalue { ptr addrspace(101), ptr addrspace(5) } %arg1, 0
  %v6 = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %v7 = load { ptr addrspace(5) }, ptr addrspace(3) @global3, align 2
  %v8 = alloca i8, i32 136, align 1
  %v9 = uitofp i64 169 to double
  unreachable
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.laneid() #0

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.nwarpid() #0

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

declare i32 @__gxx_personality_v0(...)

declare void @may_throw(i32)

attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
