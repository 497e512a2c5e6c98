// Strings across the C boundary.
#pragma once

#include "abi.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace warpwise {

inline WarpwiseText text(llvm::StringRef S) { return {S.data(), S.size()}; }

inline llvm::StringRef ref(WarpwiseText T) { return {T.data, T.length}; }

// A sink that appends to a std::string.
inline void collect(void *Context, WarpwiseText T) { static_cast<std::string *>(Context)->append(T.data, T.length); }

// A sink that writes to a raw_ostream.
inline void stream(void *Context, WarpwiseText T) { *static_cast<llvm::raw_ostream *>(Context) << ref(T); }

} // namespace warpwise
