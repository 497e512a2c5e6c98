// A step of the wave equation in double precision that divides by the squares of three mesh widths: the coefficients are
// the same for the grid.
//@ launch grid=16,16,8 block=32,8
//@ arg now in f64[nx*ny*nz] range(-1,1,1)
//@ arg before in f64[nx*ny*nz] range(-1,1,2)
//@ arg after out f64[nx*ny*nz]
//@ arg nx i32 512
//@ arg ny i32 128
//@ arg nz i32 8
//@ arg hx f64 0.31
//@ arg hy f64 0.27
//@ arg hz f64 0.43
//@ arg dt f64 0.01
//@ small grid=1,1,2 nx=32 ny=8 nz=2

extern "C" __global__ void wave_f64_plain(const double *now, const double *before, double *after, int nx, int ny,
                                          int nz, double hx, double hy, double hz, double dt) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  double cx = dt * dt / (hx * hx), cy = dt * dt / (hy * hy), cz = dt * dt / (hz * hz);
  double norm = 1 / sqrt(cx + cy + cz);
  int plane = nx * ny, at = z * plane + y * nx + x;
  double left = x > 0 ? now[at - 1] : 0, right = x + 1 < nx ? now[at + 1] : 0;
  double down = y > 0 ? now[at - nx] : 0, up = y + 1 < ny ? now[at + nx] : 0;
  double back = z > 0 ? now[at - plane] : 0, front = z + 1 < nz ? now[at + plane] : 0;
  double own = now[at];
  after[at] = 2 * own - before[at] + norm * (cx * (left - 2 * own + right) + cy * (down - 2 * own + up)
                                             + cz * (back - 2 * own + front));
}
