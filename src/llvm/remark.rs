//! How does a finding reach the user? As an LLVM remark under the pass name `warpwise`.

use super::handle::{Function, Inst};
use crate::llvm::text::Text;
use llvm_sys::prelude::LLVMValueRef;
use std::cell::RefCell;
use std::ffi::c_void;

/// What a remark is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Kind {
    /// Something was done (`-Rpass=warpwise`).
    Passed = 0,
    /// Something was refused, and why (`-Rpass-missed=warpwise`).
    Missed = 1,
    /// Something was found out (`-Rpass-analysis=warpwise`).
    Analysis = 2,
    /// The compilation fails; `opt` ends with the first error, so say all else before.
    Error = 3,
    /// Something is wrong with the input.
    Warning = 4,
}

/// `WarpwiseHost` of `passes/abi.h`.
#[repr(C)]
pub struct RawHost {
    context: *mut c_void,
    wanted: u32,
    emit: extern "C" fn(*mut c_void, LLVMValueRef, LLVMValueRef, u32, Text, Text),
    reshape: extern "C" fn(*mut c_void, LLVMValueRef, u32),
}

/// What LLVM's own passes can do to a function in the middle of one of ours; whatever is known of it is stale then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Reshape {
    /// `loop-simplify`.
    SimpleLoops = 0,
    /// `simplifycfg,instcombine`, after it was edited.
    CleanUp = 1,
}

/// A remark that a caller of the library collects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    pub kind: Kind,
    /// Symbol of the function.
    pub function: String,
    /// Name of the remark.
    pub name: String,
    pub message: String,
}

/// Where remarks go while a pass runs.
pub struct Host<'a> {
    raw: Option<&'a RawHost>,
    collected: Option<&'a RefCell<Vec<Remark>>>,
}

impl<'a> Host<'a> {
    /// The pass manager's side.
    pub fn new(raw: &'a RawHost) -> Self {
        Host { raw: Some(raw), collected: None }
    }
    /// Nobody listens: for library callers and tests.
    pub fn silent() -> Host<'static> {
        Host { raw: None, collected: None }
    }
    /// Everything said goes into a list.
    pub fn collecting(list: &'a RefCell<Vec<Remark>>) -> Self {
        Host { raw: None, collected: Some(list) }
    }
    /// Whether anybody wants remarks of a kind; check before building costly texts.
    pub fn wants(&self, kind: Kind) -> bool {
        self.collected.is_some() || self.raw.is_some_and(|raw| raw.wanted & (1 << kind as u32) != 0)
    }
    /// Has LLVM bring a function into shape; without a pass manager nothing happens.
    pub fn reshape(&self, function: Function<'_>, how: Reshape) {
        if let Some(raw) = self.raw {
            (raw.reshape)(raw.context, function.raw(), how as u32);
        }
    }
    /// Emits a remark at an instruction, or at the function.
    pub fn emit(&self, kind: Kind, function: Function<'_>, at: Option<Inst<'_>>, name: &str, message: &str) {
        if let Some(list) = self.collected {
            let (name, message) = (name.to_owned(), message.to_owned());
            list.borrow_mut().push(Remark { kind, function: function.name(), name, message });
        }
        let Some(raw) = self.raw.filter(|_| self.wants(kind)) else { return };
        let at = at.map_or(std::ptr::null_mut(), Inst::raw);
        (raw.emit)(raw.context, function.raw(), at, kind as u32, Text::of(name), Text::of(message));
    }
}
