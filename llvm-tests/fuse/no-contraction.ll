; The back end makes a product and the sum that uses it one multiply-add if both are in one block, and ptxas does so wherever
; they are if nothing else uses the product. Melding must not change which: results would differ in the last bit. So what is one
; for sure is written as one, and functions where that is not sure stay.
; RUN: %opt -passes='fuse-branches<always;results=contract>' -S %s | %FileCheck %s --check-prefix=ANY
; RUN: %opt -passes='fuse-branches<always>' -verify-each -pass-remarks=warpwise -pass-remarks-missed=warpwise -S %s 2>&1 | %FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: divergent branch not fused: other products and sums could become multiply-adds
; CHECK-LABEL: define ptx_kernel void @parted(
; CHECK: fadd contract double %x, %a
; CHECK-NEXT: %sum = call double @llvm.fma.f64(double %x, double %a, double %b)
; CHECK-NEXT: select i1 %odd, double %sum,
; CHECK-LABEL: define ptx_kernel void @joined(
; CHECK: br i1 %odd
; CHECK-LABEL: define ptx_kernel void @replaced(
; CHECK: br i1 %odd
; CHECK-LABEL: define ptx_kernel void @met(
; CHECK: br i1 %odd
; CHECK-LABEL: define ptx_kernel void @alike(
; CHECK: br i1 %odd
; CHECK-LABEL: define ptx_kernel void @both(
; CHECK-NOT: br i1
; CHECK: call double @llvm.fma.f64(
; CHECK-NOT: fadd
; CHECK-LABEL: define ptx_kernel void @narrowed(
; CHECK: br i1 %odd
; CHECK-LABEL: define ptx_kernel void @compared(
; CHECK: call {{.*}} @llvm.fma
; CHECK-LABEL: define ptx_kernel void @approximate(
; CHECK: br i1 %odd
; CHECK-LABEL: define ptx_kernel void @exact(
; CHECK-NOT: br i1
; CHECK-LABEL: define ptx_kernel void @told(
; CHECK: br i1 %odd
; CHECK-LABEL: define ptx_kernel void @stored(
; CHECK: br i1 %odd
; CHECK-LABEL: define ptx_kernel void @moved(
; CHECK: br i1 %odd
; CHECK-LABEL: define ptx_kernel void @halves(
; CHECK: br i1 %odd

; ANY-NOT: br i1 %odd
define ptx_kernel void @parted(ptr %out, double %a, double %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr double, ptr %out, i32 %t
  %x = load double, ptr %to
  br i1 %odd, label %yes, label %no
yes:
  %product = fmul contract double %x, %a
  %sum = fadd contract double %product, %b
  %r1 = fdiv double %sum, %a
  br label %join
no:
  %other = fadd contract double %x, %a
  %r2 = fdiv double %other, %b
  br label %join
join:
  %r = phi double [ %r1, %yes ], [ %r2, %no ]
  store double %r, ptr %to
  ret void
}

; The product before the branch and the sums of the sides would come into one block; it is stored, too, so that ptxas does not
; join them.
define ptx_kernel void @joined(ptr %out, double %a, double %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr double, ptr %out, i32 %t
  %x = load double, ptr %to
  %product = fmul contract double %x, %a
  store volatile double %product, ptr %out
  br i1 %odd, label %yes, label %no
yes:
  %sum = fadd contract double %product, %b
  %r1 = fdiv double %sum, %a
  br label %join
no:
  %other = fadd contract double %product, %a
  %r2 = fdiv double %other, %b
  br label %join
join:
  %r = phi double [ %r1, %yes ], [ %r2, %no ]
  store double %r, ptr %to
  ret void
}

; All lanes would compute the square, which could then replace the one behind the branch: that is contracted.
define ptx_kernel void @replaced(ptr %out, double %a, double %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr double, ptr %out, i32 %t
  %x = load double, ptr %to
  br i1 %odd, label %yes, label %no
yes:
  %square = fmul contract double %x, %x
  %r1 = fdiv double %square, %a
  br label %join
no:
  %r2 = fdiv double %x, %b
  br label %join
join:
  %r = phi double [ %r1, %yes ], [ %r2, %no ]
  %more = fcmp olt double %r, %b
  br i1 %more, label %last, label %end
last:
  %again = fmul contract double %x, %x
  %sum = fadd contract double %again, %r
  store double %sum, ptr %to
  br label %end
end:
  ret void
}

; Only sums use it: whether ptxas joins it with them cannot be foreseen.
define ptx_kernel void @met(ptr %out, double %a, double %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr double, ptr %out, i32 %t
  %x = load double, ptr %to
  %product = fmul contract double %x, %a
  br i1 %odd, label %yes, label %no
yes:
  %sum = fadd contract double %product, %b
  %r1 = fdiv double %sum, %a
  br label %join
no:
  %other = fadd contract double %product, %a
  %r2 = fdiv double %other, %b
  br label %join
join:
  %r = phi double [ %r1, %yes ], [ %r2, %no ]
  store double %r, ptr %to
  ret void
}

; Both sides compute the product alike, so that clang moves it in front of the branch, where two sums use it.
define ptx_kernel void @alike(ptr %out, double %a, double %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr double, ptr %out, i32 %t
  %x = load double, ptr %to
  br i1 %odd, label %yes, label %no
yes:
  %p1 = fmul contract double %x, %a
  %s1 = fadd contract double %p1, %b
  %r1 = fdiv double %s1, %a
  br label %join
no:
  %p2 = fmul contract double %x, %a
  %s2 = fadd contract double %p2, %a
  %r2 = fdiv double %s2, %b
  br label %join
join:
  %r = phi double [ %r1, %yes ], [ %r2, %no ]
  store double %r, ptr %to
  ret void
}

; Product and sum are melded with product and sum: as one multiply-add, since LLVM may still move sums behind the sides.
define ptx_kernel void @both(ptr %out, double %a, double %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr double, ptr %out, i32 %t
  %x = load double, ptr %to
  br i1 %odd, label %yes, label %no
yes:
  %p1 = fmul contract double %x, %a
  %s1 = fadd contract double %p1, %b
  %r1 = fdiv double %s1, %a
  br label %join
no:
  %p2 = fmul contract double %x, %b
  %s2 = fadd contract double %p2, %a
  %r2 = fdiv double %s2, %b
  br label %join
join:
  %r = phi double [ %r1, %yes ], [ %r2, %no ]
  store double %r, ptr %to
  ret void
}

; In one block, the back end rounds the double to half at once.
define ptx_kernel void @narrowed(ptr %out, double %a, float %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr float, ptr %out, i32 %t
  %x = load float, ptr %to
  %f = fptrunc contract double %a to float
  br i1 %odd, label %yes, label %no
yes:
  %r1 = fdiv float %x, %f
  br label %join
no:
  %h = fptrunc contract float %f to half
  %e = fpext contract half %h to float
  %r2 = fdiv float %x, %e
  br label %join
join:
  %r = phi float [ %r1, %yes ], [ %r2, %no ]
  store float %r, ptr %to
  ret void
}

; If both sides of the outer branch become alike, LLVM removes it with the comparison, one of two uses of a product. Of two
; products a sum is joined with the one that has fewer uses.
define ptx_kernel void @compared(ptr %out, float %a, float %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr float, ptr %out, i32 %t
  %x = load float, ptr %to
  %product = fmul contract float %x, %a
  %other = fmul contract float %x, %b
  %sum = fadd contract float %product, %other
  %large = fcmp ogt float %product, 3.0
  br i1 %large, label %outer, label %end
outer:
  br i1 %odd, label %yes, label %no
yes:
  %n1 = mul i32 %t, 7
  %n2 = udiv i32 %n1, 3
  %m1 = xor i32 %n2, 5
  br label %join
no:
  %n3 = mul i32 %t, 9
  %n4 = udiv i32 %n3, 11
  %m2 = xor i32 %n4, 5
  br label %join
join:
  %m = phi i32 [ %m1, %yes ], [ %m2, %no ]
  br label %end
end:
  %n = phi i32 [ 3, %entry ], [ %m, %join ]
  %f = uitofp i32 %n to float
  %r = fdiv float %sum, %f
  store float %r, ptr %to
  ret void
}

; A quotient of 1 is a reciprocal, with other last bits.
define ptx_kernel void @approximate(ptr %out, float %a, float %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr float, ptr %out, i32 %t
  %x = load float, ptr %to
  br i1 %odd, label %yes, label %no
yes:
  %r1 = fdiv arcp afn float 1.0, %x
  br label %join
no:
  %r2 = fdiv arcp afn float %a, %x
  br label %join
join:
  %r = phi float [ %r1, %yes ], [ %r2, %no ]
  store float %r, ptr %to
  ret void
}

; Nothing may be contracted.
define ptx_kernel void @exact(ptr %out, double %a, double %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr double, ptr %out, i32 %t
  %x = load double, ptr %to
  br i1 %odd, label %yes, label %no
yes:
  %product = fmul double %x, %a
  %sum = fadd double %product, %b
  %r1 = fdiv double %sum, %a
  br label %join
no:
  %other = fadd double %x, %a
  %r2 = fdiv double %other, %b
  br label %join
join:
  %r = phi double [ %r1, %yes ], [ %r2, %no ]
  store double %r, ptr %to
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; Once the sides are one, the branch behind them is known to be taken one way, and only one sum is left of the two that use the
; product, or of which each has a product alike.
define ptx_kernel void @told(ptr %out, float %a, float %b) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %odd = trunc i32 %t to i1
  %even = trunc i32 %y to i1
  %to = getelementptr float, ptr %out, i32 %t
  %x = load float, ptr %to
  br i1 %odd, label %yes, label %no
yes:
  br i1 %even, label %leave, label %go
no:
  br i1 %even, label %left, label %go
leave:
  store float %a, ptr %to
  ret void
left:
  store float %b, ptr %to
  ret void
go:
  br i1 %even, label %one, label %other
one:
  %product = fmul contract float %x, %a
  %sum = fsub contract float %a, %product
  br label %end
other:
  %twin = fmul contract float %x, %a
  %difference = fsub contract float %b, %twin
  br label %end
end:
  %r = phi float [ %sum, %one ], [ %difference, %other ]
  store float %r, ptr %to
  ret void
}

; The back end's GVN finds that what is loaded behind the branches is the product in front of them.
define ptx_kernel void @stored(ptr %out, double %a, i32 %at) {
entry:
  %object = alloca [2 x double]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr double, ptr %out, i32 %t
  %x = load double, ptr %to
  %product = fmul contract double %x, %a
  store double %product, ptr %object
  br i1 %odd, label %yes, label %no
yes:
  %r1 = sdiv i32 %t, %at
  br label %join
no:
  %r2 = sdiv i32 %at, %t
  br label %join
join:
  %r = phi i32 [ %r1, %yes ], [ %r2, %no ]
  %loaded = load double, ptr %object
  %sum = fadd contract double %loaded, %a
  %place = getelementptr double, ptr %object, i32 %r
  store double %sum, ptr %place
  %first = load double, ptr %object
  store double %first, ptr %to
  ret void
}

; One way to the product behind the branches has its value already: the back end's GVN computes it there. With a select in place
; of the phi it stays, and is joined.
define ptx_kernel void @moved(ptr %out, double %a, double %b, double %c, i32 %at) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %to = getelementptr double, ptr %out, i32 %t
  %before = fmul contract double %a, %b
  store double %before, ptr %to
  br i1 %odd, label %yes, label %no
yes:
  %r1 = sdiv i32 %t, %at
  br label %join
no:
  %r2 = sdiv i32 %at, %t
  br label %join
join:
  %n = phi i32 [ %r1, %yes ], [ %r2, %no ]
  %r = phi double [ %c, %yes ], [ %b, %no ]
  store i32 %n, ptr %out
  %product = fmul contract double %r, %a
  %sum = fadd contract double %product, %c
  store double %sum, ptr %to
  ret void
}

; ptxas joins halves in one block only, and LLVM may bring the two there once one block uses the sum.
define ptx_kernel void @halves(ptr %out, half %a, half %b, i32 %at) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %product = fmul contract half %a, %b
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %next
next:
  %sum = fadd contract half %product, %b
  %wide = fpext half %sum to float
  br label %before
before:
  br i1 %odd, label %yes, label %no
yes:
  %r1 = sdiv i32 %t, %at
  br label %join
no:
  %r2 = sdiv i32 %at, %t
  br label %join
join:
  %n = phi i32 [ %r1, %yes ], [ %r2, %no ]
  store i32 %n, ptr %out
  %to = getelementptr float, ptr %out, i32 %t
  store float %wide, ptr %to
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
