// clang's header of this name, but for compare-and-swap. In CUDA `atomicCAS` is atomic for the GPU and orders no other
// accesses; clang's builtins are sequentially consistent for the whole system, with a fence each. The compiler still moves
// no access across it, as it moves none across the other atomic functions.
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
#include_next <__clang_cuda_device_functions.h>
#undef __nvvm_atom_cas_gen_us
#undef __nvvm_atom_cas_gen_i
#undef __nvvm_atom_cas_gen_ll
#undef WARPWISE_SWAP
