; RUN: %warpwise fuzz survive %s
; An odd module: types, instructions and attributes that no front end writes. scripts/fuzz --modules edits it further.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@global0 = internal addrspace(1) global i1 false, align 1
@global1 = external addrspace(4) global i77, align 16
@global2 = internal addrspace(4) constant ptr null, align 2

define void @device0(<1 x i1> %arg0, target("spirv.Event") %arg1, double %arg2) personality ptr @__gxx_personality_v0 {
b0:
  %v1 = icmp ult ptr addrspace(4) poison, @global2
  %v2 = select i1 %v1, ptr addrspace(4) undef, ptr addrspace(4) @global1
  store volatile i32 63, ptr addrspace(4) %v2, align 4
  %v3 = getelementptr i32, ptr poison, <2 x i64> <i64 1, i64 3>
  %v4 = icmp uge ptr addrspace(4) %v2, %v2
  %v5 = insertelement <3 x i32> undef, i32 506, i32 2
  %v6 = fcmp ord double %arg2, %arg2
  br label %b1

b1:                                               ; preds = %b7, %b3, %b0
  %v7 = phi bfloat [ poison, %b0 ], [ 0xR3F00, %b3 ], [ poison, %b7 ]
  %v8 = zext nneg i1 true to i33
  %v9 = getelementptr <vscale x 2 x i32>, ptr addrspace(4) @global2, i64 -1
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.memcpy.p0.p0.i64(ptr poison, ptr undef, i64 -9223372036854775808, i1 false)
  %v10 = extractelement <3 x i32> %v5, i32 2
  br i1 %v1, label %b7, label %b8

b2:                                               ; preds = %b2
  %v11 = phi { i32 } [ undef, %b2 ]
  %v12 = phi [2 x <3 x i16>] [ %v12, %b2 ]
  %v13 = phi [1 x i64] [ %v13, %b2 ]
  %v14 = phi float [ %v14, %b2 ]
  %v15 = select i1 %v1, ptr addrspace(4) %v2, ptr addrspace(4) undef
  store volatile <2 x ptr> %v3, ptr addrspace(4) @global1, align 1
  br i1 %v6, label %b2, label %b4

b3:                                               ; No predecessors!
  br label %b1

b4:                                               ; preds = %b8, %b6, %b4, %b2
  %v16 = phi <3 x i77> [ <i77 503, i77 289, i77 272>, %b2 ], [ <i77 63, i77 285, i77 271>, %b4 ], [ <i77 252, i77 347, i77 63>, %b6 ], [ zeroinitializer, %b8 ]
  call void @llvm.memmove.p0.p0.i64(ptr null, ptr undef, i64 16, i1 false)
  %v17 = load i8, ptr null, align 2, !range !0
  %v18 = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %v6)
  %v19 = icmp slt <2 x ptr> %v3, %v3
  %v20 = load float, ptr null, align 8
  %v21 = insertelement <3 x i77> %v16, i77 -1, i32 3
  %v22 = sub nsw <2 x i1> %v19, %v19
  %v23 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v18, i32 %v18, i32 31)
  %v24 = inttoptr i1 %v1 to ptr addrspace(1)
  br i1 %v4, label %b4, label %b8

b5:                                               ; No predecessors!
  %v25 = uitofp i64 169 to half
  %v26 = inttoptr i64 111 to ptr addrspace(101)
  %v27 = select <3 x i1> <i1 poison, i1 true, i1 false>, <3 x i32> %v5, <3 x i32> %v5
  %v28 = fadd half %v25, %v25
  %v29 = atomicrmw uinc_wrap ptr addrspace(4) @global1, i8 110 seq_cst, align 1
  %v30 = load i16, ptr null, align 2
  %v31 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v32 = icmp ult <3 x i32> %v27, %v5
  %v33 = freeze i16 %v30
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  musttail call void @device0(<1 x i1> zeroinitializer, target("spirv.Event") %arg1, double %arg2)
  ret void

b6:                                               ; No predecessors!
  %v35 = insertvalue { i32, i1 } zeroinitializer, i32 -1, 0
  %v36 = mul i1 poison, %v6
  %v37 = extractelement <3 x i32> %v5, i32 0
  br i1 false, label %b7, label %b4, !unpredictable !1

b7:                                               ; preds = %b8, %b6, %b1
  %v38 = phi ptr addrspace(7) [ null, %b1 ], [ poison, %b6 ], [ null, %b8 ]
  %v39 = phi [4 x i64] [ poison, %b1 ], [ poison, %b6 ], [ undef, %b8 ]
  %v40 = phi <vscale x 2 x i32> [ poison, %b1 ], [ poison, %b6 ], [ undef, %b8 ]
  %v41 = load i32, ptr addrspace(1) null, align 1
  %v42 = icmp uge <1 x i1> %arg0, %arg0
  call void @llvm.assume(i1 true) [ "align"(ptr poison, i64 16) ]
  %v43 = fdiv double %arg2, %arg2
  indirectbr ptr blockaddress(@device0, %b1), [label %b1]

b8:                                               ; preds = %b4, %b1
  %v44 = phi i127 [ 474, %b1 ], [ poison, %b4 ]
  %v45 = call i32 @llvm.nvvm.read.ptx.sreg.nwarpid()
  %v46 = call i32 @llvm.nvvm.read.ptx.sreg.nwarpid()
  %v47 = shufflevector <2 x ptr> %v3, <2 x ptr> <ptr undef, ptr poison>, <3 x i32> <i32 3, i32 3, i32 2>
  %v48 = getelementptr <{ double, i64 }>, ptr addrspace(1) @global0, i128 95, i32 1
  %v49 = select i1 %v4, ptr addrspace(4) @global2, ptr addrspace(4) @global1
  call void @llvm.memset.p0.i64(ptr null, i8 99, i64 378, i1 false)
  %v50 = alloca <vscale x 2 x i32>, align 128
  %v51 = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %v52 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %v53 = cmpxchg ptr addrspace(4) %v49, i32 97, i32 %v51 monotonic monotonic, align 4
  %v54 = call ptr @llvm.stacksave.p0()
  call void @llvm.stackrestore.p0(ptr %v54)
  %v55 = load half, ptr %v54, align 4
  br i1 %v4, label %b7, label %b4, !prof !2
}

define ptx_kernel void @kernel0() personality ptr @__gxx_personality_v0 {
b0:
  %v2 = shl nuw i32 -2147483648, 31
  %v3 = load half, ptr addrspace(4) @global2, align 16
  %v4 = mul i32 -2147483648, undef
  %v1 = mul i32 292, 324
  %v5 = fdiv float -0.000000e+00, 5.000000e-01
  %v6 = and i32 %v1, %v1
  unreachable
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #0

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt() #0

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.nwarpid() #0

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #0

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare ptr @llvm.stacksave.p0() #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #4

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #4

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #5

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.bar.warp.sync(i32) #6

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #6

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.stackrestore.p0(ptr) #2

declare i32 @__gxx_personality_v0(...)

declare void @may_throw(i32)

attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind willreturn }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #4 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #6 = { convergent nocallback nounwind }

!0 = !{i8 0, i8 100}
!1 = !{}
!2 = !{!"branch_weights", i32 1, i32 9}
