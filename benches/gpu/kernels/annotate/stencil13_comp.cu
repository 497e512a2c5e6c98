// A star stencil of 13 points with the plane staged in shared memory.
//@ launch grid=nx/32,ny/8 block=32,8
//@ arg in in f32[(nx+4)*(ny+4)*(nz+4)] range(-1,1,1)
//@ arg weight in f32[8] range(-0.25,0.25,2)
//@ arg out out f32[nx*ny*nz]
//@ arg nx i32 512
//@ arg ny i32 512
//@ arg nz i32 32
//@ small nx=32 ny=8 nz=2

constexpr int R = 2;
#include "../stencil.h"

STENCIL(stencil13_comp_plain, __restrict__, SHARED, STAGE_TILE)
