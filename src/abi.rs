//! The extern "C" entries called from `passes/`, and nothing else. Mirrors `passes/abi.h`.
//!
//! No panic leaves: every entry runs under `catch_unwind`. A panic while nothing was edited is reported to stderr and
//! answered as "nothing known, nothing changed"; a transform that panics may have edited, so it aborts.
#![allow(unsafe_code)] // the C boundary: each block names its guarantor

use crate::annotate::codegen;
use crate::divergence::print::Printer;
use crate::divergence::{Facts, ModuleAnalysis};
use crate::geometry::BlockShape;
use crate::ir::handles::Handles;
use crate::llvm::handle;
use crate::llvm::remark::{Host, RawHost};
use crate::llvm::text::Text;
use crate::pipeline::{self, Settings};
use crate::remarks::{self, Listen};
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

type Sink = extern "C" fn(*mut c_void, Text);

fn say(sink: Sink, context: *mut c_void, text: &str) {
    sink(context, Text::of(text));
}

/// Runs a read-only entry; a panic becomes the fallback.
fn guarded<T>(what: &str, fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        eprintln!("warpwise: internal error in {what}; nothing was changed (please report it)");
        fallback
    })
}

/// Runs an entry that edits; after a panic in one nothing can be promised.
fn editing(body: impl FnOnce() -> bool) -> bool {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        eprintln!("warpwise: internal error in a transform; the module may be half edited, giving up");
        std::process::abort()
    })
}

/// The C++ struct `llvm::PassPluginLibraryInfo` of plugin API version 2: five fields, returned by value.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: *const c_void,
    pre_code_gen: *const c_void,
}

/// The one LLVM that the crates we link are made for.
const BUILT_FOR: u32 = 22;

unsafe extern "C" {
    fn warpwise_plugin_info() -> PassPluginLibraryInfo;
}

unsafe extern "C" {
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

/// What LLVM looks up in a plugin. For a program of another LLVM the API version is zero, which every LLVM refuses:
/// nothing else of that program is touched.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    // SAFETY: defined in passes/plugin.cpp, takes nothing, returns static data.
    let info = unsafe { warpwise_plugin_info() };
    match loading_llvm() {
        Some(major) if major != BUILT_FOR => {
            eprintln!(
                "error: this warpwise was built for LLVM {BUILT_FOR} and cannot be loaded into LLVM {major}; use the \
                 programs of LLVM {BUILT_FOR}"
            );
            PassPluginLibraryInfo { api_version: 0, ..info }
        }
        _ => info,
    }
}

/// Checks the text between the angle brackets of a pass.
///
/// # Safety
/// Called from `passes/` with valid text and a sink that takes `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_check_parameters(
    pass: Text,
    parameters: Text,
    sink: Sink,
    context: *mut c_void,
) -> bool {
    // SAFETY: both texts live for this call.
    let (pass, parameters) = unsafe { (pass.get(), parameters.get()) };
    guarded("check_parameters", false, || match Settings::parse(&pass, &parameters) {
        Ok(_) => true,
        Err(error) => {
            say(sink, context, &error.to_string());
            false
        }
    })
}

/// Checks one value of `-warpwise-block`.
///
/// # Safety
/// As [`warpwise_check_parameters`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_check_block(value: Text, sink: Sink, context: *mut c_void) -> bool {
    // SAFETY: the text lives for this call.
    let value = unsafe { value.get() };
    guarded("check_block", false, || match value.parse::<BlockShape>() {
        Ok(_) => true,
        Err(error) => {
            say(sink, context, &error.to_string());
            false
        }
    })
}

/// Remembers a command-line option.
///
/// # Safety
/// As [`warpwise_check_parameters`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_set_option(name: Text, value: Text) {
    // SAFETY: both texts live for this call.
    let (name, value) = unsafe { (name.get(), value.get()) };
    guarded("set_option", (), || pipeline::set_option(&name, &value));
}

/// Whether the default pipeline, as the command line has it, runs the transform of a switch (`fuse`).
///
/// # Safety
/// As [`warpwise_check_parameters`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_runs_by_default(word: Text) -> bool {
    // SAFETY: the text lives for this call.
    let word = unsafe { word.get() };
    guarded("runs_by_default", false, || pipeline::runs_by_default(&word))
}

/// Starts the analysis of a module.
///
/// # Safety
/// `module` is alive and unchanged until [`warpwise_module_free`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_module_new(module: LLVMModuleRef, parameters: Text) -> *mut c_void {
    // SAFETY: the text lives for this call.
    let parameters = unsafe { parameters.get() };
    guarded("module_new", std::ptr::null_mut(), || {
        // SAFETY: the pass manager keeps the module alive as long as the analysis result.
        let Some(module) = (unsafe { handle::Module::<'static>::from_raw(module) }) else {
            return std::ptr::null_mut();
        };
        let options = match parameters.is_empty() {
            true => pipeline::analysis_options(),
            false => Settings::parse("affine-divergence", &parameters).unwrap_or_default().analysis(),
        };
        Box::into_raw(Box::new(ModuleAnalysis::new(module, options))).cast()
    })
}

/// # Safety
/// `analysis` came from [`warpwise_module_new`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_module_free(analysis: *mut c_void) {
    if !analysis.is_null() {
        // SAFETY: made by Box::into_raw above, freed once.
        drop(unsafe { Box::from_raw(analysis.cast::<ModuleAnalysis<'static>>()) });
    }
}

struct FunctionFacts {
    facts: Facts,
    handles: Handles<'static>,
}

/// Facts of one function with a body.
///
/// # Safety
/// `analysis` is alive; `function` belongs to its module and is unchanged while the facts live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_facts_new(analysis: *mut c_void, function: LLVMValueRef) -> *mut c_void {
    guarded("facts_new", std::ptr::null_mut(), || {
        // SAFETY: `analysis` came from warpwise_module_new and is alive.
        let Some(analysis) = (unsafe { analysis.cast::<ModuleAnalysis<'static>>().as_ref() }) else {
            return std::ptr::null_mut();
        };
        // SAFETY: the pass manager hands out a live function of the module.
        let Some(function) = (unsafe { handle::Function::<'static>::from_raw(function) }) else {
            return std::ptr::null_mut();
        };
        let (facts, handles) = analysis.facts(function);
        Box::into_raw(Box::new(FunctionFacts { facts, handles })).cast()
    })
}

/// # Safety
/// `facts` came from [`warpwise_facts_new`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_facts_free(facts: *mut c_void) {
    if !facts.is_null() {
        // SAFETY: made by Box::into_raw above, freed once.
        drop(unsafe { Box::from_raw(facts.cast::<FunctionFacts>()) });
    }
}

/// Writes the facts as text.
///
/// # Safety
/// `facts` is alive and its function unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_facts_print(facts: *mut c_void, sink: Sink, context: *mut c_void) {
    guarded("facts_print", (), || {
        // SAFETY: `facts` came from warpwise_facts_new and is alive.
        if let Some(known) = unsafe { facts.cast::<FunctionFacts>().as_ref() } {
            say(sink, context, &Printer::new(&known.facts, &known.handles).function());
        }
    });
}

/// Emits the analysis remarks of a function.
///
/// # Safety
/// `facts` is alive, its function unchanged, `host` valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_facts_remarks(facts: *mut c_void, host: *const RawHost) {
    guarded("facts_remarks", (), || {
        // SAFETY: `facts` came from warpwise_facts_new, `host` is on the caller's stack.
        let (Some(known), Some(host)) = (unsafe { (facts.cast::<FunctionFacts>().as_ref(), host.as_ref()) }) else {
            return;
        };
        let settings = Settings::parse("warpwise-remarks", "").unwrap_or_default();
        let listen = Listen { everything: settings.remark_all };
        remarks::emit(&known.facts, &known.handles, &Host::new(host), listen);
    });
}

/// Puts marked predicates before marked branches, before code is generated.
///
/// # Safety
/// `module` is alive and nobody else reads it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_codegen_mark(module: LLVMModuleRef) -> bool {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the driver hands out a live module.
        let module = unsafe { handle::Module::from_raw(module) };
        module.is_some_and(|module| codegen::mark(module, &pipeline::codegen_settings()))
    }));
    outcome.unwrap_or_else(|_| {
        eprintln!("warpwise: internal error before code generation; the module may be half edited, giving up");
        std::process::abort()
    })
}

/// Hands PTX with `.uni` on marked branches to the sink.
///
/// # Safety
/// As [`warpwise_check_parameters`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_codegen_rewrite(ptx: Text, sink: Sink, context: *mut c_void) {
    // SAFETY: the text lives for this call.
    let ptx = unsafe { ptx.get() };
    let rewritten = guarded("codegen_rewrite", None, || Some(codegen::rewrite(&ptx)));
    // without marks taken up the text is right all the same
    say(sink, context, rewritten.as_deref().unwrap_or(&ptx));
}

/// Number of a transform by name, negative if it is none.
///
/// # Safety
/// As [`warpwise_check_parameters`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_pass_lookup(name: Text) -> i32 {
    // SAFETY: the text lives for this call.
    let name = unsafe { name.get() };
    guarded("pass_lookup", -1, || pipeline::lookup(&name).map_or(-1, |index| index as i32))
}

/// Runs a transform over a module.
///
/// # Safety
/// `module` is alive and nobody else reads it during the call; `host` valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_pass_run(
    pass: i32,
    module: LLVMModuleRef,
    parameters: Text,
    host: *const RawHost,
) -> bool {
    // SAFETY: the text lives for this call.
    let parameters = unsafe { parameters.get() };
    editing(|| {
        // SAFETY: the pass manager hands out a live module; `host` is on the caller's stack.
        let (module, host) = unsafe { (handle::Module::from_raw(module), host.as_ref()) };
        match (module, host) {
            (Some(module), Some(host)) => pipeline::run(pass as usize, module, &parameters, &Host::new(host)),
            _ => false,
        }
    })
}

/// Registers the counters of a CUDA program's device code in its host code.
///
/// # Safety
/// `module` is alive and nobody else reads it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_map_host(module: LLVMModuleRef) -> bool {
    editing(|| {
        // SAFETY: the pass manager hands out a live module.
        let module = unsafe { handle::Module::from_raw(module) };
        match (module, Settings::parse("divergence-map", "")) {
            (Some(module), Ok(settings)) => crate::map::run_host(module, &settings),
            _ => false,
        }
    })
}

/// Melds the sides of one function's divergent branches, in the middle of clang's pipeline.
///
/// # Safety
/// `function` is alive and nobody else reads it during the call; `host` valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_fuse_function(function: LLVMValueRef, host: *const RawHost) -> bool {
    editing(|| {
        // SAFETY: the pass manager hands out a live function; `host` is on the caller's stack.
        let (function, host) = unsafe { (handle::Function::from_raw(function), host.as_ref()) };
        let function = function.filter(|&function| crate::fuse::has_branch(function));
        match (function, host) {
            (Some(function), Some(host)) => pipeline::fuse_function(function, &Host::new(host)),
            _ => false,
        }
    })
}

/// Melds the sides of divergent branches of a module, in the middle of clang's pipeline.
///
/// # Safety
/// As [`warpwise_pass_run`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_fuse_module(module: LLVMModuleRef, host: *const RawHost) -> bool {
    editing(|| {
        // SAFETY: the pass manager hands out a live module; `host` is on the caller's stack.
        let (module, host) = unsafe { (handle::Module::from_raw(module), host.as_ref()) };
        match (module, host) {
            (Some(module), Some(host)) => pipeline::fuse_module(module, &Host::new(host)),
            _ => false,
        }
    })
}
