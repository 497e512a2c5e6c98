; A copy of a by-value argument stays a copy if it is written or shares its place with anything else, if the argument is
; written or its address leaves the function, and if the copy is larger than what is known to be there.
; RUN: %opt -passes=steer-spills -verify-each -S -pass-remarks=warpwise %s 2>%t | %FileCheck %s
; RUN: %FileCheck --check-prefix=SAID --allow-empty %s < %t

target triple = "nvptx64-nvidia-cuda"

%Params = type { [16 x float] }

; SAID-NOT: by-value argument
; CHECK-LABEL: define ptx_kernel void @copy_written
; CHECK:       alloca
; CHECK:       memcpy
define ptx_kernel void @copy_written(ptr byval(%Params) align 4 %p, ptr %out, i64 %i, i64 %j) #0 {
  %copy = alloca %Params, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %copy, ptr align 4 %p, i64 64, i1 false)
  %to = getelementptr inbounds float, ptr %copy, i64 %j
  store float 1.0, ptr %to, align 4
  %at = getelementptr inbounds float, ptr %copy, i64 %i
  %value = load float, ptr %at, align 4
  store float %value, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @argument_written
; CHECK:       alloca
; CHECK:       memcpy
define ptx_kernel void @argument_written(ptr byval(%Params) align 4 %p, ptr %out, i64 %i) #0 {
  %copy = alloca %Params, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %copy, ptr align 4 %p, i64 64, i1 false)
  store float 1.0, ptr %p, align 4
  %at = getelementptr inbounds float, ptr %copy, i64 %i
  %value = load float, ptr %at, align 4
  store float %value, ptr %out, align 4
  ret void
}

; An argument is not in local memory, as the cast would say.
; CHECK-LABEL: define ptx_kernel void @local_address
; CHECK:       alloca
; CHECK:       memcpy
define ptx_kernel void @local_address(ptr byval(%Params) align 4 "nvvm.grid_constant" %p, ptr %out, i64 %i) #0 {
  %copy = alloca %Params, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %copy, ptr align 4 %p, i64 64, i1 false)
  %local = addrspacecast ptr %copy to ptr addrspace(5)
  %at = getelementptr inbounds float, ptr addrspace(5) %local, i64 %i
  %value = load float, ptr addrspace(5) %at, align 4
  store float %value, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @argument_escapes
; CHECK:       alloca
; CHECK:       memcpy
define ptx_kernel void @argument_escapes(ptr byval(%Params) align 4 %p, ptr %out, i64 %i) #0 {
  %copy = alloca %Params, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %copy, ptr align 4 %p, i64 64, i1 false)
  call void @changes(ptr %p)
  %at = getelementptr inbounds float, ptr %copy, i64 %i
  %value = load float, ptr %at, align 4
  store float %value, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @two_arguments
; CHECK:       alloca
; CHECK:       memcpy
define ptx_kernel void @two_arguments(ptr byval(%Params) align 4 %p, ptr byval(%Params) align 4 %q, ptr %out, i64 %i) #0 {
  %copy = alloca %Params, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %copy, ptr align 4 %p, i64 32, i1 false)
  %rest = getelementptr inbounds i8, ptr %copy, i64 32
  %other = getelementptr inbounds i8, ptr %q, i64 32
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %rest, ptr align 4 %other, i64 32, i1 false)
  %at = getelementptr inbounds float, ptr %copy, i64 %i
  %value = load float, ptr %at, align 4
  store float %value, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @shifted
; CHECK:       alloca
; CHECK:       memcpy
define ptx_kernel void @shifted(ptr byval(%Params) align 4 %p, ptr %out, i64 %i) #0 {
  %copy = alloca %Params, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %copy, ptr align 4 %p, i64 32, i1 false)
  %rest = getelementptr inbounds i8, ptr %copy, i64 32
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %rest, ptr align 4 %p, i64 32, i1 false)
  %at = getelementptr inbounds float, ptr %copy, i64 %i
  %value = load float, ptr %at, align 4
  store float %value, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @larger
; CHECK:       alloca
; CHECK:       memcpy
define ptx_kernel void @larger(ptr byval(%Params) align 4 %p, ptr %out, i64 %i) #0 {
  %copy = alloca [17 x float], align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %copy, ptr align 4 %p, i64 64, i1 false)
  %at = getelementptr inbounds float, ptr %copy, i64 %i
  %value = load float, ptr %at, align 4
  store float %value, ptr %out, align 4
  ret void
}

; The pointer is no by-value argument: another thread may write there.
; CHECK-LABEL: define ptx_kernel void @by_pointer
; CHECK:       alloca
; CHECK:       memcpy
define ptx_kernel void @by_pointer(ptr %p, ptr %out, i64 %i) #0 {
  %copy = alloca %Params, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %copy, ptr align 4 %p, i64 64, i1 false)
  %at = getelementptr inbounds float, ptr %copy, i64 %i
  %value = load float, ptr %at, align 4
  store float %value, ptr %out, align 4
  ret void
}

declare void @changes(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

attributes #0 = { "target-cpu"="sm_90" }
