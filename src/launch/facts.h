// Which conditions on a launch do tables contain, and which of them hold? (docs/VERSIONS.md)
#pragma once

#include "cuda.h"
#include <stdint.h>

enum { WORDS_PER_FACT = 4 };

enum FactKind {
  BLOCK_MULTIPLE = 1,
  BLOCK_IS = 2,
  THREADS_AT_MOST = 3,
  THREADS_AT_LEAST = 4,
  COVERED = 5,
  COVERED_BY = 6,
  ARGUMENT_MULTIPLE = 7,
  POINTER_ALIGNED = 8,
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

// Whether a fact is one of those above, and has no numbers where they have none.
static int is_known(const Fact *fact) {
  const uint64_t most = UINT32_MAX;
  int is_extent = !(fact->a & ~UINT64_C(0x103)) && (fact->a & 3) < 3;
  switch (fact->kind) {
  case BLOCK_MULTIPLE:
    return fact->a < 3 && fact->b && fact->b <= most && !fact->c;
  case BLOCK_IS:
    return fact->a < 3 && fact->b <= most && !fact->c;
  case THREADS_AT_MOST:
  case THREADS_AT_LEAST:
    return fact->a <= most && !fact->b && !fact->c;
  case COVERED:
    return is_extent && fact->c < 1 << 25;
  case COVERED_BY:
    return is_extent;
  case ARGUMENT_MULTIPLE:
    return fact->a < 1 << 16 && fact->b && fact->c <= 64;
  case POINTER_ALIGNED:
    return fact->a < 1 << 16 && fact->b && !fact->c;
  }
  return 0;
}

// Whether a known fact is on the block's shape alone.
static int is_on_block(const Fact *fact) { return fact->kind <= THREADS_AT_LEAST; }

static int holds_for_block(const Fact *fact, Dim3 block) {
  switch (fact->kind) {
  case BLOCK_MULTIPLE:
    return extent(block, fact->a) % fact->b == 0;
  case BLOCK_IS:
    return extent(block, fact->a) == fact->b;
  case THREADS_AT_MOST:
    return size_of(block) <= fact->a;
  case THREADS_AT_LEAST:
    return size_of(block) >= fact->a;
  }
  return 0;
}

// An integer argument of 8, 16, 32 or 64 bits; false for other widths.
static int read_integer(void **arguments, uint64_t number, uint64_t bits, int is_signed, __int128 *value) {
  const void *at = arguments[number];
  switch (bits) {
  case 8:
    *value = is_signed ? (__int128)*(const int8_t *)at : *(const uint8_t *)at;
    return 1;
  case 16:
    *value = is_signed ? (__int128)*(const int16_t *)at : *(const uint16_t *)at;
    return 1;
  case 32:
    *value = is_signed ? (__int128)*(const int32_t *)at : *(const uint32_t *)at;
    return 1;
  case 64:
    *value = is_signed ? (__int128)*(const int64_t *)at : (__int128)*(const uint64_t *)at;
    return 1;
  }
  return 0;
}

static int is_covered(const Fact *fact, Dim3 grid, Dim3 block, void **arguments) {
  uint64_t dimension = fact->a & 3;
  uint64_t indices = extent(block, dimension);
  if (fact->a >> 8 & 1)
    indices *= extent(grid, dimension);
  __int128 limit;
  if (fact->kind == COVERED_BY)
    limit = (__int128)fact->c;
  else if (!read_integer(arguments, fact->c & 0xffff, fact->c >> 16 & 0xff, fact->c >> 24 & 1, &limit))
    return 0;
  return (__int128)indices + (int64_t)fact->b <= limit;
}

static int holds_for_launch(const Fact *fact, Dim3 grid, Dim3 block, void **arguments) {
  __int128 value;
  switch (fact->kind) {
  case COVERED:
  case COVERED_BY:
    return is_covered(fact, grid, block, arguments);
  case ARGUMENT_MULTIPLE:
    return read_integer(arguments, fact->a, fact->c, 0, &value) && (uint64_t)value % fact->b == 0;
  case POINTER_ALIGNED:
    return *(const uintptr_t *)arguments[fact->a] % fact->b == 0;
  }
  return 0;
}
