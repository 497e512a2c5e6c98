// Has the program that loads the plugin all that the plugin calls of LLVM? The plugin names no library of LLVM, which
// would be a second one beside that of the program. scripts/install lets symbols be missing when it is loaded, so that
// this can be asked before any is called.

#include "abi.h"
#include <cstring>
#include <dlfcn.h>
#include <link.h>

// A symbol that is missing, by its name; null if there are all.
const char *warpwise_missing_symbol() {
  Dl_info Info;
  void *Found = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(&warpwise_missing_symbol), &Info, &Found, RTLD_DL_LINKMAP) || !Found)
    return nullptr;
  const ElfW(Sym) *Symbols = nullptr;
  const char *Names = nullptr;
  const uint32_t *Hashes = nullptr;
  for (const ElfW(Dyn) *Entry = static_cast<link_map *>(Found)->l_ld; Entry->d_tag != DT_NULL; ++Entry) {
    if (Entry->d_tag == DT_SYMTAB)
      Symbols = reinterpret_cast<const ElfW(Sym) *>(Entry->d_un.d_ptr);
    if (Entry->d_tag == DT_STRTAB)
      Names = reinterpret_cast<const char *>(Entry->d_un.d_ptr);
    if (Entry->d_tag == DT_GNU_HASH)
      Hashes = reinterpret_cast<const uint32_t *>(Entry->d_un.d_ptr);
  }
  if (!Symbols || !Names || !Hashes)
    return nullptr;
  // the table of hashes has what the file defines; what it needs comes first
  for (uint32_t Number = 1, First = Hashes[1]; Number < First; ++Number) {
    const char *Name = Names + Symbols[Number].st_name;
    if ((strstr(Name, "LLVM") || strstr(Name, "4llvm")) && !dlsym(RTLD_DEFAULT, Name))
      return Name;
  }
  return nullptr;
}
