//! What is each pass asked to do?
//!
//! Settings come from two places: command-line options (`-warpwise-block=256`), which the C++ side reads from LLVM for
//! each module, and the parameters in a pass's angle brackets (`steer-spills<block=256;regs=32>`), which override them.
//! Both are defined by one [`table`].
//!
//! The default pipeline, `warpwise`, runs every enabled [`Transform`] in order. A transform is switched by its word
//! (`map` for `divergence-map`): `no-fuse` as a parameter, `-warpwise-fuse=0` for a file, and [`enabled`] for one
//! function.

pub mod enabled;
pub mod error;
pub mod former;
pub mod spill_candidates;
pub mod table;
pub mod transform;

pub use enabled::is_enabled;
pub use error::{SettingsError, ValueError};
pub use spill_candidates::SpillCandidates;
pub use transform::{DEFAULT, FREE_ARRAYS, INLINE_CALLS, Transform};
use warpwise_analysis::contraction::raw::{Ends, Pins};
use warpwise_analysis::divergence;
use warpwise_ir::geometry::BlockShape;
use warpwise_ir::llvm::handle::Function;
use warpwise_ir::source::Whose;

/// May results differ in the last bit from those of clang alone?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Results {
    /// No: what might change the multiply-adds is left alone.
    #[default]
    Same,
    /// As far as the flags of the instructions allow contraction.
    Contract,
}

impl Results {
    /// What has to be [written out](Pins::of_all) in a function before it changes; `None` if it must not change.
    pub fn pins<'m>(self, function: Function<'m>, ends: Ends<'_, 'm>) -> Option<Vec<Pins<'m>>> {
        match self {
            Results::Same => Pins::of_all(&[function], ends),
            Results::Contract => Some(Vec::new()),
        }
    }
}

/// Does a transform do whatever is legal?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Profit {
    /// No: only what pays by its model.
    #[default]
    Model,
    /// Yes: for tests, and for alternatives that are measured.
    Always,
}

impl Profit {
    pub fn is_always(self) -> bool {
        self == Profit::Always
    }
}

/// All settings. By default nothing is set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Shape of every block.
    pub block: Option<BlockShape>,
    /// Also emit remarks for accesses that are already optimal.
    pub optimal_accesses: bool,
    /// Whose sources remarks speak of.
    pub remarks: Whose,
    /// Which transforms the default pipeline runs.
    pub switches: transform::Switches,
    /// Run no transform in the default pipeline.
    pub is_off: bool,
    /// Number of registers that a thread may use; overrides the kernel's own bounds.
    pub regs: Option<u32>,
    /// Upper bound of the dynamic shared memory with which kernels are launched, in bytes.
    pub dynamic_shared: Option<u32>,
    /// What `steer-spills` may move.
    pub candidates: SpillCandidates,
    /// Let `ptxas` spill to shared memory what is left.
    pub ptxas_smem: bool,
    /// What `fuse-branches` melds, what `unroll-loops` unrolls, and in which grids `coarsen-threads` does.
    pub fuse_profit: Profit,
    pub unroll_profit: Profit,
    pub coarsen_profit: Profit,
    /// Whether the last bits of results may change.
    pub results: Results,
    /// Divergence map of an earlier run.
    pub map_file: Option<std::path::PathBuf>,
    /// `divergence-map` also counts branches that are proven uniform.
    pub map_all: bool,
    /// Suffix of the symbols of the divergence map, instead of a hash of the source file.
    pub map_name: Option<String>,
    /// Visits of a branch after which registers with its counts are flushed, if that is earlier than necessary: for
    /// tests.
    pub flush_after: Option<u32>,
    /// `annotate-uniform` checks annotations instead of writing them.
    pub verify: bool,
    /// Inline no calls and unroll no loops that keep stack objects in memory.
    pub no_arrays: bool,
    /// Make versions of kernels, among which the host chooses at the launch.
    pub versions: bool,
    /// Build kernels in alternatives, to be measured.
    pub tune: bool,
    /// Choice file of an earlier run that measured.
    pub choices: Option<std::path::PathBuf>,
    /// Pointer arguments of kernels never alias.
    pub assume_restrict: bool,
    /// How many plans are carried out, if not all.
    pub limit: Option<u32>,
    /// Print every decision.
    pub trace: bool,
}

impl Settings {
    /// The settings given by the parameters of a pass alone.
    pub fn parse(pass: &str, text: &str) -> Result<Settings, SettingsError> {
        Settings::default().with_parameters(pass, text)
    }

    /// These settings, overridden by the parameters of a pass. Parameters are separated by `;`.
    pub fn with_parameters(mut self, pass: &str, text: &str) -> Result<Settings, SettingsError> {
        let parameters = text.split(';').map(str::trim).filter(|_| !text.is_empty());
        for parameter in parameters {
            if parameter.is_empty() {
                return Err(SettingsError::Empty { pass: pass.to_owned(), text: text.to_owned() });
            }
            let (name, value) =
                parameter.split_once('=').map_or((parameter, None), |(name, value)| (name, Some(value)));
            self.set_parameter(pass, name, value)?;
        }
        Ok(self)
    }

    fn set_parameter(&mut self, pass: &str, name: &str, value: Option<&str>) -> Result<(), SettingsError> {
        if let Some(row) = table::of_pass(pass).find(|row| row.name == name) {
            let value = value.unwrap_or("");
            let of = || format!("parameter '{name}' of '{pass}'");
            return row.takes.apply(self, value).map_err(|error| SettingsError::of(error, of()));
        }
        let word = name.strip_prefix("no-").and_then(Transform::of_word).filter(|_| pass == DEFAULT);
        let (pass, name) = (pass.to_owned(), name.to_owned());
        match (word, value) {
            (Some(transform), None) => {
                self.switches.turn(transform, false);
                Ok(())
            }
            (Some(_), Some(value)) => Err(SettingsError::NoValue { pass, name, value: value.to_owned() }),
            (None, _) => {
                let forms: Vec<String> = table::of_pass(&pass).map(table::Parameter::form).collect();
                let known = if forms.is_empty() { "none".to_owned() } else { forms.join(", ") };
                Err(SettingsError::UnknownParameter { pass, name, known })
            }
        }
    }

    /// Sets a command-line option, by its name after `-warpwise-`. A switch needs no value.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), SettingsError> {
        let Some(takes) = takes_of(name) else {
            let options = table::PARAMETERS.iter().map(|row| row.option).filter(|option| !option.is_empty());
            let known = options.collect::<Vec<_>>().join(", ");
            return Err(SettingsError::UnknownOption { name: name.to_owned(), known });
        };
        takes.apply(self, value).map_err(|error| SettingsError::of(error, format!("option -warpwise-{name}")))
    }

    /// The options of the analysis.
    pub fn analysis(&self) -> divergence::Options {
        divergence::Options { block: self.block }
    }

    /// Whether the default pipeline runs a transform.
    pub fn runs(&self, transform: Transform) -> bool {
        !self.is_off && self.switches.is_on(transform)
    }

    /// Whether calls that keep stack objects in memory are inlined, and such loops unrolled: not with the map, so that the
    /// branches counted are those of the source, by function.
    pub fn frees_arrays(&self) -> bool {
        !self.no_arrays && !self.is_off && !self.runs(Transform::Map)
    }

    /// Whether loops are unrolled completely: not with the map, either.
    pub fn unrolls_whole(&self) -> bool {
        self.runs(Transform::Unroll) && !self.runs(Transform::Map)
    }

    /// Whether some code is written in the forms that nvcc writes: not with the map, which counts the branches of the source.
    pub fn writes_idioms(&self) -> bool {
        !self.is_off && !self.runs(Transform::Map)
    }

    /// Whether kernels get versions, among which the host chooses at the launch. What a map counts is the code of the source.
    pub fn makes_versions(&self) -> bool {
        self.versions && !self.runs(Transform::Map)
    }

    /// Whether launches in host code choose among versions of their kernels, or alternatives to be measured.
    pub fn chooses_versions(&self) -> bool {
        (self.versions || self.is_tuned()) && !self.is_off
    }

    /// Whether kernels are built in alternatives, to be measured. What a map counts is the code of the source.
    pub fn measures(&self) -> bool {
        self.tune && !self.is_off && !self.runs(Transform::Map)
    }

    /// Whether kernels are built as was measured, or to be measured: only by the default pipeline at the end.
    pub fn is_tuned(&self) -> bool {
        self.measures() || (self.choices.is_some() && !self.is_off && !self.runs(Transform::Map))
    }

    /// What decides, besides a kernel's code, into what the default pipeline makes it, as text. Of files, the name; their
    /// contents are the reader's.
    pub fn decisive(&self) -> String {
        // no `..`: whoever adds a setting says here whether it decides
        let Settings {
            block,
            optimal_accesses: _,
            remarks: _,
            switches,
            is_off: _, // nothing is made of kernels then, measured or not
            regs,
            dynamic_shared,
            candidates,
            ptxas_smem,
            fuse_profit,
            unroll_profit,
            coarsen_profit,
            results,
            map_file,
            map_all: _, // of a map in the making, with which there is no tuning
            map_name: _,
            flush_after: _,
            verify,
            no_arrays: _, // a kernel's code shows what was inlined into it
            versions: _,  // alternatives are made with and without
            tune: _,
            choices: _,
            assume_restrict,
            limit: _, // who bisects what was built must build the same
            trace: _,
        } = self;
        let general = (block, switches, regs, dynamic_shared, candidates, ptxas_smem);
        let of_transforms = (fuse_profit, unroll_profit, coarsen_profit, results, map_file, verify, assume_restrict);
        format!("{:?}", (general, of_transforms))
    }
}

/// What an option takes, also one that has another name now.
fn takes_of(option: &str) -> Option<table::Takes> {
    let former = || former::of_name(option).map(former::Former::takes);
    table::of_option(option).map(|row| row.takes).or_else(former)
}

/// What is wrong with the value of an option, as the continuation of LLVM's message; `None` if nothing is.
pub fn check_option(name: &str, value: &str) -> Option<String> {
    Some(match Settings::default().set_option(name, value).err()? {
        SettingsError::Of { error, .. } => error.to_string(),
        error => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_may_say_more_than_on_or_off() {
        let set = |name: &str, value: &str| {
            let mut settings = Settings::default();
            settings.set_option(name, value).map(|()| settings)
        };
        let profile = |value: &str| set("profile-generate", value).unwrap();
        assert!(profile("").runs(Transform::Map) && !profile("0").runs(Transform::Map));
        let both = profile("name:a_1+all");
        assert!(both.runs(Transform::Map) && both.map_all && both.map_name.as_deref() == Some("a_1"));
        assert!(!profile("1").map_all && profile("all").map_name.is_none());
        for wrong in ["name:", "name:a-b", "every", "all+", "0+all"] {
            assert!(set("profile-generate", wrong).is_err(), "{wrong}");
        }
        let remarks = |value: &str| set("remarks", value).map(|settings| (settings.remarks, settings.optimal_accesses));
        assert_eq!(remarks("optimal"), Ok((Whose::Own, true)));
        assert_eq!(remarks("all+optimal"), Ok((Whose::All, true)));
        assert_eq!(remarks("all"), Ok((Whose::All, false)));
        assert!(set("map-all", "1").unwrap().map_all && set("remark-all", "").unwrap().optimal_accesses);
    }

    #[test]
    fn an_error_names_every_parameter() {
        for pass in table::WITH_PARAMETERS {
            let error = Settings::parse(pass, "frob").unwrap_err().to_string();
            let (_, known) = error.split_once("; it takes ").unwrap();
            let known: Vec<&str> = known.split(", ").collect();
            for row in table::PARAMETERS.iter().filter(|row| !row.name.is_empty()) {
                let named = known.iter().any(|form| form.split('=').next() == Some(row.name));
                assert_eq!(named, row.passes.contains(pass), "{pass}, {}", row.name);
            }
        }
        let error = Settings::parse(INLINE_CALLS, "block=256").unwrap_err().to_string();
        assert_eq!(error, "'inline-calls' has no parameter 'block'; it takes none");
    }

    /// Options and parameters accept the same values.
    #[test]
    fn options_and_parameters_are_alike() {
        let values =
            ["", "0", "1", "2", "255", "256", "1000000", "4000000000", "-1", "+1", "0x20", "a b", "all", "none,"];
        for row in table::PARAMETERS.iter().filter(|row| !row.name.is_empty() && !row.option.is_empty()) {
            for value in values {
                let pass = row.passes.first().unwrap();
                let between = Settings::parse(pass, &format!("{}={value}", row.name));
                let mut option = Settings::default();
                let outcome = option.set_option(row.option, value).map(|()| option);
                assert_eq!(between.is_ok(), outcome.is_ok(), "{} {value}", row.name);
                assert_eq!(outcome.is_ok(), check_option(row.option, value).is_none());
                if let (Ok(between), Ok(option)) = (between, outcome) {
                    assert_eq!(between, option, "{} {value}", row.name);
                }
            }
        }
    }

    #[test]
    fn options_go_to_every_pass_and_parameters_win() {
        let mut line = Settings::default();
        line.set_option("regs", "64").unwrap();
        line.set_option("fuse", "0").unwrap();
        assert_eq!(line.clone().with_parameters("annotate-uniform", "").unwrap().regs, Some(64));
        let settings = line.with_parameters(DEFAULT, "regs=32;fuse").unwrap();
        assert!(settings.regs == Some(32) && settings.runs(Transform::Fuse));
        assert!(Settings::default().set_option("frob", "").unwrap_err().to_string().contains("profile-generate"));
    }

    /// Every option decides about a kernel's code, or is named here.
    #[test]
    fn what_decides_is_told_apart() {
        let idle = [
            "off", "remarks", "optimal", "all", "name", "flush-after", "versions", "tune", "choices", "arrays",
            "limit", "trace",
        ];
        let plain = Settings::default();
        for row in table::PARAMETERS {
            let name = if row.option.is_empty() { row.name } else { row.option };
            let values = ["1", "0", "64", "none", "contract", "/some/where"];
            let mut changed = values.into_iter().filter_map(|value| {
                let mut settings = plain.clone();
                row.takes.apply(&mut settings, value).ok().filter(|()| settings != plain).map(|()| settings)
            });
            let settings = changed.next().unwrap_or_else(|| panic!("no value changes {name}"));
            assert_eq!(settings.decisive() == plain.decisive(), idle.contains(&name), "{name}");
        }
    }

    #[test]
    fn names_are_their_own() {
        let mut names: Vec<(&str, &str)> = Vec::new();
        for row in table::PARAMETERS {
            assert!(!row.name.is_empty() || !row.option.is_empty());
            assert!(!names.iter().any(|(name, option)| {
                (*name == row.name && !name.is_empty()) || (*option == row.option && !option.is_empty())
            }));
            assert!(row.takes.wants_value() != row.value.is_empty() || row.value == "0");
            names.push((row.name, row.option));
        }
    }
}
