//! Which options and parameters are there? One row each: names, the passes that take it, its values, what it sets, what
//! it means. Everything about options is generated from these rows: the parameters of passes, LLVM's command line,
//! error messages, docs/PASSES.md.

use super::Settings;
use super::error::ValueError;
use super::spill_candidates::SpillCandidates;
use super::transform::{ANALYSIS, DEFAULT, FREE_ARRAYS, INLINE_CALLS, REMARKS, Transform};
use super::{Profit, Results};
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_ir::geometry::BlockShape;
use warpwise_ir::source::Whose;

/// Maximum shared memory of a block on any architecture, in bytes.
pub const MAX_SHARED: u32 = 232_448;

/// A text of the table.
type Word = &'static str;

/// A command-line option, a pass parameter, or both.
#[derive(Debug)]
pub struct Parameter {
    /// Name of the pass parameter; empty if there is only an option.
    pub name: Word,
    /// Name of the command-line option after `-warpwise-`; empty if there is only a parameter.
    pub option: Word,
    /// Placeholder for the value, in capitals; empty for a switch, which needs none.
    pub value: Word,
    /// The passes that take the parameter; for an option without a parameter, the passes to which it matters.
    /// Command-line options apply to every pass.
    pub passes: &'static [Word],
    pub takes: Takes,
    /// The meaning, for `--help` and the documentation.
    pub help: Word,
}

/// The kind of value, and the setting that it changes.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// No value or 1 switches it on, 0 off.
    Switch(fn(&mut Settings, bool)),
    /// On the command line like [`Takes::Switch`]; as a parameter, the word or `no-` and the word.
    Runs(Transform),
    /// [`Takes::Runs`] of `steer-spills`, or what it may move.
    Steer,
    /// [`Takes::Runs`] of `coarsen-threads`, or `all`: whatever the size of the grid.
    Coarsen,
    /// [`Takes::Runs`] of the divergence map, or with [words](profile) about what is counted.
    Profile,
    Number {
        least: u32,
        most: u32,
        set: fn(&mut Settings, u32),
    },
    Shape(fn(&mut Settings, BlockShape)),
    SpillCandidates(fn(&mut Settings, SpillCandidates)),
    /// The suffix of a symbol.
    Suffix(fn(&mut Settings, &str)),
    Path(fn(&mut Settings, &str)),
    Results(fn(&mut Settings, Results)),
}

const UNROLL: &str = Transform::Unroll.pass();
const ANNOTATE: &str = Transform::Annotate.pass();
const FUSE: &str = Transform::Fuse.pass();
const STEER: &str = Transform::Steer.pass();
const COARSEN: &str = Transform::Coarsen.pass();
const MAP: &str = Transform::Map.pass();

/// Every pass that takes parameters.
pub const WITH_PARAMETERS: &[&str] =
    &[ANALYSIS, REMARKS, FREE_ARRAYS, UNROLL, ANNOTATE, FUSE, STEER, COARSEN, MAP, DEFAULT];

/// An option and a parameter of the same name.
const fn both(name: Word, value: Word, passes: &'static [Word], takes: Takes, help: Word) -> Parameter {
    Parameter { name, option: name, value, passes, takes, help }
}

/// An option without a parameter.
const fn option(option: Word, value: Word, passes: &'static [Word], takes: Takes, help: Word) -> Parameter {
    Parameter { name: "", ..both(option, value, passes, takes, help) }
}

/// A parameter without an option of its name.
const fn parameter(name: Word, value: Word, passes: &'static [Word], takes: Takes, help: Word) -> Parameter {
    Parameter { option: "", ..both(name, value, passes, takes, help) }
}

const fn runs(transform: Transform, option: Word, help: Word) -> Parameter {
    Parameter { option, ..both(transform.word(), "", &[DEFAULT], Takes::Runs(transform), help) }
}

/// The rows.
#[rustfmt::skip]
pub const PARAMETERS: &[Parameter] = &[
    both("block", "X[xYxZ]", WITH_PARAMETERS, Takes::Shape(|settings, shape| settings.block = Some(shape)),
        "Shape of the blocks with which kernels are launched, such as 256 or 16x16; a kernel's own attributes override it"),
    runs(Transform::Unroll, "unroll", "Run unroll-loops (on; off with the map unless asked for)"),
    runs(Transform::Annotate, "annotate", "Run annotate-uniform (on)"),
    runs(Transform::Fuse, "fuse", "Run fuse-branches (on; off with the map unless asked for)"),
    Parameter { takes: Takes::Steer, ..runs(Transform::Steer, "steer",
        "Run steer-spills (on); =CLASS+...: let it move these spill candidates only, which are all, none, constant, affine, uniform, divergent, stack, rare (stack objects that stay otherwise)") },
    Parameter { takes: Takes::Coarsen, ..runs(Transform::Coarsen, "coarsen",
        "Run coarsen-threads (on; off with the map unless asked for); =all: in grids of any size, for tests") },
    Parameter { takes: Takes::Profile, ..runs(Transform::Map, "profile-generate",
        "Run divergence-map: count how many warps reach each branch and split there (off); =all: also at branches that are proven uniform, =name:SUFFIX: with this suffix in symbols") },
    option("off", "", &[DEFAULT], Takes::Switch(|settings, on| settings.is_off = on),
        "Run no transform; the analysis still emits remarks"),
    both("regs", "N", &[FUSE, STEER, DEFAULT],
        Takes::Number { least: 1, most: MAX_REGISTERS, set: |settings, count| settings.regs = Some(count) },
        "Number of registers that a thread may use; overrides the kernel's own bounds"),
    both("dynamic-shared", "BYTES", &[STEER, DEFAULT],
        Takes::Number { least: 0, most: MAX_SHARED, set: |settings, bytes| settings.dynamic_shared = Some(bytes) },
        "Upper bound of the dynamic shared memory with which kernels are launched"),
    parameter("victims", "CLASS[+...]", &[STEER, DEFAULT],
        Takes::SpillCandidates(|settings, candidates| settings.candidates = candidates),
        "Spill candidates that steer-spills may move"),
    parameter("ptxas-smem", "", &[STEER, DEFAULT], Takes::Switch(|settings, on| settings.ptxas_smem = on),
        "Let ptxas spill to shared memory what steer-spills could not move (PTX 8.7)"),
    option("arrays", "", &[INLINE_CALLS, FREE_ARRAYS], Takes::Switch(|settings, on| settings.no_arrays = !on),
        "Inline the only call of a device function, and unroll loops of constant trip count, if a stack object is in memory for that alone (on; off with the map)"),
    both("versions", "", &[STEER, DEFAULT], Takes::Switch(|settings, on| settings.versions = on),
        "Make versions of kernels with slots in dynamic shared memory, which the host launches where they fit"),
    both("tune", "", &[DEFAULT], Takes::Switch(|settings, on| settings.tune = on),
        "Build kernels in alternatives that the program measures while it runs, and write what it measured to a choice file"),
    both("choices", "FILE", &[DEFAULT], Takes::Path(|settings, path| settings.choices = Some(path.into())),
        "Choice file of programs that measured: build each kernel as it was fastest"),
    both("results", "same|contract", &[UNROLL, ANNOTATE, FUSE, STEER, COARSEN, DEFAULT],
        Takes::Results(|settings, results| settings.results = results),
        "The last bits of results: same as without the plugin, or changed as far as flags allow products and sums to be contracted (same)"),
    both("assume-restrict", "", &[ANNOTATE, DEFAULT], Takes::Switch(|settings, on| settings.assume_restrict = on),
        "Assume that pointer arguments of kernels never alias, as if all were marked restrict"),
    both("limit", "N", &[FREE_ARRAYS, UNROLL, ANNOTATE, FUSE, STEER, COARSEN, DEFAULT],
        Takes::Number { least: 0, most: u32::MAX, set: |settings, count| settings.limit = Some(count) },
        "Carry out the first N plans of a module and announce each: to find the one that breaks a program"),
    option("trace", "", &[DEFAULT], Takes::Switch(|settings, on| settings.trace = on),
        "Print every plan that is carried out and every refusal, with its numbers, on standard error"),
    option("remarks", "WHOSE", WITH_PARAMETERS, Takes::Path(remarks),
        "Sources that remarks are about: own (not headers of CUDA, CCCL and the system), all, or a folder; optimal, or WHOSE+optimal: also about memory accesses that are already optimal"),
    option("profile-use", "FILE", &[FUSE], Takes::Path(|settings, path| settings.map_file = Some(path.into())),
        "Divergence map of an earlier run, whose counts fuse-branches uses"),
    parameter("optimal", "", &[REMARKS], Takes::Switch(|settings, on| settings.optimal_accesses = on),
        "Also emit remarks for memory accesses that are already optimal"),
    parameter("all", "", &[MAP], Takes::Switch(|settings, on| settings.map_all = on),
        "Also count branches that are proven uniform"),
    parameter("name", "SUFFIX", &[MAP], Takes::Suffix(|settings, suffix| settings.map_name = Some(suffix.to_owned())),
        "Suffix of the symbols of the divergence map"),
    parameter("flush-after", "N", &[MAP],
        Takes::Number { least: 1, most: u32::MAX, set: |settings, count| settings.flush_after = Some(count) },
        "Visits of a branch after which registers with its counts are flushed, if that is earlier than necessary: for tests"),
    parameter("always", "", &[UNROLL, FUSE, COARSEN], Takes::Switch(|settings, on| {
            let profit = if on { Profit::Always } else { Profit::Model };
            (settings.fuse_profit, settings.unroll_profit, settings.coarsen_profit) = (profit, profit, profit);
        }),
        "Unroll, meld or coarsen whatever is legal, even if it does not pay: for tests"),
    parameter("verify", "", &[ANNOTATE], Takes::Switch(|settings, on| settings.verify = on),
        "Check existing annotations instead of writing them"),
];

impl Parameter {
    /// How the parameter is written: `regs=N`, `fuse, no-fuse`.
    pub fn form(&self) -> String {
        match self.takes {
            Takes::Runs(_) | Takes::Steer | Takes::Coarsen | Takes::Profile => format!("{0}, no-{0}", self.name),
            _ if self.value.is_empty() => self.name.to_owned(),
            _ => format!("{}={}", self.name, self.value),
        }
    }
}

impl Takes {
    /// Whether a value is required.
    pub fn wants_value(self) -> bool {
        !matches!(self, Takes::Switch(_) | Takes::Runs(_) | Takes::Steer | Takes::Coarsen | Takes::Profile)
    }

    /// Parses a value and stores it. A missing value is given as the empty string.
    pub(super) fn apply(self, settings: &mut Settings, text: &str) -> Result<(), ValueError> {
        match self {
            Takes::Switch(set) => set(settings, switch(text)?),
            Takes::Runs(transform) => settings.switches.turn(transform, switch(text)?),
            Takes::Steer => match switch(text) {
                Ok(on) => settings.switches.turn(Transform::Steer, on),
                Err(_) => settings.candidates = text.parse()?,
            },
            Takes::Coarsen if text == "all" => settings.coarsen_profit = Profit::Always,
            Takes::Coarsen => settings.switches.turn(Transform::Coarsen, switch(text)?),
            Takes::Profile => profile(settings, text)?,
            Takes::Number { least, most, set } => set(settings, number(text, least, most)?),
            Takes::Shape(set) => set(settings, text.parse()?),
            Takes::SpillCandidates(set) => set(settings, text.parse()?),
            Takes::Suffix(set) => set(settings, suffix(text)?),
            Takes::Results(set) => set(settings, results(text)?),
            Takes::Path(set) => set(settings, if text.is_empty() { return Err(ValueError::Path) } else { text }),
        }
        Ok(())
    }
}

/// What `-warpwise-profile-generate` counts and how it is named: like a switch, or `all` and `name:SUFFIX` with `+` between
/// them.
fn profile(settings: &mut Settings, text: &str) -> Result<(), ValueError> {
    let mut on = true;
    for word in text.split('+') {
        match word.strip_prefix("name:") {
            Some(name) => settings.map_name = Some(suffix(name)?.to_owned()),
            None if word == "all" => settings.map_all = true,
            None => on = switch(text).map_err(|_| ValueError::Profile(text.to_owned()))?,
        }
    }
    settings.switches.turn(Transform::Map, on);
    Ok(())
}

/// What `-warpwise-remarks` asks for.
fn remarks(settings: &mut Settings, text: &str) {
    let whose = if text == "optimal" { Some("") } else { text.strip_suffix("+optimal") };
    settings.optimal_accesses |= whose.is_some();
    match whose.unwrap_or(text) {
        "" => {}
        whose => settings.remarks = Whose::named(whose),
    }
}

fn suffix(text: &str) -> Result<&str, ValueError> {
    let is_suffix = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_suffix { Ok(text) } else { Err(ValueError::Suffix(text.to_owned())) }
}

/// Accepts the same words as LLVM's own switches.
fn switch(text: &str) -> Result<bool, ValueError> {
    match text {
        "" | "1" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(ValueError::Switch(text.to_owned())),
    }
}

fn results(text: &str) -> Result<Results, ValueError> {
    match text {
        "same" => Ok(Results::Same),
        "contract" => Ok(Results::Contract),
        _ => Err(ValueError::Results(text.to_owned())),
    }
}

fn number(text: &str, least: u32, most: u32) -> Result<u32, ValueError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| digits && (least..=most).contains(number));
    number.ok_or_else(|| ValueError::Number { text: text.to_owned(), least, most })
}

/// The row of an option, by its name after `-warpwise-`.
pub fn of_option(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|row| row.option == name && !name.is_empty())
}

/// The rows of the parameters that a pass takes.
pub fn of_pass(pass: &str) -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(move |row| !row.name.is_empty() && row.passes.contains(&pass))
}
