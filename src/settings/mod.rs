//! What is each pass told?
//!
//! Settings come from two places: options of the command line (`-warpwise-block=256`), which the C++ side reads out of
//! LLVM for each module, and the text between a pass's angle brackets (`steer-spills<block=256;regs=32>`), which wins.
//! Both are read by the one [`table`]. A pass takes what is its own into its `Options` and sees nothing else.
//!
//! The default pipeline, `warpwise`, runs every [`Transform`] in order. A transform's word (`map` for `divergence-map`) is
//! its switch: `no-fuse` between the brackets, `-warpwise-fuse=0` for a file, and [`enabled`] for one function.

pub mod enabled;
pub mod error;
pub mod table;
pub mod transform;
pub mod victims;

use crate::divergence;
use crate::geometry::BlockShape;
pub use enabled::is_enabled;
pub use error::{SettingsError, ValueError};
pub use transform::{DEFAULT, Transform};
pub use victims::Victims;

/// What was said. Each pass makes its own `Options` of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Shape of every block.
    pub block: Option<BlockShape>,
    /// The simple analysis instead of the affine one.
    pub simple: bool,
    /// Remarks also about accesses that are as good as they can be.
    pub remark_all: bool,
    /// Which transforms the default pipeline runs.
    pub switches: transform::Switches,
    /// The default pipeline does nothing.
    pub is_off: bool,
    /// Registers a thread may use; beats the kernel's own bounds.
    pub regs: Option<u32>,
    /// Most bytes of dynamic shared memory that kernels are launched with.
    pub dynamic_shared: Option<u32>,
    /// What `steer-spills` may move.
    pub victims: Victims,
    /// Ask `ptxas` to spill to shared memory what is left.
    pub ptxas_smem: bool,
    /// The `ptxas` that `steer-spills` measures its work with.
    pub ptxas: Option<String>,
    /// `fuse-branches` melds whatever it may, whether or not it pays.
    pub always: bool,
    /// Divergence map of an earlier run.
    pub map_file: Option<std::path::PathBuf>,
    /// `divergence-map` counts branches that are proven uniform too.
    pub map_all: bool,
    /// What the symbols of the divergence map end in, instead of the module's own number.
    pub map_name: Option<String>,
    /// Lanes of a branch after which registers are given to memory, where that is sooner than need be: for tests.
    pub turns: Option<u32>,
    /// `annotate-uniform` checks annotations instead of making them.
    pub verify: bool,
    /// Pointer arguments of kernels never alias.
    pub assume_restrict: bool,
    /// Votes on hidden branches.
    pub vote: bool,
    /// `bra.uni` on hidden branches.
    pub bra_uni: bool,
    /// Shuffles of hidden values.
    pub shuffle: bool,
}

impl Default for Settings {
    /// Nothing was said.
    fn default() -> Self {
        Settings {
            block: None,
            simple: false,
            remark_all: false,
            switches: transform::Switches::default(),
            is_off: false,
            regs: None,
            dynamic_shared: None,
            victims: Victims::default(),
            ptxas_smem: false,
            ptxas: None,
            always: false,
            map_file: None,
            map_all: false,
            map_name: None,
            turns: None,
            verify: false,
            assume_restrict: false,
            vote: true,
            bra_uni: true,
            shuffle: true,
        }
    }
}

impl Settings {
    /// Settings of the text between a pass's brackets alone.
    pub fn parse(pass: &str, text: &str) -> Result<Settings, SettingsError> {
        Settings::default().with_parameters(pass, text)
    }

    /// These settings, then those of the text between a pass's brackets. Parameters are separated by `;`.
    pub fn with_parameters(mut self, pass: &str, text: &str) -> Result<Settings, SettingsError> {
        let parameters = text.split(';').map(str::trim).filter(|_| !text.is_empty());
        for parameter in parameters {
            if parameter.is_empty() {
                return Err(SettingsError::Empty { pass: pass.to_owned(), text: text.to_owned() });
            }
            let (name, value) = match parameter.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (parameter, None),
            };
            self.set_parameter(pass, name, value)?;
        }
        Ok(self)
    }

    fn set_parameter(&mut self, pass: &str, name: &str, value: Option<&str>) -> Result<(), SettingsError> {
        if let Some(row) = table::of_pass(pass).find(|row| row.name == name) {
            let value = value.unwrap_or("");
            return row.apply(self, value).map_err(|error| SettingsError::of_parameter(pass, name, error));
        }
        let word = name.strip_prefix("no-").and_then(Transform::of_word).filter(|_| pass == DEFAULT);
        match (word, value) {
            (Some(transform), None) => self.switches.turn(transform, false),
            (Some(_), Some(value)) => {
                let (pass, name, value) = (pass.to_owned(), name.to_owned(), value.to_owned());
                return Err(SettingsError::NoValue { pass, name, value });
            }
            (None, _) => {
                let known = table::of_pass(pass).map(table::Parameter::form).collect::<Vec<_>>().join(", ");
                return Err(SettingsError::UnknownParameter { pass: pass.to_owned(), name: name.to_owned(), known });
            }
        }
        Ok(())
    }

    /// Sets an option of the command line by what stands behind `-warpwise-`, whoever takes it. A switch needs no value.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), SettingsError> {
        let Some(row) = table::of_option(name) else {
            let options = table::PARAMETERS.iter().map(|row| row.option).filter(|option| !option.is_empty());
            let known = options.collect::<Vec<_>>().join(", ");
            return Err(SettingsError::UnknownOption { name: name.to_owned(), known });
        };
        row.apply(self, value).map_err(|error| SettingsError::of_option(name, error))
    }

    /// What the analysis is told.
    pub fn analysis(&self) -> divergence::Options {
        divergence::Options { block: self.block, simple: self.simple }
    }

    /// Whether the default pipeline runs a transform.
    pub fn runs(&self, transform: Transform) -> bool {
        !self.is_off && self.switches.is_on(transform)
    }
}

/// What is wrong with the value of an option, to be read after LLVM's naming of the option; nothing if all is well.
pub fn check_option(name: &str, value: &str) -> Option<String> {
    let mut scratch = Settings::default();
    match table::of_option(name) {
        Some(row) => row.apply(&mut scratch, value).err().map(|error| error.to_string()),
        None => scratch.set_option(name, value).err().map(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_and_refused() {
        let parse = |text: &str| Settings::parse("affine-divergence", text);
        assert_eq!(parse("block=64x2;simple").unwrap().block.unwrap().y, 2);
        for (text, part) in [
            ("block=0", "'0'"),
            ("block=2048", "'2048'"),
            ("block=foo", "'foo'"),
            ("frob", "'frob'"),
            ("regs=32", "'regs'"),
            (";;", "';;'"),
            ("simple;", "'simple;'"),
            ("simple=2", "'2'"),
        ] {
            assert!(parse(text).unwrap_err().to_string().contains(part), "{text}");
        }
        assert!(parse("verify").is_err());
        for (text, part) in [("regs=many", "'many'"), ("victims=frob", "'frob'"), ("ptxas", "a path")] {
            let error = Settings::parse("steer-spills", text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn each_pass_takes_its_own() {
        let on = |text: &str, transform| Settings::parse(DEFAULT, text).unwrap().runs(transform);
        use Transform::{Fuse, Map, Steer};
        assert!(!on("no-fuse;block=256", Fuse));
        assert!(on("", Fuse) && on("", Steer) && !on("", Map));
        assert!(on("map", Steer) && !on("map", Fuse) && on("fuse;map", Fuse));
        assert!(Settings::parse(DEFAULT, "no-annotate=1").is_err());
        assert!(Settings::parse(DEFAULT, "no-frob").is_err());
        assert!(Settings::parse("steer-spills", "no-fuse").is_err());
        let annotate = |text: &str| Settings::parse("annotate-uniform", text);
        assert!(annotate("verify").unwrap().verify);
        assert!(!annotate("vote=0").unwrap().vote);
        assert!(annotate("vote=2").is_err());
        assert!(annotate("no-fuse").is_err());
        assert!(Settings::parse("fuse-branches", "always").unwrap().always);
        assert!(Settings::parse("steer-spills", "always").is_err());
    }

    #[test]
    fn an_error_names_every_parameter() {
        for pass in table::PASSES {
            let error = Settings::parse(pass, "frob").unwrap_err().to_string();
            let (_, known) = error.split_once("; it takes ").unwrap();
            let known: Vec<&str> = known.split(", ").collect();
            for row in table::PARAMETERS.iter().filter(|row| !row.name.is_empty()) {
                let named = known.iter().any(|form| form.split('=').next() == Some(row.name));
                assert_eq!(named, row.passes.contains(pass), "{pass}, {}", row.name);
            }
        }
    }

    /// What the command line takes, brackets take, and the other way round.
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
        assert!(Settings::default().set_option("frob", "").unwrap_err().to_string().contains("divergence-map"));
    }

    #[test]
    fn names_are_their_own() {
        let mut names: Vec<(&str, &str)> = Vec::new();
        for row in table::PARAMETERS {
            assert!(!row.name.is_empty() || !row.option.is_empty());
            assert!(!names.iter().any(|(name, option)| {
                (*name == row.name && !name.is_empty()) || (*option == row.option && !option.is_empty())
            }));
            assert!(row.wants_value() != row.value.is_empty() || row.value == "0");
            names.push((row.name, row.option));
        }
    }
}
