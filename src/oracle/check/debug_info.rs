//! Does a transform preserve debug information as well as LLVM's own passes do?
//!
//! LLVM's `debugify` gives a module full debug information: a line for each instruction and a variable for each value.
//! After the transform
//!
//! 1. records must be well formed: not between phis, after the values that they name, and in the right function;
//! 2. every instruction must have a line, or line zero of its function;
//! 3. every variable that LLVM's own `instcombine,simplifycfg` would keep must still be described, if only as having an
//!    unknown value: it must not be left with an old one;
//! 4. LLVM's passes must be able to process the module;
//! 5. the code must be the same as without debug information.

use warpwise_ir::llvm::debug_check::{Told, dress, stripped};
use warpwise_ir::llvm::optimise::transform;
use warpwise_ir::llvm::owned::OwnedModule;

/// LLVM's own measure of what can be preserved; the result of a transform must survive it, too.
const CLEAN_UP: &str = "function(instcombine<no-verify-fixpoint>,simplifycfg)";
/// Number of messages of each kind that are shown.
const SHOWN: usize = 5;

/// How many variables were preserved.
#[derive(Clone, Copy, Default, Debug)]
pub struct Kept {
    /// Variables that LLVM's own passes preserve.
    pub expected: usize,
    /// Those of them whose value is known somewhere after the transform.
    pub known: usize,
}

/// Who changes a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Editors {
    /// Our passes alone, so [`Kept`] is due to them.
    Ours,
    /// LLVM's passes too, which lose lines and variables now and then.
    Both,
    /// LLVM's passes, of which ours only ask something: when they sink an instruction, records may even stay before it.
    Llvms,
}

/// Checks the result of a transform on a module.
pub fn check(text: &str, editors: Editors, run: impl Fn(&str) -> Result<OwnedModule, String>) -> Result<Kept, String> {
    let load = |text: &str| OwnedModule::from_text(text, "debug").map_err(|e| e.to_string());
    let print = |module: &OwnedModule| module.inkwell().print_to_string().to_string();
    // a parsed module is named after its buffer
    let dressed = load(text)?;
    let plain = print(&dressed);
    dress(&dressed)?;
    let full = print(&dressed);
    transform(&dressed, CLEAN_UP, None)?;
    let expected = Told::of(&dressed).known;

    let after = run(&full)?;
    let told = Told::of(&after);
    if editors != Editors::Llvms {
        complain("malformed debug information", &told.bad)?;
    }
    let mut kept = Kept::default();
    if editors == Editors::Ours {
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
    transform(&load(&print(&after))?, CLEAN_UP, None).map_err(|e| format!("after {CLEAN_UP}: {e}"))?;
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

/// Whether two lines of a module are the same, or contain source lines and may differ.
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
