//! The entries that edit a module: the transforms, and what runs in host code.

use super::{editing, expected, guarded, session_of};
use crate::pipeline::{self, Phase, Run, Session};
use crate::registry::Pass;
use std::ffi::c_void;
use warpwise_ir::llvm::handle::{self, RawModule, RawValue};
use warpwise_ir::llvm::remark::{PassManager, RawPassManager};
use warpwise_ir::llvm::text::Text;

/// Number of a pass by name, negative if it is none.
///
/// # Safety
/// The text lives for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_pass_lookup(name: Text) -> i32 {
    // SAFETY: the text lives for this call.
    let name = unsafe { name.get() };
    guarded("pass_lookup", -1, || Pass::of_name(&name).map_or(-1, Pass::number))
}

/// Says whether the back end joins products and sums whatever their flags say, in modules of this thread from now on.
#[unsafe(no_mangle)]
pub extern "C" fn warpwise_joins_all(joins: bool) {
    handle::joins_all(joins);
}

/// The name of a pass, which lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn warpwise_pass_name(pass: u32) -> Text {
    guarded("pass_name", Text::of(""), || {
        Pass::try_from(pass as i32).map_or(Text::of(""), |pass| Text::of(pass.name()))
    })
}

/// What the C++ side must know of a pass, as bits.
#[unsafe(no_mangle)]
pub extern "C" fn warpwise_pass_traits(pass: u32) -> u32 {
    guarded("pass_traits", 0, || Pass::try_from(pass as i32).map_or(0, |pass| pass.info().traits.bits()))
}

/// Runs a pass over a module.
///
/// # Safety
/// `module` is alive and nobody else reads it during the call; the rest is valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_pass_run(
    pass: u32,
    phase: u32,
    module: RawModule,
    parameters: Text,
    session: *const c_void,
    manager: *const RawPassManager,
) -> bool {
    let none = Session::default();
    editing("a pass", || {
        // SAFETY: the pass manager hands out a live module; `manager` is on the caller's stack, `session` and text are alive.
        let (module, manager, session, parameters) = unsafe {
            (handle::Module::from_raw(module), manager.as_ref(), session_of(session, &none), parameters.get())
        };
        let (Some(module), Some(manager)) = (module, manager) else { return false };
        let phase = Phase::of_number(phase);
        let run = |pass: Pass| {
            let manager = &PassManager::new(manager, session.said(), pass.name());
            (pass.info().run)(&Run { module, parameters: &parameters, phase, session, manager })
        };
        match Pass::try_from(pass as i32) {
            Ok(pass) => expected("pass_run", false, run(pass)),
            Err(error) => expected("pass_run", false, Err(error)),
        }
    })
}

/// Melds the sides of one function's divergent branches, in the middle of clang's pipeline.
///
/// # Safety
/// `function` is alive and nobody else reads it during the call; `session` and `manager` are valid for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_fuse_function(
    function: RawValue,
    session: *const c_void,
    manager: *const RawPassManager,
) -> bool {
    editing("a transform", || {
        // SAFETY: the pass manager hands out a live function; `manager` is on the caller's stack.
        let (function, manager) = unsafe { (handle::Function::from_raw(function), manager.as_ref()) };
        let function = function.filter(|&function| crate::fuse::has_branch(function));
        let (Some(function), Some(manager)) = (function, manager) else { return false };
        let none = Session::default();
        // SAFETY: `session` came from warpwise_session_new and is alive.
        let session = unsafe { session_of(session, &none) };
        pipeline::fuse_function(function, session, &PassManager::new(manager, session.said(), Pass::Fuse.name()))
    })
}
