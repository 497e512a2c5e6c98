//! The entries that edit a module: the transforms, and what runs before code generation and in host code.

use super::{editing, expected, guarded, say, session_of};
use crate::annotate::codegen;
use crate::inline::Stage;
use crate::llvm::handle;
use crate::llvm::remark::{Host, RawHost};
use crate::llvm::text::{Sink, Text};
use crate::pipeline::{self, Pass, Session};
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use std::ffi::c_void;

/// Puts marked predicates before marked branches, before code is generated.
///
/// # Safety
/// `module` is alive and nobody else reads it during the call; `session` is valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_codegen_mark(module: LLVMModuleRef, session: *const c_void) -> bool {
    let none = Session::default();
    editing("code generation", || {
        // SAFETY: the driver hands out a live module; `session` came from warpwise_session_new and is alive.
        let (module, session) = unsafe { (handle::Module::from_raw(module), session_of(session, &none)) };
        module.is_some_and(|module| codegen::mark(module, session.settings().analysis()))
    })
}

/// Hands PTX with `.uni` on marked branches to the sink.
///
/// # Safety
/// As [`warpwise_check_option`](super::warpwise_check_option).
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
/// The text lives for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_pass_lookup(name: Text) -> i32 {
    // SAFETY: the text lives for this call.
    let name = unsafe { name.get() };
    guarded("pass_lookup", -1, || Pass::of_name(&name).map_or(-1, Pass::number))
}

/// Runs an edit of a module.
///
/// # Safety
/// `module` is alive and nobody else reads it during the call; the rest is valid for the call.
unsafe fn edit_module(
    module: LLVMModuleRef,
    session: *const c_void,
    host: *const RawHost,
    edit: impl FnOnce(handle::Module<'_>, &Session, &Host<'_>) -> bool,
) -> bool {
    let none = Session::default();
    editing("a transform", || {
        // SAFETY: the pass manager hands out a live module; `host` is on the caller's stack, `session` is alive.
        let (module, host, session) =
            unsafe { (handle::Module::from_raw(module), host.as_ref(), session_of(session, &none)) };
        match (module, host) {
            (Some(module), Some(host)) => edit(module, session, &Host::new(host, session.said())),
            _ => false,
        }
    })
}

/// Runs a transform over a module.
///
/// # Safety
/// `module` is alive and nobody else reads it during the call; the rest is valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_pass_run(
    pass: i32,
    module: LLVMModuleRef,
    parameters: Text,
    session: *const c_void,
    host: *const RawHost,
) -> bool {
    // SAFETY: the text lives for this call.
    let parameters = unsafe { parameters.get() };
    // SAFETY: as this function's own.
    unsafe {
        edit_module(module, session, host, |module, session, host| match Pass::try_from(pass) {
            Ok(pass) => expected("pass_run", false, pipeline::run(pass, module, &parameters, session, host)),
            Err(error) => expected("pass_run", false, Err(error)),
        })
    }
}

/// Registers the counters of a CUDA program's device code in its host code.
///
/// # Safety
/// `module` is alive and nobody else reads it during the call; `session` is valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_map_host(module: LLVMModuleRef, session: *const c_void) -> bool {
    let none = Session::default();
    editing("a transform", || {
        // SAFETY: the pass manager hands out a live module; `session` came from warpwise_session_new and is alive.
        let (module, session) = unsafe { (handle::Module::from_raw(module), session_of(session, &none)) };
        module.is_some_and(|module| crate::map::run_host(module, &session.settings().into()))
    })
}

/// Lets the launches in the host code of a CUDA program choose among versions of their kernels.
///
/// # Safety
/// `module` is alive and nobody else reads it during the call; the rest is valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_launch_host(
    module: LLVMModuleRef,
    session: *const c_void,
    host: *const RawHost,
) -> bool {
    // SAFETY: as this function's own.
    unsafe {
        edit_module(module, session, host, |module, session, host| {
            crate::launch::run(module, session.settings().measures(), host)
        })
    }
}

/// Inlines calls that keep stack objects in memory.
///
/// # Safety
/// As [`warpwise_pass_run`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_inline_calls(
    module: LLVMModuleRef,
    early: bool,
    session: *const c_void,
    host: *const RawHost,
) -> bool {
    let stage = if early { Stage::Early } else { Stage::Late };
    // SAFETY: as this function's own.
    unsafe {
        edit_module(module, session, host, |module, session, host| pipeline::inline_calls(module, stage, session, host))
    }
}

/// Unrolls loops that keep stack objects in memory.
///
/// # Safety
/// As [`warpwise_pass_run`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_free_arrays(
    module: LLVMModuleRef,
    parameters: Text,
    session: *const c_void,
    host: *const RawHost,
) -> bool {
    // SAFETY: as this function's own.
    let parameters = unsafe { parameters.get() };
    // SAFETY: as this function's own.
    unsafe {
        edit_module(module, session, host, |module, session, host| {
            expected("free_arrays", false, pipeline::free_arrays(module, &parameters, session, host))
        })
    }
}

/// Melds the sides of one function's divergent branches, in the middle of clang's pipeline.
///
/// # Safety
/// `function` is alive and nobody else reads it during the call; `session` and `host` are valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_fuse_function(
    function: LLVMValueRef,
    session: *const c_void,
    host: *const RawHost,
) -> bool {
    editing("a transform", || {
        // SAFETY: the pass manager hands out a live function; `host` is on the caller's stack.
        let (function, host) = unsafe { (handle::Function::from_raw(function), host.as_ref()) };
        let function = function.filter(|&function| crate::fuse::has_branch(function));
        let (Some(function), Some(host)) = (function, host) else { return false };
        let none = Session::default();
        // SAFETY: `session` came from warpwise_session_new and is alive.
        let session = unsafe { session_of(session, &none) };
        pipeline::fuse_function(function, session, &Host::new(host, session.said()))
    })
}

/// Melds the sides of divergent branches of a module, in the middle of clang's pipeline.
///
/// # Safety
/// As [`warpwise_pass_run`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_fuse_module(
    module: LLVMModuleRef,
    before_link: bool,
    session: *const c_void,
    host: *const RawHost,
) -> bool {
    // SAFETY: as this function's own.
    unsafe {
        edit_module(module, session, host, |module, session, host| {
            pipeline::fuse_module(module, before_link, session, host)
        })
    }
}
