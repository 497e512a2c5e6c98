// clang's header of this name, but for compare-and-swap, and for what `simd.h` before this defines. In CUDA `atomicCAS` is
// atomic for the GPU and orders no other accesses; clang's builtins are sequentially consistent for the whole system, with
// a fence each. The compiler still moves no access across it, as it moves none across the other atomic functions.
#pragma GCC system_header
#define WARPWISE_SWAP(Type, at, expected, desired)                                                                      \
    __extension__({                                                                                                     \
        Type warpwise_found = expected;                                                                                 \
        __asm__ volatile("" ::: "memory");                                                                              \
        __scoped_atomic_compare_exchange_n(at, &warpwise_found, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,     \
                                           __MEMORY_SCOPE_DEVICE);                                                      \
        __asm__ volatile("" ::: "memory");                                                                              \
        warpwise_found;                                                                                                 \
    })
#define __nvvm_atom_cas_gen_us(at, expected, desired) WARPWISE_SWAP(unsigned short, at, expected, desired)
#define __nvvm_atom_cas_gen_i(at, expected, desired) WARPWISE_SWAP(int, at, expected, desired)
#define __nvvm_atom_cas_gen_ll(at, expected, desired) WARPWISE_SWAP(long long, at, expected, desired)
// the version for which it takes the functions on parts of a word from libdevice
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#include_next <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
#undef __nvvm_atom_cas_gen_us
#undef __nvvm_atom_cas_gen_i
#undef __nvvm_atom_cas_gen_ll
#undef WARPWISE_SWAP
