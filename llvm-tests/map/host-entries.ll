; Host code for the linker wrapper: an entry like clang's own. Host code without device code is left alone.
; RUN: %opt -warpwise-profile-generate=name:t -passes=divergence-map-host -S %s | %FileCheck %s
; RUN: sed 's/llvm.embedded.object/something/' %s > %t.ll
; RUN: %opt -warpwise-profile-generate=name:t -passes=divergence-map-host -S %t.ll | %FileCheck %s --check-prefix=NONE

; CHECK: @.offloading.entry.__warpwise_map_t = weak constant {{.*}} { i64 0, i16 1, i16 2, i32 0, ptr @__warpwise_map_shadow, ptr @{{.*}}, i64 32, i64 0, ptr null }, section "llvm_offload_entries", align 8
; NONE: source_filename
; NONE-NOT: __warpwise

target triple = "x86_64-pc-linux-gnu"

@llvm.embedded.object = private constant [4 x i8] c"abcd"
