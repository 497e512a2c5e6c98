// Points within a radius, found in an implicit k-d tree: a stack of nodes per thread.
//@ launch grid=1056 block=128
//@ arg points in f32[inner*3] range(0,1,1)
//@ arg queries in f32[threads*3] range(0,1,2)
//@ arg found out i32[threads]
//@ arg inner i32 32767
//@ arg radius f32 0.12
//@ small grid=2 inner=255

extern "C" __global__ void kd_range_plain(const float *points, const float *queries, int *found, int inner,
                                          float radius) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float q[3] = {queries[3 * t], queries[3 * t + 1], queries[3 * t + 2]};
  int stack[24];
  int top = 0, count = 0;
  stack[top++] = 0;
  while (top > 0) {
    int node = stack[--top];
    const float *p = points + 3 * node;
    float dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
    if (dx * dx + dy * dy + dz * dz < radius * radius) count++;
    int depth = 31 - __clz(node + 1);
    // an ordered tree would split at the median: here at the middle of the level's cell
    float cell = 0.5f + 0.4f * (p[depth % 3] - 0.5f);
    float gap = (depth % 3 == 0 ? q[0] : depth % 3 == 1 ? q[1] : q[2]) - cell;
    int left = 2 * node + 1, right = left + 1;
    if (left < inner && gap < radius && top < 24) stack[top++] = left;
    if (right < inner && gap > -radius && top < 24) stack[top++] = right;
  }
  found[t] = count;
}
