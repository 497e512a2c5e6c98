//! What does a program find that loads the plugin, and may it use it?

use std::ffi::{CStr, c_char, c_void};
use std::mem::offset_of;
use std::sync::LazyLock;
use warpwise_ir::llvm::dialect::MAJOR as BUILT_FOR;
use warpwise_ir::llvm::optimise::{self, Registration};
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_ir::llvm::text::{Sink, collect};

/// The C++ struct `llvm::PassPluginLibraryInfo` of plugin API version 2: five fields, returned by value.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: *const c_void,
    pre_code_gen: *const c_void,
}

// passes/abi.h asserts the same
const _: () = {
    assert!(size_of::<PassPluginLibraryInfo>() == 40 && offset_of!(PassPluginLibraryInfo, api_version) == 0);
    assert!(offset_of!(PassPluginLibraryInfo, name) == 8 && offset_of!(PassPluginLibraryInfo, version) == 16);
    assert!(offset_of!(PassPluginLibraryInfo, register) == 24 && offset_of!(PassPluginLibraryInfo, pre_code_gen) == 32);
};

unsafe extern "C" {
    fn warpwise_plugin_info() -> PassPluginLibraryInfo;
    fn warpwise_missing_symbol() -> *const c_char;
    fn warpwise_other_copy(sink: Sink, context: *mut c_void);
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

/// Major version of the LLVM whose program loads the plugin, if it can be asked: `LLVMGetVersion` as the program itself
/// sees it (the plugin sees that of the library it was linked with).
fn loading_llvm() -> Option<u32> {
    // SAFETY: the default scope may be searched for any name.
    let found = unsafe { dlsym(std::ptr::null_mut(), c"LLVMGetVersion".as_ptr()) };
    if found.is_null() {
        return None;
    }
    // SAFETY: LLVM's C API has had this function with this signature since version 16, and nobody else has one.
    let get: extern "C" fn(*mut u32, *mut u32, *mut u32) = unsafe { std::mem::transmute(found) };
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    get(&mut major, &mut minor, &mut patch);
    Some(major)
}

/// The file of another copy of the plugin in this process.
fn other_copy() -> Option<String> {
    let mut path = String::new();
    // SAFETY: defined in passes/options.cpp; the sink gets the String it expects.
    unsafe { warpwise_other_copy(collect, (&raw mut path).cast()) };
    (!path.is_empty()).then_some(path)
}

/// Why the LLVM of this program cannot be used.
static NO_LLVM: LazyLock<Option<String>> = LazyLock::new(|| {
    if let Some(major) = loading_llvm().filter(|&major| major != BUILT_FOR) {
        let other = if major == 23 { ", or libwarpwise-23.so, which `scripts/install --static` installs" } else { "" };
        return Some(format!(
            "this warpwise was built for LLVM {BUILT_FOR} and cannot be loaded into LLVM {major}; use the programs of \
             LLVM {BUILT_FOR}{other}"
        ));
    }
    // SAFETY: defined in passes/symbols.cpp; the name is in the symbol table of this file.
    let missing = unsafe { warpwise_missing_symbol().as_ref().map(|name| CStr::from_ptr(name)) }?;
    Some(format!(
        "this program cannot use warpwise, which takes LLVM {BUILT_FOR} from the program that loads it: it has no symbol {}; \
         use a compiler whose LLVM is a shared library, or that exports all symbols of LLVM {BUILT_FOR}",
        missing.to_string_lossy()
    ))
});

/// Whether the program's LLVM can be used. Asked when the plugin is loaded, before anything of LLVM is touched.
#[unsafe(no_mangle)]
pub extern "C" fn warpwise_llvm_fits() -> bool {
    NO_LLVM.is_none()
}

/// Why this program must not use the plugin.
fn misfit() -> Option<String> {
    if NO_LLVM.is_some() {
        return NO_LLVM.clone();
    }
    let first = other_copy()?;
    Some(format!("a copy of warpwise is loaded already, {first}; name one file of the plugin only"))
}

/// What LLVM looks up in a plugin. For a program of another LLVM, or that has a copy of the plugin already, the API version
/// is zero, which every LLVM refuses: nothing else of that program is touched.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    // SAFETY: defined in passes/plugin.cpp, takes nothing, returns static data.
    let info = unsafe { warpwise_plugin_info() };
    match misfit() {
        Some(sentence) => {
            eprintln!("error: {sentence}");
            PassPluginLibraryInfo { api_version: 0, ..info }
        }
        None => info,
    }
}

/// Runs a pipeline on a module as `opt` with the plugin would. Returns whether it changed the module.
pub fn transform(module: &OwnedModule, passes: &str) -> Result<bool, String> {
    // SAFETY: defined in passes/plugin.cpp, takes nothing, returns static data with the function that LLVM would call.
    let registration = unsafe { Registration::new(warpwise_plugin_info().register) };
    optimise::transform(module, passes, Some(registration))
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_ir::llvm::optimise::optimise;

    #[test]
    fn our_passes_run_too() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @f() {\n  ret void\n}\n";
        let module = OwnedModule::from_text(text, "test").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(transform(&module, "steer-spills<regs=32>,fuse-branches"), Ok(false));
        assert!(optimise(&module, "fuse-branches").is_err(), "without the plugin");
        assert!(transform(&module, "steer-spills<frob>").is_err());
    }
}
