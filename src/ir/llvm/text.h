// Strings across the C boundary.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstddef>
#include <string>

extern "C" {

struct WarpwiseText {
  const char *data;
  size_t length;
};

// Receives text; `context` is the caller's.
using WarpwiseSink = void (*)(void *context, WarpwiseText text);

} // extern "C"

// src/ir/llvm/text.rs asserts the same
static_assert(sizeof(WarpwiseText) == 16 && offsetof(WarpwiseText, data) == 0 && offsetof(WarpwiseText, length) == 8);

namespace warpwise {

inline WarpwiseText text(llvm::StringRef S) { return {S.data(), S.size()}; }

inline llvm::StringRef ref(WarpwiseText T) { return {T.data, T.length}; }

// A sink that appends to a std::string.
inline void collect(void *Context, WarpwiseText T) { static_cast<std::string *>(Context)->append(T.data, T.length); }

// A sink that writes to a raw_ostream.
inline void stream(void *Context, WarpwiseText T) { *static_cast<llvm::raw_ostream *>(Context) << ref(T); }

} // namespace warpwise
