// A star stencil of 7 points straight from global memory, with pointers that promise not to overlap.
//@ launch grid=nx/32,ny/8 block=32,8
//@ arg in in f32[(nx+2)*(ny+2)*(nz+2)] range(-1,1,1)
//@ arg weight in f32[8] range(-0.25,0.25,2)
//@ arg out out f32[nx*ny*nz]
//@ arg nx i32 512
//@ arg ny i32 512
//@ arg nz i32 32
//@ small nx=32 ny=8 nz=2

constexpr int R = 1;
#include "../stencil.h"

STENCIL(stencil7_promised_plain, __restrict__, GLOBAL, )
STENCIL(stencil7_promised_by_hand, __restrict__, CACHED, )
