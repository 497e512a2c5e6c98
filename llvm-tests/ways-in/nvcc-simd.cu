// Functions on the halves and bytes of words are bit operations, or what GPUs have instructions for: clang's own header
// would have a video instruction for each, which ptxas replaces by many. tests/nvcc/simd.rs checks their results.
//
// RUN: %warpwise nvcc --cuda-path=%cuda -arch=sm_90 -ptx %s -o %t.90.ptx
// RUN: %FileCheck %s --check-prefixes=BOTH,NEW --implicit-check-not=vadd --implicit-check-not=vset < %t.90.ptx
// RUN: %warpwise nvcc --cuda-path=%cuda -arch=sm_75 -ptx %s -o %t.75.ptx
// RUN: %FileCheck %s --check-prefixes=BOTH,OLD --implicit-check-not=vadd --implicit-check-not=vset < %t.75.ptx
// BOTH-LABEL: .entry parts(
// NEW: add.s16x2
// OLD-NOT: 16x2
// BOTH: prmt.b32
// BOTH: vabsdiff4.u32.u32.u32.add
// BOTH: max.u32
extern "C" __global__ void parts(unsigned *p) {
  p[0] = __vadd2(p[1], p[2]);
  p[3] = __vcmpgtu4(p[4], p[5]);
  p[6] = __vsadu4(p[7], p[8]);
  p[9] = __vimax3_u32(p[10], p[11], p[12]);
}
