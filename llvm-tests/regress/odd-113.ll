; RUN: %warpwise fuzz survive %s
; An odd module: types, instructions and attributes that no front end writes. scripts/fuzz --modules edits it further.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@global0 = external global i128, align 2

define internal i8 @device0(ptr addrspace(3) %arg0, fp128 %arg1, { bfloat } %arg2) personality ptr @__gxx_personality_v0 {
b0:
  %v1 = icmp eq ptr null, @global0
  ret i8 39
}

; Function Attrs: nounwind willreturn
define ptx_kernel void @kernel0() #0 personality ptr @__gxx_personality_v0 {
b0:
  %v1 = add i32 279, 147
  %v2 = icmp ne i32 %v1, 383
  store i32 %v1, ptr @global0, align 8
  unreachable
}

; Function Attrs: convergent
define ptx_kernel void @kernel1(i1 %arg0, [3 x { i77 }] %arg1, <1 x fp128> %arg2, float %arg3, i5 %arg4) #1 personality ptr @__gxx_personality_v0 {
b0:
  %v1 = shl i1 %arg0, %arg0
  call void @llvm.memmove.p0.p0.i64(ptr @global0, ptr @global0, i64 16, i1 false)
  store volatile <1 x fp128> %arg2, ptr @global0, align 8
  %v2 = zext i1 %v1 to i127
  br label %b1

b1:                                               ; preds = %b4, %b4, %b3, %b1, %b0
  %v3 = phi <4 x ptr> [ zeroinitializer, %b0 ], [ %v3, %b1 ], [ <ptr poison, ptr poison, ptr undef, ptr null>, %b3 ], [ poison, %b4 ], [ poison, %b4 ]
  %v4 = getelementptr nusw i5, ptr @global0, i32 109
  %v5 = ptrtoint ptr %v4 to i64
  store i5 %arg4, ptr poison, align 2
  %v6 = getelementptr inbounds i16, ptr %v4, i32 166
  %v7 = load i33, ptr null, align 8
  %v8 = call i8 @device0(ptr addrspace(3) null, fp128 0xL00000000000000000000000000000000, { bfloat } undef)
  %v9 = shufflevector <1 x fp128> %arg2, <1 x fp128> %arg2, <3 x i32> zeroinitializer
  %v10 = insertvalue [3 x { i77 }] %arg1, { i77 } undef, 1
  %v11 = icmp ult i1 %v1, %v1
  br label %b1

b2:                                               ; preds = %b3, %b2
  %v12 = phi bfloat [ %v12, %b2 ], [ 0xRC000, %b3 ]
  %v13 = phi i77 [ %v13, %b2 ], [ -1, %b3 ]
  %v14 = getelementptr inbounds i77, ptr poison, i8 88
  %v15 = getelementptr ptr addrspace(7), ptr %v14, i64 429
  %v16 = call i8 @device0(ptr addrspace(3) undef, fp128 0xL00000000000000000000000000000000, { bfloat } zeroinitializer)
  %v17 = ptrtoint ptr @global0 to i1
  %v18 = fdiv bfloat %v12, 0xRC000
  %v19 = select i1 %v17, [3 x { i77 }] %arg1, [3 x { i77 }] %arg1
  call void @llvm.assume(i1 true) [ "align"(ptr @global0, i64 16) ]
  br i1 %v17, label %b2, label %b4

b3:                                               ; preds = %b5
  %v20 = phi float [ %arg3, %b5 ]
  %v21 = phi <{}> [ poison, %b5 ]
  %v22 = phi i64 [ 63, %b5 ]
  %v23 = getelementptr inbounds double, ptr @global0, i8 -1
  %v24 = freeze i1 %v1
  %v25 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %v26 = insertelement <1 x fp128> %arg2, fp128 0xL00000000000000000000000000000000, i32 3
  %v27 = load <1 x i32>, ptr %v23, align 4
  %v28 = icmp sgt ptr @global0, @global0
  %v29 = load volatile ptr addrspace(101), ptr @global0, align 2
  %v30 = alloca [16 x i32], align 4
  call void @llvm.lifetime.start.p0(ptr %v30)
  %v31 = udiv i1 %v24, %v1
  %v32 = extractvalue [3 x { i77 }] undef, 0
  br i1 %v1, label %b1, label %b2

b4:                                               ; preds = %b2
  %v33 = phi i64 [ 181, %b2 ]
  %v34 = phi [4 x <{}>] [ zeroinitializer, %b2 ]
  %v35 = phi { i5, i64, i127 } [ undef, %b2 ]
  br i1 %v1, label %b1, label %b1

b5:                                               ; No predecessors!
  %v36 = alloca <5 x i32>, align 128
  invoke void @may_throw(i32 306)
          to label %b3 unwind label %catch5

catch5:                                           ; preds = %b5
  %v37 = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %v37
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #4

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #5

declare i32 @__gxx_personality_v0(...)

declare void @may_throw(i32)

attributes #0 = { nounwind willreturn }
attributes #1 = { convergent }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
