//! Does a transform treat debug information well?
//!
//! A module gets full debug information, as LLVM's `debugify` makes it: a line for each instruction, a variable for each
//! value. After the transform
//!
//! 1. records are well formed: in no phi's way, behind the values they name, in the function they belong to;
//! 2. every instruction belongs to a line, or to line zero of its function;
//! 3. every variable that LLVM's own `instcombine,simplifycfg` would keep is still told of, if only to say that its value is
//!    unknown: it is never left with an old one;
//! 4. LLVM's passes can go on with it;
//! 5. the code is what it is without debug information.

use crate::llvm::debug_check::{Told, dress, stripped};
use crate::llvm::optimise::transform;
use crate::llvm::owned::OwnedModule;

/// LLVM's own measure of what can be kept, and what a transform's leavings must survive.
const CLEAN_UP: &str = "function(instcombine<no-verify-fixpoint>,simplifycfg)";
/// Sentences of a kind that are worth reading.
const SHOWN: usize = 5;

/// What became of the variables.
#[derive(Clone, Copy, Default, Debug)]
pub struct Kept {
    /// Variables that LLVM's own passes keep.
    pub expected: usize,
    /// Those of them whose value is known somewhere.
    pub known: usize,
}

/// Checks what `transform` makes of a module. `all_ours`: no pass of LLVM's is among it, so that [`Kept`] is its doing.
pub fn check(text: &str, all_ours: bool, run: impl Fn(&str) -> Result<OwnedModule, String>) -> Result<Kept, String> {
    let load = |text: &str| OwnedModule::from_text(text, "debug").map_err(|e| e.to_string());
    let print = |module: &OwnedModule| module.inkwell().print_to_string().to_string();
    // a module that is read gets the name it is read by
    let dressed = load(text)?;
    let plain = print(&dressed);
    dress(&dressed)?;
    let full = print(&dressed);
    transform(&dressed, CLEAN_UP)?;
    let expected = Told::of(&dressed).known;

    let after = run(&full)?;
    let told = Told::of(&after);
    complain("malformed debug information", &told.bad)?;
    let mut kept = Kept::default();
    if all_ours {
        complain("no debug location", &told.bare)?;
        let lost: Vec<String> = expected
            .iter()
            .filter(|name| !told.known.contains(*name) && !told.unknown.contains(*name))
            .cloned()
            .collect();
        complain("variables lost", &lost)?;
        let known = expected.iter().filter(|name| told.known.contains(*name)).count();
        kept = Kept { expected: expected.len(), known };
    }
    transform(&load(&print(&after))?, CLEAN_UP).map_err(|e| format!("after {CLEAN_UP}: {e}"))?;
    let (with, without) = (stripped(&after), stripped(&run(&plain)?));
    let differs = with.lines().zip(without.lines()).find(|(with, without)| !is_same(with, without));
    if let Some((with, without)) = differs {
        return Err(format!("the code differs with debug information: `{with}` instead of `{without}`"));
    }
    if with.lines().count() != without.lines().count() {
        return Err("the code differs with debug information: it has not as many lines as without".to_owned());
    }
    Ok(kept)
}

/// Lines of a module are the same, or tell of the lines of the source and must differ.
fn is_same(with: &str, without: &str) -> bool {
    let is_text = |line: &str| line.starts_with('@') && line.contains("__warpwise_map");
    with == without || (is_text(with) && is_text(without))
}

fn complain(what: &str, sentences: &[String]) -> Result<(), String> {
    if sentences.is_empty() {
        return Ok(());
    }
    let shown = sentences.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    Err(format!("{what}, {} in all: {shown}", sentences.len()))
}
