//! What do the clang flags of a user mean to us? Told apart for a compile to IR, for one with the plugin, and for the
//! analysis.

use crate::geometry::BlockShape;
use anyhow::Result;

/// Options that the default pipeline takes between its brackets as well.
const PARAMETERS: [&str; 4] = ["block", "regs", "dynamic-shared", "assume-restrict"];
/// Transforms that an option switches.
const SWITCHES: [&str; 3] = ["annotate", "fuse", "steer"];

/// The user's flags, told apart by what they mean to us.
pub struct ClangFlags {
    /// As given, behind a reset of the architecture where they name one: clang adds architectures up.
    pub all: Vec<String>,
    /// Without options of the plugin, which the compile to IR does not load.
    pub plain: Vec<String>,
    /// `-mllvm -warpwise-block=…`.
    pub block: Option<BlockShape>,
    /// The plugin's options as parameters of its default pipeline: `no-fuse`, `regs=32`.
    pub parameters: Vec<String>,
    /// `-O0`.
    pub is_unoptimised: bool,
}

impl ClangFlags {
    /// Tells flags apart.
    pub fn new(given: &[String]) -> Result<ClangFlags> {
        let names_architecture =
            |flag: &String| flag.starts_with("--cuda-gpu-arch=") || flag.starts_with("--offload-arch=");
        let mut all = Vec::new();
        if given.iter().any(names_architecture) && !given.iter().any(|flag| flag == "--no-cuda-gpu-arch=all") {
            all.push("--no-cuda-gpu-arch=all".to_owned());
        }
        all.extend(given.iter().cloned());
        let mut flags =
            ClangFlags { plain: Vec::new(), block: None, parameters: Vec::new(), is_unoptimised: false, all };
        let mut rest = flags.all.iter().peekable();
        while let Some(flag) = rest.next() {
            match rest.peek() {
                Some(option) if flag == "-mllvm" && option.starts_with("-warpwise-") => {
                    if let Some(shape) = option.strip_prefix("-warpwise-block=") {
                        flags.block = Some(shape.parse()?);
                    }
                    flags.parameters.extend(parameter(option.trim_start_matches("-warpwise-")));
                    rest.next();
                }
                _ => flags.plain.push(flag.clone()),
            }
        }
        let level = flags.plain.iter().rev().find(|flag| flag.starts_with("-O"));
        flags.is_unoptimised = level.is_some_and(|level| level == "-O0");
        Ok(flags)
    }

    /// For the compile to IR that a report speaks of.
    pub fn for_ir(&self) -> Vec<&str> {
        let ours = ["-fno-discard-value-names", "-Xclang", "-disable-O0-optnone"];
        ours.into_iter().chain(self.plain.iter().map(String::as_str)).collect()
    }
}

/// `fuse=0` is `no-fuse`, `regs=32` stays, what only the plugin's command line knows is left out.
fn parameter(option: &str) -> Vec<String> {
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    let is_on = !matches!(value, "0" | "false");
    match name {
        "off" if is_on => SWITCHES.iter().map(|switch| format!("no-{switch}")).collect(),
        _ if SWITCHES.contains(&name) => vec![if is_on { name.to_owned() } else { format!("no-{name}") }],
        _ if PARAMETERS.contains(&name) => vec![option.to_owned()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(flags: &[&str]) -> ClangFlags {
        ClangFlags::new(&flags.iter().map(|flag| (*flag).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn flags_are_told_apart() {
        let flags =
            parse(&["-O1", "-mllvm", "-warpwise-block=64x2", "-mllvm", "-other", "--offload-arch=sm_80", "-O0"]);
        assert_eq!(flags.all[0], "--no-cuda-gpu-arch=all");
        assert_eq!(flags.plain, ["--no-cuda-gpu-arch=all", "-O1", "-mllvm", "-other", "--offload-arch=sm_80", "-O0"]);
        assert_eq!(flags.block.unwrap().y, 2);
        assert!(flags.is_unoptimised);
        assert_eq!(flags.parameters, ["block=64x2"]);
        assert_eq!(
            parse(&["-mllvm", "-warpwise-fuse", "-mllvm", "-warpwise-annotate=0"]).parameters,
            ["fuse", "no-annotate"]
        );
        assert!(!parse(&["-O0", "-O2"]).is_unoptimised);
        assert!(ClangFlags::new(&["-mllvm".to_owned(), "-warpwise-block=0".to_owned()]).is_err());
    }
}
