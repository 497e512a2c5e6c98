//! Which passes are there, with which settings, and who runs them?
//!
//! Settings come from two places: the text between a pass's angle brackets (`steer-spills<block=256;regs=32>`) and the
//! command line (`-warpwise-block=256`), which [`set_option`] remembers for the process. The text wins.
//!
//! The default pipeline, `warpwise`, runs every transform of [`PASSES`] in order. The first word of a transform's name
//! (`map` for `divergence-map`) is its switch: `no-fuse` between the brackets, `-warpwise-fuse=0` for a file, and for
//! one function the string attribute `"warpwise-no-fuse"` or `__attribute__((annotate("warpwise.no-fuse")))`.
//! `-warpwise-off`, the plain `"warpwise-off"` and `annotate("warpwise.off")` mean all of them, as does `optnone`.

use crate::annotate;
use crate::divergence;
use crate::geometry::{BlockShape, ShapeError};
use crate::llvm::edit::Editor;
use crate::llvm::edit::annotate::is_optnone;
use crate::llvm::handle::{Function, Module};
use crate::llvm::remark::Host;
use crate::steer::victims::{Victims, VictimsError};
use std::sync::Mutex;

/// A transform: runs over a module, returns whether it changed.
type Run = fn(Module<'_>, &Settings, &Host<'_>) -> bool;

/// Every transform by name, in the order of the default pipeline.
const PASSES: &[(&str, Run)] = &[
    ("annotate-uniform", annotate::run),
    ("fuse-branches", crate::fuse::run),
    ("steer-spills", crate::steer::run),
    // last: it counts the branches of the code that runs
    ("divergence-map", crate::map::run),
];

/// The default pipeline.
pub const DEFAULT: &str = "warpwise";

/// What may be switched off for the default pipeline, whether or not this build has the transform.
const SWITCHES: &[&str] = &["annotate", "fuse", "steer", "map"];

/// Transforms that the default pipeline runs only when asked to (`-warpwise-divergence-map`, `warpwise<map>`).
const OFF_BY_DEFAULT: &[&str] = &["map"];
/// And those that it leaves out beside `map` unless asked to: what is counted are the branches that were written.
const OFF_WHILE_COUNTING: &str = "fuse";

/// Parameters in words, for the error about an unknown one.
const KNOWN_ANALYSIS: &str = "block=X[xYxZ], simple, remark-all";
const KNOWN: &str = "block=X[xYxZ], simple, remark-all, regs=N, dynamic-shared=N, victims=all|none|constant|affine|uniform|divergent|stack|rare[+...], ptxas-smem, ptxas=PATH";
const KNOWN_DEFAULT: &str =
    "block=X[xYxZ], assume-restrict, annotate, fuse, steer, map, no-annotate, no-fuse, no-steer, no-map";
const KNOWN_FUSE: &str = "block=X[xYxZ], simple, remark-all, regs=N, always";
const KNOWN_MAP: &str = "block=X[xYxZ], simple, all, name=SUFFIX, turns=N";
const KNOWN_ANNOTATE: &str = "block=X[xYxZ], simple, verify, assume-restrict, vote=0|1, bra-uni=0|1, shuffle=0|1";

/// What a pass is told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Shape of every block.
    pub block: Option<BlockShape>,
    /// The simple analysis instead of the affine one.
    pub simple: bool,
    /// Remarks also about accesses that are as good as they can be.
    pub remark_all: bool,
    /// Of `annotate-uniform`.
    pub annotate: annotate::Options,
    /// Of `divergence-map`.
    pub map: crate::map::Options,
    /// `fuse-branches` melds whatever it may, whether or not it pays.
    pub fuse_always: bool,
    /// Divergence map of an earlier run, see [`crate::map::feedback`].
    pub map_file: Option<std::path::PathBuf>,
    /// Transforms that the default pipeline leaves out, by first word.
    switched_off: Vec<String>,
    /// [`OFF_WHILE_COUNTING`] was switched by name.
    fusion_is_stated: bool,
    /// The default pipeline does nothing (`-warpwise-off`).
    is_off: bool,
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
}

/// Why a pass's parameters were refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Victims(#[from] VictimsError),
    #[error("'{pass}' has no parameter '{name}'; it takes {known}")]
    Unknown { pass: String, name: String, known: &'static str },
    #[error("parameter '{name}' of '{pass}' takes no value, but has '{value}'")]
    NoValue { pass: String, name: String, value: String },
    #[error("parameter '{name}' of '{pass}' is 0 or 1, not '{value}'")]
    NoSwitch { pass: String, name: String, value: String },
    #[error("parameter '{name}' of '{pass}' takes letters, digits and underscores, not '{value}'")]
    Symbol { pass: String, name: String, value: String },
    #[error("parameter '{name}' of '{pass}' takes a whole number of at most {max}, not '{value}'")]
    Number { pass: String, name: String, value: String, max: u32 },
}

/// Most registers a thread can have.
const MAX_REGISTERS: u32 = 255;
/// Most bytes of shared memory a block can have, on any architecture.
const MAX_SHARED: u32 = 232_448;

static COMMAND_LINE: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Remembers an option of the command line; a later value replaces an earlier one.
pub fn set_option(name: &str, value: &str) {
    let mut options = COMMAND_LINE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    options.retain(|(known, _)| known != name);
    options.push((name.to_owned(), value.to_owned()));
}

/// What the analysis is told by the command line alone.
pub fn analysis_options() -> divergence::Options {
    let options = COMMAND_LINE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let block = options.iter().find(|(name, _)| name == "block").and_then(|(_, value)| value.parse().ok());
    divergence::Options { block, simple: false }
}

impl Settings {
    /// Settings of the command line, then those of the text. Parameters are separated by `;`.
    pub fn parse(pass: &str, text: &str) -> Result<Settings, SettingsError> {
        let mut settings = Settings::default();
        settings.switched_off.extend(OFF_BY_DEFAULT.iter().map(|&word| word.to_owned()));
        let command_line = COMMAND_LINE.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        for (name, value) in &command_line {
            settings.set_from_command_line(pass, name, value)?;
        }
        for parameter in text.split(';').map(str::trim).filter(|parameter| !parameter.is_empty()) {
            let (name, value) = match parameter.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (parameter, None),
            };
            settings.set(pass, name, value)?;
        }
        if settings.is_on("map") && !settings.fusion_is_stated {
            settings.turn(OFF_WHILE_COUNTING, false);
        }
        Ok(settings)
    }

    /// What the analysis is told.
    pub fn analysis(&self) -> divergence::Options {
        divergence::Options { block: self.block, simple: self.simple }
    }

    /// Options of the command line go to every pass, whether or not it takes them.
    fn set_from_command_line(&mut self, pass: &str, name: &str, value: &str) -> Result<(), SettingsError> {
        match name {
            "block" => self.block = Some(value.parse()?),
            "remark-all" => self.remark_all = true,
            "regs" => self.regs = Some(number(pass, name, Some(value), MAX_REGISTERS)?),
            "dynamic-shared" => self.dynamic_shared = Some(number(pass, name, Some(value), MAX_SHARED)?),
            "victims" => self.victims = value.parse()?,
            "ptxas-smem" => self.ptxas_smem = switch(pass, name, Some(value))?,
            "ptxas" => self.ptxas = Some(value.to_owned()),
            "assume-restrict" => self.annotate.assume_restrict = switch(pass, name, Some(value))?,
            "map-all" => self.map.all = switch(pass, name, Some(value))?,
            "map-file" => self.map_file = Some(value.into()),
            "map-name" => self.map.name = Some(value.to_owned()),
            "off" => self.is_off = switch(pass, name, Some(value))?,
            _ if SWITCHES.contains(&name) => self.turn(name, switch(pass, name, Some(value))?),
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, pass: &str, name: &str, value: Option<&str>) -> Result<(), SettingsError> {
        let is_default = pass == DEFAULT;
        let is_annotate = pass == "annotate-uniform";
        let is_map = pass == "divergence-map";
        let steers = is_default || pass == "steer-spills";
        match name {
            "block" => self.block = Some(value.unwrap_or("").parse()?),
            "remark-all" => self.remark_all = true,
            "regs" if steers || pass == "fuse-branches" => self.regs = Some(number(pass, name, value, MAX_REGISTERS)?),
            "dynamic-shared" if steers => {
                self.dynamic_shared = Some(number(pass, name, value, MAX_SHARED)?);
            }
            "ptxas" if steers => self.ptxas = value.map(str::to_owned),
            "ptxas-smem" if steers => self.ptxas_smem = switch(pass, name, value)?,
            "victims" if steers => self.victims = value.unwrap_or("").parse()?,
            "simple" if !is_default => {
                no_value(pass, name, value)?;
                self.simple = true;
            }
            "assume-restrict" if is_default || is_annotate => {
                self.annotate.assume_restrict = switch(pass, name, value)?;
            }
            "verify" if is_annotate => {
                no_value(pass, name, value)?;
                self.annotate.verify = true;
            }
            "all" if is_map => {
                no_value(pass, name, value)?;
                self.map.all = true;
            }
            "turns" if is_map => self.map.turns = Some(number(pass, name, value, u32::MAX)?.max(1)),
            "name" if is_map => self.map.name = Some(symbol_end(pass, name, value)?),
            "always" if pass == "fuse-branches" => {
                no_value(pass, name, value)?;
                self.fuse_always = true;
            }
            "vote" if is_annotate => self.annotate.vote = switch(pass, name, value)?,
            "bra-uni" if is_annotate => self.annotate.bra_uni = switch(pass, name, value)?,
            "shuffle" if is_annotate => self.annotate.shuffle = switch(pass, name, value)?,
            _ if is_default && SWITCHES.contains(&name) => {
                no_value(pass, name, value)?;
                self.turn(name, true);
            }
            _ => match name.strip_prefix("no-").filter(|word| is_default && SWITCHES.contains(word)) {
                Some(word) => {
                    no_value(pass, name, value)?;
                    self.turn(word, false);
                }
                None => {
                    let known = match () {
                        () if is_default => KNOWN_DEFAULT,
                        () if is_annotate => KNOWN_ANNOTATE,
                        () if is_map => KNOWN_MAP,
                        () if pass == "fuse-branches" => KNOWN_FUSE,
                        () if !steers => KNOWN_ANALYSIS,
                        () => KNOWN,
                    };
                    return Err(SettingsError::Unknown { pass: pass.to_owned(), name: name.to_owned(), known });
                }
            },
        }
        Ok(())
    }

    /// Whether the default pipeline runs the transform of this switch.
    fn runs(&self, word: &str) -> bool {
        !self.is_off && self.is_on(word)
    }

    fn is_on(&self, word: &str) -> bool {
        !self.switched_off.iter().any(|known| known == word)
    }

    fn turn(&mut self, word: &str, on: bool) {
        self.fusion_is_stated |= word == OFF_WHILE_COUNTING;
        self.switched_off.retain(|known| known != word);
        if !on {
            self.switched_off.push(word.to_owned());
        }
    }
}

fn no_value(pass: &str, name: &str, value: Option<&str>) -> Result<(), SettingsError> {
    match value {
        None => Ok(()),
        Some(value) => {
            Err(SettingsError::NoValue { pass: pass.to_owned(), name: name.to_owned(), value: value.to_owned() })
        }
    }
}

/// No value means on.
fn switch(pass: &str, name: &str, value: Option<&str>) -> Result<bool, SettingsError> {
    match value {
        None | Some("1") => Ok(true),
        Some("0") => Ok(false),
        Some(value) => {
            Err(SettingsError::NoSwitch { pass: pass.to_owned(), name: name.to_owned(), value: value.to_owned() })
        }
    }
}

/// The word that switches a transform.
fn switch_of(pass: &str) -> &str {
    if pass == "divergence-map" {
        return "map";
    }
    pass.split('-').next().unwrap_or(pass)
}

/// Whether a transform may touch a function. Every transform asks before it looks at one.
pub fn is_enabled(function: Function<'_>, switch: &str) -> bool {
    !is_optnone(function) && !is_switched_off(function, switch)
}

/// Whether a string attribute keeps a transform off a function.
pub fn is_switched_off(function: Function<'_>, switch: &str) -> bool {
    off_attributes(switch).iter().any(|attribute| function.string_attribute(attribute).is_some())
}

/// Whether an annotation keeps a transform off a function. In the middle of clang's pipeline annotations have not become
/// attributes yet; [`run`] makes them so for whole modules.
pub fn is_annotated_off(function: Function<'_>, switch: &str) -> bool {
    let off = off_attributes(switch);
    annotations(function.module()).iter().any(|(named, attribute)| *named == function && off.contains(attribute))
}

/// String attributes that switch a transform off.
fn off_attributes(switch: &str) -> [String; 2] {
    ["warpwise-off".to_owned(), format!("warpwise-no-{switch}")]
}

/// The end of a symbol's name.
fn symbol_end(pass: &str, name: &str, value: Option<&str>) -> Result<String, SettingsError> {
    let text = value.unwrap_or("");
    let is_name = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| text.to_owned()).ok_or_else(|| SettingsError::Symbol {
        pass: pass.to_owned(),
        name: name.to_owned(),
        value: text.to_owned(),
    })
}

fn number(pass: &str, name: &str, value: Option<&str>, max: u32) -> Result<u32, SettingsError> {
    let text = value.unwrap_or("");
    text.parse::<u32>().ok().filter(|&number| number <= max).ok_or_else(|| SettingsError::Number {
        pass: pass.to_owned(),
        name: name.to_owned(),
        value: text.to_owned(),
        max,
    })
}

/// Position of a transform by name; the default pipeline comes after all of them.
pub fn lookup(name: &str) -> Option<usize> {
    if name == DEFAULT {
        return Some(PASSES.len());
    }
    PASSES.iter().position(|pass| pass.0 == name)
}

/// Whether the default pipeline, as the command line has it, runs the transform of a switch.
pub fn runs_by_default(word: &str) -> bool {
    Settings::parse(DEFAULT, "").is_ok_and(|settings| settings.runs(word))
}

/// Runs a transform or the default pipeline; parameters were checked when the pipeline was parsed.
pub fn run(pass: usize, module: Module<'_>, parameters: &str, host: &Host<'_>) -> bool {
    let name = PASSES.get(pass).map_or(DEFAULT, |pass| pass.0);
    let Ok(settings) = Settings::parse(name, parameters) else { return false };
    let changed = read_annotations(module);
    match PASSES.get(pass) {
        Some((_, run)) => run(module, &settings, host) || changed,
        None => run_default(module, &settings, host) || changed,
    }
}

/// fuse-branches on one function in the middle of clang's pipeline.
pub fn fuse_function(function: Function<'_>, host: &Host<'_>) -> bool {
    Settings::parse("fuse-branches", "").is_ok_and(|settings| crate::fuse::run_early(function, &settings, host))
}

/// fuse-branches on a module in the middle of clang's pipeline.
pub fn fuse_module(module: Module<'_>, host: &Host<'_>) -> bool {
    let Ok(settings) = Settings::parse("fuse-branches", "") else { return false };
    let changed = read_annotations(module);
    crate::fuse::run_late(module, &settings, host) || changed
}

fn run_default(module: Module<'_>, settings: &Settings, host: &Host<'_>) -> bool {
    let mut changed = false;
    for (name, run) in PASSES {
        if settings.runs(switch_of(name)) {
            changed |= run(module, settings, host);
        }
    }
    changed
}

/// Functions with an `annotate("warpwise.WORD")`, and the string attribute `warpwise-WORD` that says the same.
fn annotations(module: Module<'_>) -> Vec<(Function<'_>, String)> {
    let mut wanted = Vec::new();
    let Some(list) = module.global("llvm.global.annotations").and_then(|global| global.initializer()) else {
        return wanted;
    };
    for entry in (0..list.ty().length() as u32).filter_map(|index| list.aggregate_element(index)) {
        let (Some(function), Some(text)) = (entry.aggregate_element(0), entry.aggregate_element(1)) else { continue };
        let (Some(function), Some(text)) = (function.as_function(), text.initializer().and_then(|t| t.const_text()))
        else {
            continue;
        };
        if let Some(word) = text.strip_prefix("warpwise.") {
            wanted.push((function, format!("warpwise-{word}")));
        }
    }
    wanted
}

/// Turns annotations of functions into string attributes, which survive linking and the loss of annotations. Whether
/// any was new.
fn read_annotations(module: Module<'_>) -> bool {
    let mut changed = false;
    let mut editor = Editor::new(module);
    for (function, attribute) in annotations(module) {
        if function.string_attribute(&attribute).is_none() {
            editor.set_string_attribute(function, &attribute, "");
            changed = true;
        }
    }
    changed
}

/// Settings for what happens when code is generated.
pub fn codegen_settings() -> Settings {
    Settings::parse(DEFAULT, "").unwrap_or_default()
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
        ] {
            assert!(parse(text).unwrap_err().to_string().contains(part), "{text}");
        }
        assert!(parse("verify").is_err());
        for (text, part) in [("regs=many", "'many'"), ("victims=frob", "'frob'")] {
            let error = Settings::parse("steer-spills", text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn each_pass_takes_its_own() {
        let settings = Settings::parse(DEFAULT, "no-fuse;block=256").unwrap();
        assert!(!settings.is_on("fuse"));
        let on = |text: &str, word: &str| Settings::parse(DEFAULT, text).unwrap().is_on(word);
        assert!(on("", "fuse") && on("", "steer") && !on("", "map"));
        assert!(on("map", "steer") && !on("map", "fuse") && on("fuse;map", "fuse"));
        assert!(Settings::parse(DEFAULT, "no-annotate=1").is_err());
        assert!(Settings::parse(DEFAULT, "no-frob").is_err());
        let annotate = |text: &str| Settings::parse("annotate-uniform", text).map(|settings| settings.annotate);
        assert!(annotate("verify").unwrap().verify);
        assert!(!annotate("vote=0").unwrap().vote);
        assert!(annotate("vote=2").is_err());
        assert!(annotate("no-fuse").is_err());
        assert!(Settings::parse("fuse-branches", "always").unwrap().fuse_always);
        assert!(Settings::parse("steer-spills", "always").is_err());
    }

    #[test]
    fn a_transform_is_switched_by_its_first_word() {
        for (name, _) in PASSES {
            assert!(SWITCHES.contains(&switch_of(name)), "{name}");
        }
        assert_eq!(lookup(DEFAULT), Some(PASSES.len()));
    }
}
