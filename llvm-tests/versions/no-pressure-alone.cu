// Register pressure alone is worth no version by an estimate: on an H200 the one of this benchmark kernel was 4 % slower.
// RUN: %clang_cuda %S/../../benches/gpu/kernels/spill/nbody_tile4.cu -O3 -mllvm -warpwise-versions -Rpass-missed=warpwise -S -o %t.s 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=CODE < %t.s
// CHECK: remark: register pressure of {{.*}} is left to ptxas: the kernel has dynamic shared memory of unknown size
// CODE-NOT: $v1
