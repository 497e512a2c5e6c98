// CUDA's functions on the two halves or four bytes of a word (`__vadd4`, `__vmaxs2` and their like), as few operations
// without branches. clang's header has them as video instructions, which `ptxas` replaces by up to fifty others each.
// That header calls `__nv_vadd4` and its like where libdevice has them, as it had until CUDA 9.1: they are defined here.
#pragma GCC system_header
#define WARPWISE_DEVICE static __device__ __forceinline__

// Each function by its name without `__v` and the number of lanes. Comparisons answer in the top bit of every lane.
template <int Bits> struct WarpwiseLanes {
    typedef unsigned Word;
    typedef short Signed __attribute__((ext_vector_type(2)));
    typedef unsigned short Unsigned __attribute__((ext_vector_type(2)));
    static constexpr Word one = Bits == 16 ? 0x00010001 : 0x01010101, top = one << (Bits - 1);
    // whether the GPU has the operation for two halves
    static constexpr bool is_native = Bits == 16 && __CUDA_ARCH__ >= 900 && CUDA_VERSION >= 12000;
#define WARPWISE_NATIVE(Pair, value)                                                                                    \
    if (is_native) {                                                                                                    \
        const Pair x = __builtin_bit_cast(Pair, a), y = __builtin_bit_cast(Pair, b);                                    \
        return __builtin_bit_cast(Word, value);                                                                         \
    }

    // all bits of a lane like its top bit
    WARPWISE_DEVICE Word filled(Word a) { return __nvvm_prmt(a, 0, Bits == 16 ? 0xbb99 : 0xba98); }
    WARPWISE_DEVICE Word choose(Word mask, Word a, Word b) { return (a & mask) | (b & ~mask); }
    WARPWISE_DEVICE Word majority(Word a, Word b, Word c) { return (a & b) | ((a | b) & c); }
    // the sum and the difference of what is below the top bits; a top bit is set by a carry, or where nothing is borrowed
    WARPWISE_DEVICE Word sum_below(Word a, Word b) { return (a & ~top) + (b & ~top); }
    WARPWISE_DEVICE Word difference_below(Word a, Word b) { return (a | top) - (b & ~top); }

    WARPWISE_DEVICE Word ne(Word a, Word b) { return (((a ^ b) | top) - one) | (a ^ b); }
    WARPWISE_DEVICE Word eq(Word a, Word b) { return (one - 1 - ((a ^ b) | top)) & ~(a ^ b); }
    WARPWISE_DEVICE Word gtu(Word a, Word b) { return majority(a, ~b, sum_below(a, ~b)); }
    WARPWISE_DEVICE Word gts(Word a, Word b) { return majority(~a, b, sum_below(a, ~b)); }
    WARPWISE_DEVICE Word geu(Word a, Word b) { return majority(a, ~b, difference_below(a, b)); }
    WARPWISE_DEVICE Word ges(Word a, Word b) { return majority(~a, b, difference_below(a, b)); }
    WARPWISE_DEVICE Word ltu(Word a, Word b) { return gtu(b, a); }
    WARPWISE_DEVICE Word lts(Word a, Word b) { return gts(b, a); }
    WARPWISE_DEVICE Word leu(Word a, Word b) { return geu(b, a); }
    WARPWISE_DEVICE Word les(Word a, Word b) { return ges(b, a); }

    // of each lane `where` if `a` is greater there
#define WARPWISE_EXTREME(extreme, Pair, greater, where, elsewhere)                                                      \
    WARPWISE_NATIVE(Pair, __builtin_elementwise_##extreme(x, y))                                                        \
    return choose(filled(greater(a, b)), where, elsewhere);
    WARPWISE_DEVICE Word maxs(Word a, Word b) { WARPWISE_EXTREME(max, Signed, gts, a, b) }
    WARPWISE_DEVICE Word mins(Word a, Word b) { WARPWISE_EXTREME(min, Signed, gts, b, a) }
    WARPWISE_DEVICE Word maxu(Word a, Word b) { WARPWISE_EXTREME(max, Unsigned, gtu, a, b) }
    WARPWISE_DEVICE Word minu(Word a, Word b) { WARPWISE_EXTREME(min, Unsigned, gtu, b, a) }

    WARPWISE_DEVICE Word add(Word a, Word b) {
        WARPWISE_NATIVE(Unsigned, x + y)
        return sum_below(a, b) ^ ((a ^ b) & top);
    }
    WARPWISE_DEVICE Word sub(Word a, Word b) {
        if (!is_native) return difference_below(a, b) ^ (~(a ^ b) & top);
        // `ptxas` makes one instruction of this, and nine of LLVM's code for the difference of two pairs
        __asm__("{ .reg .b16 low, high; .reg .b32 negative; mov.b32 {low, high}, %1; neg.s16 low, low;"
                " neg.s16 high, high; mov.b32 negative, {low, high}; add.s16x2 %0, %0, negative; }"
                : "+r"(a)
                : "r"(b));
        return a;
    }
    WARPWISE_DEVICE Word neg(Word a) { return is_native ? sub(~a, ~0u) : sub(0, a); }

    WARPWISE_DEVICE Word saturated(Word result, Word a, Word overflow) {
        return choose(filled(overflow), filled(a) ^ ~top, result);
    }
    WARPWISE_DEVICE Word addss(Word a, Word b) {
        const Word sum = add(a, b);
        return saturated(sum, a, (sum ^ a) & (sum ^ b));
    }
    WARPWISE_DEVICE Word subss(Word a, Word b) {
        const Word difference = sub(a, b);
        return saturated(difference, a, (a ^ b) & (difference ^ a));
    }
    WARPWISE_DEVICE Word addus(Word a, Word b) {
        return is_native ? a + minu(~a, b) : add(a, b) | filled(majority(a, b, sum_below(a, b)));
    }
    WARPWISE_DEVICE Word subus(Word a, Word b) { return is_native ? a - minu(a, b) : sub(a, b) & filled(geu(a, b)); }
    WARPWISE_DEVICE Word negss(Word a) {
        return is_native ? neg(maxs(a, top | one)) : neg(a) ^ filled(neg(a) & a);
    }

    // Halves of sums. That `even` is used twice keeps LLVM from shifting before it masks, which takes one operation more.
    WARPWISE_DEVICE Word haddu(Word a, Word b) {
        const Word even = (a ^ b) & ~one;
        return ((a & b) ^ even) - (even >> 1);
    }
    WARPWISE_DEVICE Word avgu(Word a, Word b) {
        const Word even = (a ^ b) & ~one;
        return ((a | b) ^ even) + (even >> 1);
    }
    // rounded up, but down where the sum is negative
    WARPWISE_DEVICE Word avgs(Word a, Word b) {
        const Word down = haddu(a, b) ^ ((a ^ b) & top);
        return down + (~down >> (Bits - 1) & (a ^ b) & one);
    }

    // four bytes at once are the video instruction that GPUs still have
#define WARPWISE_BYTES(suffix)                                                                                          \
    if (Bits == 8) {                                                                                                    \
        Word result;                                                                                                    \
        __asm__("vabsdiff4.u32.u32.u32" suffix " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(0));             \
        return result;                                                                                                  \
    }
    WARPWISE_DEVICE Word absdiffu(Word a, Word b) {
        WARPWISE_BYTES("")
        return maxu(a, b) - minu(a, b);
    }
    WARPWISE_DEVICE Word absdiffs(Word a, Word b) {
        if (Bits == 8) return absdiffu(a ^ top, b ^ top);
        if (is_native) return sub(maxs(a, b), mins(a, b));
        const Word negative = ~filled(ges(a, b));
        return (sub(a, b) ^ negative) + (negative & one);
    }
    WARPWISE_DEVICE Word of_both(Word a) { return (a >> 16) + (a & 0xffff); }
    WARPWISE_DEVICE Word sadu(Word a, Word b) {
        WARPWISE_BYTES(".add")
        return of_both(absdiffu(a, b));
    }
    WARPWISE_DEVICE Word sads(Word a, Word b) { return Bits == 8 ? sadu(a ^ top, b ^ top) : of_both(absdiffs(a, b)); }
    WARPWISE_DEVICE Word abs(Word a) {
        if (Bits == 8) return absdiffs(a, 0);
        return is_native ? maxs(a, neg(a)) : (a ^ filled(a)) + (filled(a) & one);
    }
    WARPWISE_DEVICE Word absss(Word a) { return is_native ? minu(abs(a), ~top) : abs(a) ^ filled(abs(a)); }
};

#define WARPWISE_ONE(of)                                                                                                \
    WARPWISE_DEVICE unsigned __nv_v##of##2(unsigned a) { return WarpwiseLanes<16>::of(a); }                             \
    WARPWISE_DEVICE unsigned __nv_v##of##4(unsigned a) { return WarpwiseLanes<8>::of(a); }
#define WARPWISE_TWO(of)                                                                                                \
    WARPWISE_DEVICE unsigned __nv_v##of##2(unsigned a, unsigned b) { return WarpwiseLanes<16>::of(a, b); }              \
    WARPWISE_DEVICE unsigned __nv_v##of##4(unsigned a, unsigned b) { return WarpwiseLanes<8>::of(a, b); }
#define WARPWISE_ANSWERS(of, number, bits)                                                                              \
    WARPWISE_DEVICE unsigned __nv_vcmp##of##number(unsigned a, unsigned b) {                                            \
        return WarpwiseLanes<bits>::filled(WarpwiseLanes<bits>::of(a, b));                                              \
    }                                                                                                                   \
    WARPWISE_DEVICE unsigned __nv_vset##of##number(unsigned a, unsigned b) {                                            \
        return WarpwiseLanes<bits>::of(a, b) >> (bits - 1) & WarpwiseLanes<bits>::one;                                  \
    }
#define WARPWISE_COMPARE(of) WARPWISE_ANSWERS(of, 2, 16) WARPWISE_ANSWERS(of, 4, 8)
WARPWISE_ONE(abs) WARPWISE_ONE(absss) WARPWISE_ONE(neg) WARPWISE_ONE(negss)
WARPWISE_TWO(absdiffs) WARPWISE_TWO(absdiffu) WARPWISE_TWO(add) WARPWISE_TWO(addss) WARPWISE_TWO(addus)
WARPWISE_TWO(avgs) WARPWISE_TWO(avgu) WARPWISE_TWO(haddu) WARPWISE_TWO(maxs) WARPWISE_TWO(maxu) WARPWISE_TWO(mins)
WARPWISE_TWO(minu) WARPWISE_TWO(sads) WARPWISE_TWO(sadu) WARPWISE_TWO(sub) WARPWISE_TWO(subss) WARPWISE_TWO(subus)
WARPWISE_COMPARE(eq) WARPWISE_COMPARE(ne) WARPWISE_COMPARE(ges) WARPWISE_COMPARE(geu) WARPWISE_COMPARE(gts)
WARPWISE_COMPARE(gtu) WARPWISE_COMPARE(les) WARPWISE_COMPARE(leu) WARPWISE_COMPARE(lts) WARPWISE_COMPARE(ltu)
#undef WARPWISE_COMPARE
#undef WARPWISE_ANSWERS
#undef WARPWISE_TWO
#undef WARPWISE_ONE
#undef WARPWISE_BYTES
#undef WARPWISE_EXTREME
#undef WARPWISE_NATIVE
#undef WARPWISE_DEVICE

// NVIDIA's header of `__vimax3_u32` and its like calls them before clang declares them, and would take those of `int`
static inline __device__ unsigned max(unsigned a, unsigned b);
static inline __device__ unsigned min(unsigned a, unsigned b);
