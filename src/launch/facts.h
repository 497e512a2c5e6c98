// Which conditions on the blocks of a launch do tables contain, and which of them hold? (docs/VERSIONS.md)
#pragma once

#include "cuda.h"
#include <stdint.h>

enum { WORDS_PER_FACT = 4 };

enum FactKind {
  BLOCK_MULTIPLE = 1,
  BLOCK_IS = 2,
  THREADS_AT_MOST = 3,
  THREADS_AT_LEAST = 4,
  BLOCK_AT_MOST = 6, // 5, 7 and 8 are of earlier tables
};

typedef struct {
  uint64_t kind, a, b, c;
} Fact;
_Static_assert(sizeof(Fact) == 8 * WORDS_PER_FACT, "as in the table");

// The threads of a block, or the blocks of a grid.
static uint64_t size_of(Dim3 shape) { return (uint64_t)shape.x * shape.y * shape.z; }

static unsigned extent(Dim3 shape, uint64_t dimension) {
  return dimension == 0 ? shape.x : dimension == 1 ? shape.y : shape.z;
}

// Whether a fact is one of those above, has no numbers where they have none, and holds.
static int holds(const Fact *fact, Dim3 block) {
  const uint64_t most = UINT32_MAX;
  switch (fact->kind) {
  case BLOCK_MULTIPLE:
    return fact->a < 3 && fact->b && fact->b <= most && !fact->c && extent(block, fact->a) % fact->b == 0;
  case BLOCK_IS:
    return fact->a < 3 && !fact->c && extent(block, fact->a) == fact->b;
  case THREADS_AT_MOST:
    return fact->a <= most && !fact->b && !fact->c && size_of(block) <= fact->a;
  case THREADS_AT_LEAST:
    return !fact->b && !fact->c && size_of(block) >= fact->a;
  case BLOCK_AT_MOST:
    return fact->a < 3 && !fact->b && fact->c <= most && extent(block, fact->a) <= fact->c;
  }
  return 0;
}
