//! What does the debug information of a module say? See `debug_check.cpp`.

use super::optimise::transform;
use super::owned::OwnedModule;
use crate::llvm::text::Text;
use llvm_sys::prelude::LLVMModuleRef;
use std::collections::BTreeSet;
use std::ffi::c_void;

unsafe extern "C" {
    fn warpwise_strip_debug(module: LLVMModuleRef);
    fn warpwise_tell_debug(module: LLVMModuleRef, sink: extern "C" fn(*mut c_void, Text), context: *mut c_void);
}

/// Everything that debug information says about the code of a module.
#[derive(Clone, Default, Debug)]
pub struct Told {
    /// `FUNCTION:VARIABLE` of each variable that has a value somewhere.
    pub known: BTreeSet<String>,
    /// The same of each variable that is said to be unknown somewhere.
    pub unknown: BTreeSet<String>,
    /// Instructions that belong to none.
    pub bare: Vec<String>,
    /// What is malformed, a sentence each.
    pub bad: Vec<String>,
}

extern "C" fn collect(context: *mut c_void, text: Text) {
    // SAFETY: `context` is the Told of `Told::of`, the text is alive for this call.
    let (Some(told), text) = (unsafe { (context.cast::<Told>().as_mut(), text.get()) }) else { return };
    let Some((kind, rest)) = text.split_once(' ') else { return };
    match kind {
        "known" => _ = told.known.insert(rest.to_owned()),
        "unknown" => _ = told.unknown.insert(rest.to_owned()),
        "bare" => told.bare.push(rest.to_owned()),
        _ => told.bad.push(rest.to_owned()),
    }
}

impl Told {
    /// Of a module.
    pub fn of(module: &OwnedModule) -> Told {
        let mut told = Told::default();
        // SAFETY: the module is alive and only read; the sink gets the Told it expects.
        unsafe { warpwise_tell_debug(module.inkwell().as_mut_ptr(), collect, (&raw mut told).cast()) };
        told
    }
}

/// Gives a module full debug information: a line for each instruction, a variable for each value.
pub fn dress(module: &OwnedModule) -> Result<(), String> {
    transform(module, "debugify", None).map(|_| ())
}

/// The text of a module without any debug information, which it loses.
pub fn stripped(module: &OwnedModule) -> String {
    // SAFETY: the module is alive, and nobody holds handles into it.
    unsafe { warpwise_strip_debug(module.inkwell().as_mut_ptr()) };
    module.inkwell().print_to_string().to_string()
}
