//! What did the passes decide, one line each? `-warpwise-trace` prints every plan that is carried out and every refusal with
//! its numbers, once, in the order of the decisions and whatever remarks the user wants; LLVM's `-stats` counts them.

use super::handle::{Function, Inst};
use super::remark::Kind;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// The decisions about one module.
#[derive(Debug, Default)]
pub struct Trace {
    /// Whether they are printed.
    prints: bool,
    /// Whether they are counted, which the pass manager says.
    counts: Cell<bool>,
    /// Hashes of the lines so far: clang's pipeline runs some passes several times.
    known: RefCell<FxHashSet<u64>>,
    /// How often a pass decided something: by pass, and by the name of the remark.
    counted: RefCell<BTreeMap<(&'static str, String), u32>>,
}

impl Trace {
    /// Prints decisions, or not.
    pub fn new(prints: bool) -> Trace {
        let mut trace = Trace::default();
        trace.prints = prints;
        trace
    }

    /// Whether anybody wants to know of decisions.
    pub(super) fn is_on(&self) -> bool {
        self.prints || self.counts.get()
    }

    /// Counts from now on, until the module is compiled.
    pub(super) fn count(&self) {
        self.counts.set(true);
    }

    /// Notes a decision about an instruction, or about the whole function.
    pub(super) fn note(
        &self,
        pass: &'static str,
        kind: Kind,
        (function, at): (Function<'_>, Option<Inst<'_>>),
        name: &str,
        message: &str,
    ) {
        let done = if kind == Kind::Passed { "done" } else { "left" };
        let line = format!("{pass}: {}{}: {done}: {name}: {message}", function.name(), place(function, at));
        if !self.known.borrow_mut().insert(FxBuildHasher.hash_one(&line)) {
            return;
        }
        if self.prints {
            eprintln!("{line}");
        }
        *self.counted.borrow_mut().entry((pass, name.to_owned())).or_default() += 1;
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if self.counts.get() {
            for ((pass, name), count) in self.counted.get_mut() {
                eprintln!("{count:8} {pass} - {name}");
            }
        }
    }
}

/// Where in the function: the line, or without debug information the number of the block.
fn place(function: Function<'_>, at: Option<Inst<'_>>) -> String {
    let Some(inst) = at else { return String::new() };
    match inst.debug_loc().filter(|location| location.line() > 0) {
        Some(location) => format!(":{}:{}", location.line(), location.column()),
        None => {
            let block = function.blocks().position(|block| block == inst.block());
            block.map_or(String::new(), |number| format!(", block {number}"))
        }
    }
}
