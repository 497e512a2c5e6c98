// The border of a diffusion step with four paths: a lane in one of the four corners, on a vertical edge, on a
// horizontal one, or inside takes its four neighbours with the indices held back differently.
//@ launch grid=n/16,n/16 block=16,16
//@ arg image in f32[n*n] range(1,2,1)
//@ arg out out f32[n*n]
//@ arg n i32 2048
//@ small n=32
//@ also map

extern "C" __global__ void srad_border4_plain(const float *image, float *out, int n) {
  __shared__ float tile[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int at = (blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx;
  tile[ty][tx] = image[at];
  __syncthreads();
  float c = tile[ty][tx], dn, ds, dw, de;
  bool side = tx == 0 || tx == 15, level = ty == 0 || ty == 15;
  if (side && level) {
    dn = tile[ty == 0 ? 0 : ty - 1][tx] - c;
    ds = tile[ty == 15 ? 15 : ty + 1][tx] - c;
    dw = tile[ty][tx == 0 ? 0 : tx - 1] - c;
    de = tile[ty][tx == 15 ? 15 : tx + 1] - c;
  } else if (side) {
    dn = tile[ty - 1][tx] - c;
    ds = tile[ty + 1][tx] - c;
    dw = tile[ty][tx == 0 ? 0 : tx - 1] - c;
    de = tile[ty][tx == 15 ? 15 : tx + 1] - c;
  } else if (level) {
    dn = tile[ty == 0 ? 0 : ty - 1][tx] - c;
    ds = tile[ty == 15 ? 15 : ty + 1][tx] - c;
    dw = tile[ty][tx - 1] - c;
    de = tile[ty][tx + 1] - c;
  } else {
    dn = tile[ty - 1][tx] - c;
    ds = tile[ty + 1][tx] - c;
    dw = tile[ty][tx - 1] - c;
    de = tile[ty][tx + 1] - c;
  }
  out[at] = fmaf(dn, dn, fmaf(ds, ds, fmaf(dw, dw, de * de))) / (c * c);
}

extern "C" __global__ void srad_border4_by_hand(const float *image, float *out, int n) {
  __shared__ float tile[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int at = (blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx;
  tile[ty][tx] = image[at];
  __syncthreads();
  float c = tile[ty][tx];
  float dn = tile[ty == 0 ? 0 : ty - 1][tx] - c, ds = tile[ty == 15 ? 15 : ty + 1][tx] - c;
  float dw = tile[ty][tx == 0 ? 0 : tx - 1] - c, de = tile[ty][tx == 15 ? 15 : tx + 1] - c;
  out[at] = fmaf(dn, dn, fmaf(ds, ds, fmaf(dw, dw, de * de))) / (c * c);
}
