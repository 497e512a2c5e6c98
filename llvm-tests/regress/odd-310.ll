; RUN: %warpwise fuzz survive %s
; An odd module: types, instructions and attributes that no front end writes. scripts/fuzz --modules edits it further.
target triple = "nvptx64-nvidia-cuda"

@global0 = internal addrspace(1) global ptr addrspace(5) undef, align 2

define ptx_kernel void @kernel0(ptr addrspace(1) %arg0, ptr byval([16 x i32]) align 4 %arg1, <1 x bfloat> %arg2) personality ptr @__gxx_personality_v0 {
b0:
  %v1 = load <4 x i32>, ptr %arg1, align 4
  ret void
}

define ptx_kernel void @kernel1(float %arg0, <4 x i64> %arg1) personality ptr @__gxx_personality_v0 {
b0:
  %v1 = ptrtoint ptr addrspace(1) @global0 to i128
  %v2 = call ptr @llvm.stacksave.p0()
  call void @llvm.stackrestore.p0(ptr %v2)
  call void asm sideeffect "", "~{memory}"()
  %v3 = icmp ult <4 x i64> splat (i64 2147483648), %arg1
  %v4 = extractvalue { i32, i1 } zeroinitializer, 1
  store i128 %v1, ptr addrspace(1) @global0, align 2
  br label %0

0:                                                ; preds = %0, %0, %b0
  %v5 = freeze <4 x i64> %arg1
  %v6 = call i1 @llvm.ctpop.i1(i1 %v4)
  %v7 = insertvalue { i32, i1 } poison, i1 %v6, 1
  br i1 %v4, label %0, label %0
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i1 @llvm.ctpop.i1(i1) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare ptr @llvm.stacksave.p0() #1

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.stackrestore.p0(ptr) #1

declare i32 @__gxx_personality_v0(...)

declare void @may_throw(i32)

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { nocallback nofree nosync nounwind willreturn }
