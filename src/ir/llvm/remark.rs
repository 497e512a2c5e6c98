//! How does a finding reach the user? As an LLVM remark under the pass name `warpwise`.

use super::handle::{DebugLoc, Function, Inst};
use super::lowered::{self, From, Lowered, LoweredSink};
use super::plans::Plans;
use super::text::Text;
use super::trace::Trace;
use crate::source::Whose;
use llvm_sys::prelude::LLVMValueRef;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::ffi::c_void;
use std::hash::BuildHasher;
use std::mem::offset_of;

/// What a remark is about; `passes/abi.h` asserts the same numbers.
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

/// `WARPWISE_COUNTED` of `passes/abi.h`, as a bit.
const COUNTS: u32 = 1 << 5;

/// `WarpwisePassManager` of `passes/abi.h`.
#[repr(C)]
pub struct RawPassManager {
    context: *mut c_void,
    wanted: u32,
    emit: extern "C" fn(*mut c_void, LLVMValueRef, LLVMValueRef, u32, u32, Text, Text),
    reshape: extern "C" fn(*mut c_void, LLVMValueRef, u32),
    has_nothing: extern "C" fn(*mut c_void, LLVMValueRef) -> bool,
    note_nothing: extern "C" fn(*mut c_void, LLVMValueRef),
    time: extern "C" fn(Text, bool),
    lower: extern "C" fn(LLVMValueRef, bool, LoweredSink, *mut c_void) -> bool,
}

/// What LLVM's own passes can do to a function in the middle of one of ours; whatever is known of it is stale then.
/// `passes/abi.h` asserts the same numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Reshape {
    /// `simplifycfg,instcombine`, after it was edited.
    CleanUp = 0,
    /// `loop-unroll` of loops that are marked for it, then `simplifycfg,instcombine`.
    Unroll = 1,
    /// LLVM's pipeline for a single function, as after its own inlining.
    Simplify = 2,
    /// As [`Reshape::Unroll`], with `sroa` and `early-cse` after `loop-unroll`.
    FreeArrays = 3,
    /// `simple-loop-unswitch<nontrivial>` of loops that are marked for it, then `simplifycfg,instcombine`.
    Unswitch = 4,
    /// `infer-alignment`, where objects are aligned to more than they were.
    Align = 5,
}

// passes/abi.h asserts the same
const _: () = assert!(
    size_of::<RawPassManager>() == 64
        && offset_of!(RawPassManager, lower) == 56
        && offset_of!(RawPassManager, time) == 48
        && offset_of!(RawPassManager, context) == 0
        && offset_of!(RawPassManager, wanted) == 8
        && offset_of!(RawPassManager, emit) == 16
        && offset_of!(RawPassManager, reshape) == 24
        && offset_of!(RawPassManager, has_nothing) == 32
        && offset_of!(RawPassManager, note_nothing) == 40
);

/// What was said of places in a module's source, so that nothing is said twice: clang's pipeline runs passes several
/// times, unrolling and inlining copy code, templates have instantiations. Kept as long as the module is compiled.
#[derive(Debug, Default)]
pub struct Said {
    whose: Whose,
    trace: Trace,
    known: RefCell<FxHashSet<u64>>,
    waiting: RefCell<Vec<Waiting>>,
}

impl Said {
    /// For somebody who wants to hear of these sources, and perhaps to read every decision.
    pub fn of(whose: Whose, prints_decisions: bool) -> Said {
        Said { whose, trace: Trace::new(prints_decisions), ..Said::default() }
    }
}

/// The function, the instruction (null for the function itself), and the call sites up from its own location.
type RawPlace = (LLVMValueRef, LLVMValueRef, u32);

/// A remark that waits for others of the same place; nothing is edited meanwhile.
#[derive(Debug)]
struct Waiting {
    /// Hash of the place and of what is said.
    key: u64,
    place: RawPlace,
    kind: Kind,
    name: String,
    message: String,
    count: u32,
    /// Hash of the place and the remark's name.
    site: u64,
    /// The instantiation; empty if it is no template, or of several.
    owner: String,
}

/// Where a remark is shown.
struct Shown {
    /// Call sites up from the instruction's own location.
    up: u32,
    /// What tells the place from others; none without debug information.
    key: Option<u64>,
    /// Of whom inlined code is, that is not shown itself.
    within: String,
    /// The instantiation of a template; empty if it is none.
    owner: String,
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

/// LLVM's pass manager as a pass sees it: where remarks go while it runs, and how many plans are carried out.
#[derive(Clone, Copy)]
pub struct PassManager<'a> {
    raw: Option<&'a RawPassManager>,
    collected: Option<&'a RefCell<Vec<Remark>>>,
    said: Option<&'a Said>,
    /// The pass that runs.
    pub(super) pass: &'static str,
    /// How many plans are carried out, if not all.
    pub(super) plans: Option<&'a Plans>,
    /// Functions that no pass changes meanwhile, if there are any.
    left_alone: Option<&'a FxHashSet<Function<'a>>>,
    /// Whether nothing is said.
    is_quiet: bool,
}

impl<'a> PassManager<'a> {
    /// The pass manager's side, for passes of one module.
    pub fn new(raw: &'a RawPassManager, said: &'a Said, pass: &'static str) -> Self {
        if raw.wanted & COUNTS != 0 {
            said.trace.count();
        }
        PassManager { raw: Some(raw), said: Some(said), pass, is_quiet: false, ..PassManager::silent() }
    }
    /// Nobody listens: for library callers and tests.
    pub fn silent() -> PassManager<'static> {
        PassManager { raw: None, collected: None, said: None, pass: "", plans: None, left_alone: None, is_quiet: true }
    }
    /// Everything said goes into a list.
    pub fn collecting(list: &'a RefCell<Vec<Remark>>, said: &'a Said) -> Self {
        PassManager { collected: Some(list), said: Some(said), is_quiet: false, ..PassManager::silent() }
    }
    /// Runs a pass, or a part of one with a name of its own: its decisions are noted and its time is taken under that name.
    pub fn run<R>(&self, pass: &'static str, body: impl FnOnce(&PassManager<'a>) -> R) -> R {
        let time = |starts| self.raw.iter().for_each(|raw| (raw.time)(Text::of(pass), starts));
        time(true);
        let result = body(&PassManager { pass, ..*self });
        time(false);
        result
    }
    /// The same place for remarks, with plans to be counted.
    pub fn limited(&self, plans: &'a Plans) -> PassManager<'a> {
        PassManager { plans: Some(plans), ..*self }
    }
    /// The same pass manager, for changes of which nothing is said and no plans are counted.
    pub fn quiet(&self) -> PassManager<'a> {
        PassManager { plans: None, is_quiet: true, ..*self }
    }
    /// The same pass manager, for passes that leave some functions alone.
    pub fn beside(&self, functions: &'a FxHashSet<Function<'a>>) -> PassManager<'a> {
        PassManager { left_alone: Some(functions), ..*self }
    }
    /// Whether passes leave a function alone.
    pub fn leaves_alone(&self, function: Function<'_>) -> bool {
        self.left_alone.is_some_and(|functions| functions.contains(&function))
    }
    /// Whether anybody wants remarks of a kind, or to know of the decisions that they tell of; check before building costly
    /// texts.
    pub fn wants(&self, kind: Kind) -> bool {
        self.is_heard(kind) || self.trace(kind).is_some()
    }
    /// Whether somebody wants remarks of a kind.
    fn is_heard(&self, kind: Kind) -> bool {
        !self.is_quiet && (self.collected.is_some() || self.raw.is_some_and(|raw| raw.wanted & (1 << kind as u32) != 0))
    }
    /// What notes decisions, if remarks of a kind tell of some and anybody wants to know.
    fn trace(&self, kind: Kind) -> Option<&'a Trace> {
        let is_decision = matches!(kind, Kind::Passed | Kind::Missed) && !self.is_quiet;
        self.said.map(|said| &said.trace).filter(|trace| is_decision && trace.is_on())
    }
    /// Whether the user has asked for all remarks, on whatever source and whether or not anything follows from them.
    pub fn tells_everything(&self) -> bool {
        self.said.is_some_and(|said| said.whose == Whose::All)
    }
    /// Has LLVM bring a function into shape; without a pass manager nothing happens.
    pub fn reshape(&self, function: Function<'_>, how: Reshape) {
        if let Some(raw) = self.raw {
            (raw.reshape)(raw.context, function.raw(), how as u32);
        }
    }
    /// What LLVM makes of a function without this plugin; `None` if nobody knows, as in `opt`.
    pub fn lowered(&self, function: Function<'_>, from: From) -> Option<Vec<Lowered>> {
        let raw = self.raw?;
        let mut found: Vec<Lowered> = Vec::new();
        (raw.lower)(function.raw(), from == From::Inlined, lowered::collect, (&raw mut found).cast()).then_some(found)
    }
    /// Whether fuse-branches has nothing to look for in a function, as was [noted](PassManager::note_nothing) of it as it is now.
    pub fn has_nothing(&self, function: Function<'_>) -> bool {
        self.raw.is_some_and(|raw| (raw.has_nothing)(raw.context, function.raw()))
    }
    /// Notes that fuse-branches, with the options of the compilation, has nothing to look for until the function changes.
    pub fn note_nothing(&self, function: Function<'_>) {
        if let Some(raw) = self.raw {
            (raw.note_nothing)(raw.context, function.raw());
        }
    }
    /// Emits a remark at an instruction, or at the function: at the innermost line of the user's that it stands for, and
    /// once for each place. What is only found out waits until [`PassManager::finish`], and is counted.
    pub fn emit(&self, kind: Kind, function: Function<'_>, at: Option<Inst<'_>>, name: &str, message: &str) {
        if let Some(trace) = self.trace(kind) {
            trace.note(self.pass, kind, (function, at), name, message);
        }
        if !self.is_heard(kind) {
            return;
        }
        // without a line of its own it stands for the function, if that has one
        let at = at.filter(|inst| inst.debug_loc().is_some() || function.source().is_none());
        let raw_at = at.map_or(std::ptr::null_mut(), Inst::raw);
        let say = |up, message: &str| self.say(kind, (function.raw(), raw_at, up), name, message);
        let Some(said) = self.said.filter(|_| !matches!(kind, Kind::Error | Kind::Warning)) else {
            return say(0, message);
        };
        let Some(Shown { up, key: place_key, within, owner }) = shown(&said.whose, function, at) else { return };
        let message = format!("{message}{within}");
        let site = FxBuildHasher.hash_one((place_key, name));
        let Some(key) = place_key.map(|key| FxBuildHasher.hash_one((key, name, &message))) else {
            return say(up, &message);
        };
        if kind != Kind::Analysis {
            if said.known.borrow_mut().insert(key) {
                say(up, &message);
            }
            return;
        }
        let mut waiting = said.waiting.borrow_mut();
        match waiting.iter_mut().find(|other| other.key == key) {
            Some(other) => {
                other.count += 1;
                if other.owner != owner {
                    other.owner.clear();
                }
            }
            None => {
                let (place, name) = ((function.raw(), raw_at, up), name.to_owned());
                waiting.push(Waiting { key, place, kind, name, message, count: 1, site, owner });
            }
        }
    }

    /// Says what waited.
    pub fn finish(&self) {
        let Some(said) = self.said else { return };
        let waiting = said.waiting.take();
        // instantiations of which different things are said at one place
        let mut first: FxHashMap<u64, &str> = FxHashMap::default();
        let mut differing: FxHashSet<u64> = FxHashSet::default();
        for Waiting { site, owner, .. } in &waiting {
            if *first.entry(*site).or_insert(owner) != owner.as_str() {
                differing.insert(*site);
            }
        }
        for Waiting { key, place, kind, name, mut message, count, site, owner } in waiting {
            if differing.contains(&site) && !owner.is_empty() {
                message = format!("{message}; in {owner}");
            }
            if said.known.borrow_mut().insert(key) {
                let times = if count > 1 { format!("; {count} times here") } else { String::new() };
                self.say(kind, place, &name, &format!("{message}{times}"));
            }
        }
    }

    /// Hands a remark to whoever listens.
    fn say(&self, kind: Kind, (function, at, up): RawPlace, name: &str, message: &str) {
        if let Some(list) = self.collected {
            // SAFETY: a function of the module that the pass runs on; nothing is edited while a remark waits
            let function = unsafe { Function::from_raw(function) }.map(Function::name).unwrap_or_default();
            let (name, message) = (name.to_owned(), message.to_owned());
            list.borrow_mut().push(Remark { kind, function, name, message });
        }
        if let Some(raw) = self.raw {
            (raw.emit)(raw.context, function, at, up, kind as u32, Text::of(name), Text::of(message));
        }
    }
}

/// Where a remark about an instruction or a function is shown; nowhere if nobody wants to hear of that source.
fn shown(whose: &Whose, function: Function<'_>, at: Option<Inst<'_>>) -> Option<Shown> {
    let chain: Vec<DebugLoc<'_>> =
        std::iter::successors(at.and_then(Inst::debug_loc), |location| location.inlined_at()).collect();
    let Some(innermost) = chain.first() else {
        let is_shown = match function.source() {
            Some((folder, file)) => whose.holds(&folder, &file),
            // a library without debug information beside the user's code
            None => *whose == Whose::All || !function.module().has_debug_info(),
        };
        let key = function.source().filter(|_| at.is_none()).map(|_| FxBuildHasher.hash_one(function.name()));
        return is_shown.then(|| Shown { up: 0, key, within: String::new(), owner: String::new() });
    };
    // clang's own wrappers of CUDA's built-in functions say nothing to anybody: the call that was inlined does
    let is_wrapper = |file: &str| file.rsplit('/').next().is_some_and(|name| name.starts_with("__clang_"));
    let is_shown = |location: &&DebugLoc<'_>| match whose {
        Whose::All => location.inlined_at().is_none() || !is_wrapper(&location.file()),
        _ => whose.holds(&location.folder(), &location.file()),
    };
    let with_line = chain.iter().position(|location| location.line() > 0 && is_shown(&location));
    let up = with_line.or_else(|| chain.iter().position(|location| is_shown(&location)))?;
    let places: Vec<_> =
        chain[up..].iter().map(|location| (location.file(), location.line(), location.column())).collect();
    let key = match whose {
        Whose::All => FxBuildHasher.hash_one((function.name(), places)),
        _ => FxBuildHasher.hash_one(&places[0]),
    };
    let file = innermost.file();
    let within = match innermost.function() {
        name if up > 0 && !name.is_empty() && !is_wrapper(&file) => {
            format!("; in {name}, {}:{}", file.rsplit('/').next().unwrap_or_default(), innermost.line())
        }
        _ => String::new(),
    };
    let owner = chain.last().map(|location| location.function()).filter(|name| name.contains('<')).unwrap_or_default();
    Some(Shown { up: up as u32, key: Some(key), within, owner })
}
