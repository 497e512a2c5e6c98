//! How does a finding reach the user? As an LLVM remark under the pass name `warpwise`.

use super::handle::{Function, Inst};
use super::plans::Plans;
use super::text::Text;
use llvm_sys::prelude::LLVMValueRef;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::cell::RefCell;
use std::ffi::c_void;
use std::hash::BuildHasher;
use std::mem::offset_of;

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

// passes/abi.h asserts the same
const _: () = assert!(
    Kind::Passed as u32 == 0
        && Kind::Missed as u32 == 1
        && Kind::Analysis as u32 == 2
        && Kind::Error as u32 == 3
        && Kind::Warning as u32 == 4
);

/// `WarpwiseHost` of `passes/abi.h`.
#[repr(C)]
pub struct RawHost {
    context: *mut c_void,
    wanted: u32,
    emit: extern "C" fn(*mut c_void, LLVMValueRef, LLVMValueRef, u32, Text, Text),
    reshape: extern "C" fn(*mut c_void, LLVMValueRef, u32),
    has_nothing: extern "C" fn(*mut c_void, LLVMValueRef) -> bool,
    note_nothing: extern "C" fn(*mut c_void, LLVMValueRef),
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

// passes/abi.h asserts the same
const _: () = assert!(
    size_of::<RawHost>() == 48
        && offset_of!(RawHost, context) == 0
        && offset_of!(RawHost, wanted) == 8
        && offset_of!(RawHost, emit) == 16
        && offset_of!(RawHost, reshape) == 24
        && offset_of!(RawHost, has_nothing) == 32
        && offset_of!(RawHost, note_nothing) == 40
        && Reshape::SimpleLoops as u32 == 0
        && Reshape::CleanUp as u32 == 1
);

/// What was said of places in a module's source, so that nothing is said twice: clang's pipeline runs passes several
/// times, and unrolling copies code. Kept as long as the module is compiled.
#[derive(Debug, Default)]
pub struct Said(RefCell<FxHashSet<u64>>);

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

/// Where remarks go while a pass runs, and how many plans are carried out.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    raw: Option<&'a RawHost>,
    collected: Option<&'a RefCell<Vec<Remark>>>,
    said: Option<&'a Said>,
    /// How many plans are carried out, if not all.
    pub(super) plans: Option<&'a Plans>,
}

impl<'a> Host<'a> {
    /// The pass manager's side, for passes of one module.
    pub fn new(raw: &'a RawHost, said: &'a Said) -> Self {
        Host { raw: Some(raw), collected: None, said: Some(said), plans: None }
    }
    /// Nobody listens: for library callers and tests.
    pub fn silent() -> Host<'static> {
        Host { raw: None, collected: None, said: None, plans: None }
    }
    /// Everything said goes into a list.
    pub fn collecting(list: &'a RefCell<Vec<Remark>>, said: &'a Said) -> Self {
        Host { raw: None, collected: Some(list), said: Some(said), plans: None }
    }
    /// The same place for remarks, with plans to be counted.
    pub fn limited(&self, plans: &'a Plans) -> Host<'a> {
        Host { plans: Some(plans), ..*self }
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
    /// Whether fuse-branches has nothing to look for in a function, as was [noted](Host::note_nothing) of it as it is now.
    pub fn has_nothing(&self, function: Function<'_>) -> bool {
        self.raw.is_some_and(|raw| (raw.has_nothing)(raw.context, function.raw()))
    }
    /// Notes that fuse-branches, with the options of the compilation, has nothing to look for until the function changes.
    pub fn note_nothing(&self, function: Function<'_>) {
        if let Some(raw) = self.raw {
            (raw.note_nothing)(raw.context, function.raw());
        }
    }
    /// Emits a remark at an instruction unless the same was said of the function at that place in the source.
    pub fn emit_once(&self, kind: Kind, function: Function<'_>, at: Inst<'_>, name: &str, message: &str) {
        let is_news = at.debug_loc().zip(self.said).is_none_or(|(place, said)| {
            let key = (function.name(), place.file(), place.line(), place.column(), message);
            said.0.borrow_mut().insert(FxBuildHasher.hash_one(key))
        });
        if is_news {
            self.emit(kind, function, Some(at), name, message);
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
