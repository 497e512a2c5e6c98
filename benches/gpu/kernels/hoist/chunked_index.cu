// 64-bit divisions of arguments by the size of the grid, as in kernels that share out the elements of a tensor.
//@ launch grid=2048 block=512
//@ arg in in f32[elements] range(-1,1,1)
//@ arg out out f32[elements]
//@ arg elements i64 1048576
//@ arg channels i64 48
//@ arg scale f32 1.5
//@ small grid=2 elements=1024

extern "C" __global__ void chunked_index_plain(const float *in, float *out, long long elements, long long channels,
                                               float scale) {
  long long threads = (long long)gridDim.x * blockDim.x;
  long long each = (elements + threads - 1) / threads, rows = elements / channels, rest = elements % channels;
  float factor = scale / (float)(rows + rest + 1);
  long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (long long i = first; i < first + each && i < elements; i++) out[i] = in[i] * factor;
}
