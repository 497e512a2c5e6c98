// What nvcc declares for every source and clang's own headers do not: the headers of C, its version, min and max of the
// host for all mixtures of types, the tagged NaN, cache operators, and nvcc's atomic functions. Included before every CUDA
// source.
#pragma once
#line 7 "warpwise_nvcc.h"
#pragma GCC system_header
#ifdef __CUDA__

// what nvcc's crt/common_functions.h and crt/math_functions.h include
#include <assert.h>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif
// clang needs no flag for either
#define __CUDACC_EXTENDED_LAMBDA__
#define __CUDACC_RELAXED_CONSTEXPR__

#define WARPWISE_ORDER(Result, A, B)                                                                                    \
    static inline __host__ Result min(A a, B b) {                                                                       \
        return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a) : static_cast<Result>(b);       \
    }                                                                                                                   \
    static inline __host__ Result max(A a, B b) {                                                                       \
        return static_cast<Result>(a) > static_cast<Result>(b) ? static_cast<Result>(a) : static_cast<Result>(b);       \
    }
#define WARPWISE_ORDER_SIGNS(Type)                                                                                      \
    WARPWISE_ORDER(Type, Type, Type)                                                                                    \
    WARPWISE_ORDER(unsigned Type, unsigned Type, unsigned Type)                                                         \
    WARPWISE_ORDER(unsigned Type, Type, unsigned Type)                                                                  \
    WARPWISE_ORDER(unsigned Type, unsigned Type, Type)
WARPWISE_ORDER_SIGNS(int)
WARPWISE_ORDER_SIGNS(long)
WARPWISE_ORDER_SIGNS(long long)
#undef WARPWISE_ORDER_SIGNS
#undef WARPWISE_ORDER
// of two floating-point numbers the one that is a number
static inline __host__ float min(float a, float b) { return __builtin_fminf(a, b); }
static inline __host__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
static inline __host__ double min(double a, double b) { return __builtin_fmin(a, b); }
static inline __host__ double max(double a, double b) { return __builtin_fmax(a, b); }
static inline __host__ double min(float a, double b) { return __builtin_fmin(a, b); }
static inline __host__ double max(float a, double b) { return __builtin_fmax(a, b); }
static inline __host__ double min(double a, float b) { return __builtin_fmin(a, b); }
static inline __host__ double max(double a, float b) { return __builtin_fmax(a, b); }

#ifdef __CUDA_ARCH__
// clang declares it and leaves it undefined
static inline __device__ double nan(const char *tag) { return __nv_nan(reinterpret_cast<const signed char *>(tag)); }
#endif

// clang ignores the attribute with a warning, and a kernel would get the address of a variable of the host
#undef __managed__
#ifdef WARPWISE_ONLY_LOOKS
#define __managed__ __device__
#else
#define __managed__ _Pragma("GCC error \"clang has no __managed__ variables\"")
#endif

// loads and stores with a cache operator, of which clang has only some
namespace warpwise {
#undef __SM_32_INTRINSICS_HPP__
#include "sm_32_intrinsics.hpp"
}
using warpwise::__ldca;
using warpwise::__ldlu;
using warpwise::__stcg;
using warpwise::__stcs;
using warpwise::__stwb;

#ifndef __NV_ATOMIC_RELAXED
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_SYSTEM __MEMORY_SCOPE_SYSTEM
#define __NV_THREAD_SCOPE_DEVICE __MEMORY_SCOPE_DEVICE
#define __NV_THREAD_SCOPE_BLOCK __MEMORY_SCOPE_WRKGRP
#define __NV_THREAD_SCOPE_CLUSTER __MEMORY_SCOPE_DEVICE
#define __NV_THREAD_SCOPE_THREAD __MEMORY_SCOPE_SINGLE
// clang's loads, stores, exchanges and fences are of system scope whatever is asked, which is never too weak. The other
// operations (`__nv_atomic_fetch_add` and its like) are left undeclared: clang would drop their order and scope.
#define WARPWISE_ATOMIC static inline __device__
template <typename T>
WARPWISE_ATOMIC __remove_cv(T) __nv_atomic_load_n(T *at, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    return __atomic_load_n(at, order);
}
template <typename T>
WARPWISE_ATOMIC void __nv_atomic_store_n(T *at, __remove_cv(T) value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    __atomic_store_n(at, value, order);
}
template <typename T>
WARPWISE_ATOMIC bool __nv_atomic_compare_exchange_n(T *at, __remove_cv(T) *expected, __remove_cv(T) desired, bool weak,
                                                    int success, int failure, int = __NV_THREAD_SCOPE_SYSTEM) {
    return __atomic_compare_exchange_n(at, expected, desired, weak, success, failure);
}
WARPWISE_ATOMIC void __nv_atomic_thread_fence(int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    __atomic_thread_fence(order);
}
#undef WARPWISE_ATOMIC
#endif
#endif
