//! Which options and parameters are there? One row each: names, the passes that take it, its values, what it sets, what
//! it means. Everything about options is generated from these rows: the parameters of passes, LLVM's command line,
//! error messages, docs/PASSES.md.

use super::Results;
use super::Settings;
use super::error::{FormError, ValueError};
use super::spill_candidates::SpillCandidates;
use super::transform::{ANALYSIS, DEFAULT, FREE_ARRAYS, INLINE_CALLS, REMARKS, Transform};
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_ir::geometry::BlockShape;
use warpwise_ir::source::Whose;

/// Maximum shared memory of a block on any architecture, in bytes.
pub const MAX_SHARED: u32 = 232_448;

/// A command-line option, a pass parameter, or both.
#[derive(Debug)]
pub struct Parameter {
    /// Name of the pass parameter; empty if there is only an option.
    pub name: &'static str,
    /// Name of the command-line option after `-warpwise-`; empty if there is only a parameter.
    pub option: &'static str,
    /// Placeholder for the value, in capitals; empty for a switch, which needs none.
    pub value: &'static str,
    /// The passes that take the parameter; for an option without a parameter, the passes to which it matters.
    /// Command-line options apply to every pass.
    pub passes: &'static [&'static str],
    pub takes: Takes,
    /// The meaning, for `--help` and the documentation.
    pub help: &'static str,
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
const MAP: &str = Transform::Map.pass();

/// Every pass that takes parameters.
pub const PASSES: &[&str] = &[ANALYSIS, REMARKS, FREE_ARRAYS, UNROLL, ANNOTATE, FUSE, STEER, MAP, DEFAULT];

const fn runs(transform: Transform, option: &'static str, help: &'static str) -> Parameter {
    let takes = Takes::Runs(transform);
    Parameter { name: transform.word(), option, value: "", passes: &[DEFAULT], takes, help }
}

/// A parameter of `annotate-uniform` that is on unless it is set to 0.
const fn way(name: &'static str, set: fn(&mut Settings, bool), help: &'static str) -> Parameter {
    Parameter { name, option: "", value: "0", passes: &[ANNOTATE], takes: Takes::Switch(set), help }
}

/// The rows.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "block",
        option: "block",
        value: "X[xYxZ]",
        passes: PASSES,
        takes: Takes::Shape(|settings, shape| settings.block = Some(shape)),
        help: "Shape of the blocks with which kernels are launched, such as 256 or 16x16; a kernel's own attributes override it",
    },
    runs(Transform::Unroll, "unroll", "Run unroll-loops (on; off with the map unless asked for)"),
    runs(Transform::Annotate, "annotate", "Run annotate-uniform (on)"),
    runs(Transform::Fuse, "fuse", "Run fuse-branches (on; off with the map unless asked for)"),
    Parameter {
        takes: Takes::Steer,
        ..runs(
            Transform::Steer,
            "steer",
            "Run steer-spills (on); =CLASS+...: let it move these spill candidates only, which are all, none, constant, affine, uniform, divergent, stack, rare (stack objects that stay otherwise)",
        )
    },
    Parameter {
        takes: Takes::Profile,
        ..runs(
            Transform::Map,
            "profile-generate",
            "Run divergence-map: count how many warps reach each branch and split there (off); =all: also at branches that are proven uniform, =name:SUFFIX: with this suffix in symbols",
        )
    },
    Parameter {
        name: "",
        option: "off",
        value: "",
        passes: &[DEFAULT],
        takes: Takes::Switch(|settings, on| settings.is_off = on),
        help: "Run no transform; the analysis still emits remarks",
    },
    Parameter {
        name: "regs",
        option: "regs",
        value: "N",
        passes: &[FUSE, STEER, DEFAULT],
        takes: Takes::Number { least: 1, most: MAX_REGISTERS, set: |settings, count| settings.regs = Some(count) },
        help: "Number of registers that a thread may use; overrides the kernel's own bounds",
    },
    Parameter {
        name: "dynamic-shared",
        option: "dynamic-shared",
        value: "BYTES",
        passes: &[STEER, DEFAULT],
        takes: Takes::Number {
            least: 0,
            most: MAX_SHARED,
            set: |settings, bytes| settings.dynamic_shared = Some(bytes),
        },
        help: "Upper bound of the dynamic shared memory with which kernels are launched",
    },
    Parameter {
        name: "victims",
        option: "",
        value: "CLASS[+...]",
        passes: &[STEER, DEFAULT],
        takes: Takes::SpillCandidates(|settings, candidates| settings.candidates = candidates),
        help: "Spill candidates that steer-spills may move",
    },
    Parameter {
        name: "ptxas-smem",
        option: "",
        value: "",
        passes: &[STEER, DEFAULT],
        takes: Takes::Switch(|settings, on| settings.ptxas_smem = on),
        help: "Let ptxas spill to shared memory what steer-spills could not move (PTX 8.7)",
    },
    Parameter {
        name: "",
        option: "inline",
        value: "",
        passes: &[INLINE_CALLS],
        takes: Takes::Switch(|settings, on| settings.inline = on),
        help: "Inline the only call of a device function if a stack object is in memory for that call alone (on; off with the map)",
    },
    Parameter {
        name: "",
        option: "arrays",
        value: "",
        passes: &[FREE_ARRAYS],
        takes: Takes::Switch(|settings, on| settings.arrays = on),
        help: "Unroll loops of constant trip count completely if stack objects that they index can be in registers then (on)",
    },
    Parameter {
        name: "versions",
        option: "versions",
        value: "",
        passes: &[FUSE, STEER, DEFAULT],
        takes: Takes::Switch(|settings, on| settings.versions = on),
        help: "Make versions of kernels for launches about which more is known, among which the host chooses",
    },
    Parameter {
        name: "tune",
        option: "tune",
        value: "",
        passes: &[DEFAULT],
        takes: Takes::Switch(|settings, on| settings.tune = on),
        help: "Build kernels in alternatives that the program measures while it runs, and write what it measured to a choice file",
    },
    Parameter {
        name: "choices",
        option: "choices",
        value: "FILE",
        passes: &[DEFAULT],
        takes: Takes::Path(|settings, path| settings.choices = Some(path.into())),
        help: "Choice file of programs that measured: build each kernel as it was fastest",
    },
    Parameter {
        name: "results",
        option: "results",
        value: "same|contract",
        passes: &[UNROLL, ANNOTATE, FUSE, DEFAULT],
        takes: Takes::Results(|settings, results| settings.results = results),
        help: "The last bits of results: same as without the plugin, or changed as far as flags allow products and sums to be contracted (same)",
    },
    Parameter {
        name: "assume-restrict",
        option: "assume-restrict",
        value: "",
        passes: &[ANNOTATE, DEFAULT],
        takes: Takes::Switch(|settings, on| settings.assume_restrict = on),
        help: "Assume that pointer arguments of kernels never alias, as if all were marked restrict",
    },
    Parameter {
        name: "limit",
        option: "limit",
        value: "N",
        passes: &[FREE_ARRAYS, UNROLL, ANNOTATE, FUSE, STEER, DEFAULT],
        takes: Takes::Number { least: 0, most: u32::MAX, set: |settings, count| settings.limit = Some(count) },
        help: "Carry out the first N plans of a module and announce each: to find the one that breaks a program",
    },
    Parameter {
        name: "",
        option: "trace",
        value: "",
        passes: &[DEFAULT],
        takes: Takes::Switch(|settings, on| settings.trace = on),
        help: "Print every plan that is carried out and every refusal, with its numbers, on standard error",
    },
    Parameter {
        name: "",
        option: "remarks",
        value: "WHOSE",
        passes: PASSES,
        takes: Takes::Path(remarks),
        help: "Sources that remarks are about: own (not headers of CUDA, CCCL and the system), all, or a folder; optimal, or WHOSE+optimal: also about memory accesses that are already optimal",
    },
    Parameter {
        name: "",
        option: "profile-use",
        value: "FILE",
        passes: &[FUSE],
        takes: Takes::Path(|settings, path| settings.map_file = Some(path.into())),
        help: "Divergence map of an earlier run, whose counts fuse-branches uses",
    },
    Parameter {
        name: "optimal",
        option: "",
        value: "",
        passes: &[REMARKS],
        takes: Takes::Switch(|settings, on| settings.optimal_accesses = on),
        help: "Also emit remarks for memory accesses that are already optimal",
    },
    Parameter {
        name: "all",
        option: "",
        value: "",
        passes: &[MAP],
        takes: Takes::Switch(|settings, on| settings.map_all = on),
        help: "Also count branches that are proven uniform",
    },
    Parameter {
        name: "name",
        option: "",
        value: "SUFFIX",
        passes: &[MAP],
        takes: Takes::Suffix(|settings, suffix| settings.map_name = Some(suffix.to_owned())),
        help: "Suffix of the symbols of the divergence map",
    },
    Parameter {
        name: "flush-after",
        option: "",
        value: "N",
        passes: &[MAP],
        takes: Takes::Number { least: 1, most: u32::MAX, set: |settings, count| settings.flush_after = Some(count) },
        help: "Visits of a branch after which registers with its counts are flushed, if that is earlier than necessary: for tests",
    },
    Parameter {
        name: "simple",
        option: "",
        value: "",
        passes: &[ANALYSIS, REMARKS, UNROLL, ANNOTATE, FUSE, STEER, MAP],
        takes: Takes::Switch(|settings, on| settings.simple = on),
        help: "Run the simple analysis: values are uniform or divergent, without affine forms",
    },
    Parameter {
        name: "always",
        option: "",
        value: "",
        passes: &[UNROLL, FUSE],
        takes: Takes::Switch(|settings, on| settings.always = on),
        help: "Unroll or meld whatever is legal, even if it does not pay: for tests",
    },
    Parameter {
        name: "verify",
        option: "",
        value: "",
        passes: &[ANNOTATE],
        takes: Takes::Switch(|settings, on| settings.verify = on),
        help: "Check existing annotations instead of writing them",
    },
    way(
        "vote",
        |settings, on| settings.vote = on,
        "Insert no votes on branches that ptxas does not know to be uniform",
    ),
    way("shuffle", |settings, on| settings.shuffle = on, "Read no values from lane 0 for such branches"),
];

impl Parameter {
    /// How the parameter is written: `regs=N`, `fuse, no-fuse`, `vote=0`.
    pub fn form(&self) -> String {
        match self.takes {
            Takes::Runs(_) | Takes::Steer | Takes::Profile => format!("{0}, no-{0}", self.name),
            _ if self.value.is_empty() => self.name.to_owned(),
            _ => format!("{}={}", self.name, self.value),
        }
    }
}

impl Takes {
    /// Whether a value is required.
    pub fn wants_value(self) -> bool {
        !matches!(self, Takes::Switch(_) | Takes::Runs(_) | Takes::Steer | Takes::Profile)
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
            Takes::Profile => profile(settings, text)?,
            Takes::Number { least, most, set } => set(settings, number(text, least, most)?),
            Takes::Shape(set) => set(settings, text.parse()?),
            Takes::SpillCandidates(set) => set(settings, text.parse()?),
            Takes::Suffix(set) => set(settings, suffix(text)?),
            Takes::Results(set) => set(settings, results(text)?),
            Takes::Path(set) => set(settings, if text.is_empty() { return Err(FormError::Path.into()) } else { text }),
        }
        Ok(())
    }
}

/// What `-warpwise-profile-generate` counts and how it is named: like a switch, or `all` and `name:SUFFIX` with `+` between
/// them.
fn profile(settings: &mut Settings, text: &str) -> Result<(), FormError> {
    let mut on = true;
    for word in text.split('+') {
        match word.strip_prefix("name:") {
            Some(name) => settings.map_name = Some(suffix(name)?.to_owned()),
            None if word == "all" => settings.map_all = true,
            None => on = switch(text).map_err(|_| FormError::Profile(text.to_owned()))?,
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

fn suffix(text: &str) -> Result<&str, FormError> {
    let is_suffix = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_suffix { Ok(text) } else { Err(FormError::Suffix(text.to_owned())) }
}

/// Accepts the same words as LLVM's own switches.
fn switch(text: &str) -> Result<bool, FormError> {
    match text {
        "" | "1" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(FormError::Switch(text.to_owned())),
    }
}

fn results(text: &str) -> Result<Results, FormError> {
    match text {
        "same" => Ok(Results::Same),
        "contract" => Ok(Results::Contract),
        _ => Err(FormError::Results(text.to_owned())),
    }
}

fn number(text: &str, least: u32, most: u32) -> Result<u32, FormError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| digits && (least..=most).contains(number));
    number.ok_or_else(|| FormError::Number { text: text.to_owned(), least, most })
}

/// The row of an option, by its name after `-warpwise-`.
pub fn of_option(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|row| row.option == name && !name.is_empty())
}

/// The rows of the parameters that a pass takes.
pub fn of_pass(pass: &str) -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(move |row| !row.name.is_empty() && row.passes.contains(&pass))
}
