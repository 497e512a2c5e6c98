// Which number has an LLVM object? Tables of a walk (see walk.h).
#pragma once

#include "walk.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstring>

namespace warpwise {

// Something for each key, a number or an address, none of which is zero. The keys met last lie in a direct-mapped table
// in front of the hash table; `Size` is a power of two, `Shift` the bits in which keys do not differ.
template <typename T, unsigned Size, unsigned Shift> class Recent {
public:
  // What was set for a key; null if nothing was.
  template <typename K> T *find(K Met) {
    auto Key = uintptr_t(Met);
    Entry &E = Front[(Key >> Shift) % Size];
    return LLVM_LIKELY(E.key == Key) ? &E.value : recall(E, Key);
  }
  template <typename K> void set(K Met, T Value) { All[uintptr_t(Met)] = Value; }
  auto &all() { return All; }
  void clear() {
    if (All.empty())
      return;
    All.clear();
    memset(Front, 0, sizeof(Front));
  }

private:
  struct Entry {
    uintptr_t key;
    T value;
  };

  LLVM_ATTRIBUTE_NOINLINE T *recall(Entry &E, uintptr_t Key) {
    auto Found = All.find(Key);
    if (Found == All.end())
      return nullptr;
    E = {Key, Found->second};
    return &E.value;
  }

  Entry Front[Size] = {};
  llvm::SmallDenseMap<uintptr_t, T, 16> All;
};

// Numbers of values, kind to the cache. LLVM's parsers allocate a function's instructions one after the other, so there
// is an array of one number per 16 bytes for each 8-KiB page (a value is larger than that, walk.cpp asserts it, so no
// two share a slot), and a table of pages. A flat hash table scatters neighbours over its whole size and misses the
// cache on every operand of a large function. Arguments, instructions and constants are looked up alike: which of them
// an operand is, no processor could guess.
//
// Slots hold sums of a number and a base that lies above all that earlier functions wrote, so that nothing need be
// cleared between functions: what is below the base is absent.
class ValueNumbers {
public:
  ~ValueNumbers() { release(); }
  // Finds the number of a value; whether it has one.
  LLVM_ATTRIBUTE_ALWAYS_INLINE bool find(const void *Value, uint32_t &Number) {
    uint32_t Held = slot(Value);
    Number = Held - Base;
    return Held >= Base;
  }
  void set(const void *Value, uint32_t Number) { slot(Value) = Base + Number; }
  // Makes all values absent; all of their numbers were below `End`.
  void forget(uint32_t End) {
    Base += End;
    if (Base > LastBase || Pages.all().size() > KeptPages)
      release();
  }
  void release() {
    for (auto &Page : Pages.all())
      warpwise_release(Page.second, PageBytes, alignof(uint32_t));
    Pages.clear();
    Base = 1;
  }

private:
  LLVM_ATTRIBUTE_ALWAYS_INLINE uint32_t &slot(const void *Value) {
    auto Address = reinterpret_cast<uintptr_t>(Value);
    uintptr_t Number = Address >> PageBits;
    uint32_t **Known = Pages.find(Number);
    uint32_t *Page = LLVM_LIKELY(Known != nullptr) ? *Known : enter(Number);
    return Page[(Address >> SlotBits) % Slots];
  }
  static constexpr unsigned PageBits = 13;
  static constexpr unsigned SlotBits = 4;
  static constexpr uintptr_t Slots = 1 << (PageBits - SlotBits);
  static constexpr size_t PageBytes = Slots * sizeof(uint32_t);
  // Pages that may be kept: those of a few functions of usual size.
  static constexpr size_t KeptPages = 1024;
  // Leaves room for the numbers of the largest function.
  static constexpr uint32_t LastBase = 1u << 30;

  LLVM_ATTRIBUTE_NOINLINE uint32_t *enter(uintptr_t Number) {
    auto *Page = static_cast<uint32_t *>(warpwise_grow(nullptr, 0, PageBytes, alignof(uint32_t)));
    memset(Page, 0, PageBytes);
    Pages.set(Number, Page);
    return Page;
  }

  Recent<uint32_t *, 256, 0> Pages;
  uint32_t Base = 1;
};

} // namespace warpwise

// A place in the operands whose instruction had no number yet.
struct WarpwiseOpen {
  uint32_t place;
  LLVMValueRef value;
};

struct WarpwiseTables {
  warpwise::ValueNumbers values;
  warpwise::Recent<uint32_t, 64, 4> types;
  // Allocation sizes of types that GEPs step over.
  warpwise::Recent<uint64_t, 16, 4> strides;
  // By callee and attribute list.
  llvm::SmallDenseMap<std::pair<void *, void *>, uint32_t, 8> calls;
  llvm::SmallVector<WarpwiseOpen, 0> open;
  // Block by LLVM's number.
  llvm::SmallVector<uint32_t, 0> numbered;

  // Forgets a function in which all numbers of values were below `End`.
  void clear(uint32_t End) {
    values.forget(End);
    types.clear();
    strides.clear();
    calls.clear();
    open.clear();
    numbered.clear();
  }
};
