//! Which flags does clang need for the plugin (`warpwise flags`), and what do a user's own flags mean for us? Those are
//! separated into flags for compiling to IR, for compiling with the plugin, and for the analysis.

use super::cuda::{find_cuda, find_plugin, tree_flags};
use anyhow::Result;
use clap::Args;
use warpwise::settings::Settings;

/// Print the flags with which clang compiles CUDA with the plugin: the plugin and, if one is found, the CUDA tree.
#[derive(Args)]
pub struct FlagsArgs {
    /// Only the path of the plugin, for `opt -load-pass-plugin=$(warpwise flags --plugin)`.
    #[arg(long)]
    plugin: bool,
}

/// Runs the subcommand.
pub fn run(args: &FlagsArgs) -> Result<()> {
    let plugin = find_plugin()?;
    if args.plugin {
        println!("{}", plugin.display());
        return Ok(());
    }
    // remarks name arguments and variables as the source does
    let mut flags = vec![format!("-fpass-plugin={}", plugin.display()), "-fno-discard-value-names".to_owned()];
    match find_cuda() {
        Ok(tree) => flags.extend(tree_flags(&tree)),
        Err(reason) => eprintln!("warpwise: no --cuda-path is printed: {reason:#}"),
    }
    for flag in flags.iter().filter(|flag| flag.contains(char::is_whitespace)) {
        eprintln!("warpwise: a shell splits `{flag}` at its space: use a folder without one, or a link to it");
    }
    println!("{}", flags.join(" "));
    Ok(())
}

/// The user's flags, separated by meaning.
pub struct ClangFlags {
    /// As given, behind a reset of the architecture where they name one: clang adds architectures up.
    pub all: Vec<String>,
    /// Without options of the plugin, which the compile to IR does not load.
    pub plain: Vec<String>,
    /// The plugin's options.
    pub settings: Settings,
    /// `-O0`.
    pub is_unoptimised: bool,
}

impl ClangFlags {
    /// Tells flags apart.
    ///
    /// # Errors
    /// An option of the plugin that does not exist, or has a value that makes no sense.
    pub fn new(given: &[String]) -> Result<ClangFlags> {
        let names_architecture =
            |flag: &String| flag.starts_with("--cuda-gpu-arch=") || flag.starts_with("--offload-arch=");
        let mut all = Vec::new();
        if given.iter().any(names_architecture) && !given.iter().any(|flag| flag == "--no-cuda-gpu-arch=all") {
            all.push("--no-cuda-gpu-arch=all".to_owned());
        }
        all.extend(given.iter().cloned());
        let mut flags = ClangFlags { plain: Vec::new(), settings: Settings::default(), is_unoptimised: false, all };
        let mut rest = flags.all.iter().peekable();
        while let Some(flag) = rest.next() {
            let behind = if flag == "-mllvm" { rest.peek().and_then(|word| plugin_option(word)) } else { None };
            let joined = flag.strip_prefix("-mllvm=").and_then(plugin_option);
            let Some(option) = behind.or(joined) else {
                flags.plain.push(flag.clone());
                continue;
            };
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            flags.settings.set_option(name, value)?;
            if behind.is_some() {
                rest.next();
            }
            // what said for which side it is
            flags.plain.pop_if(|word| word == "-Xarch_device");
        }
        let level = flags.plain.iter().rev().find(|flag| flag.starts_with("-O"));
        flags.is_unoptimised = level.is_some_and(|level| level == "-O0");
        Ok(flags)
    }

    /// For the compile to IR that a report speaks of.
    pub fn for_ir(&self) -> Vec<&str> {
        // -g gives optimised device code no more than lines, and the report names members of records
        let ours =
            ["-fno-discard-value-names", "-Xclang", "-disable-O0-optnone", "-Xclang", "-debug-info-kind=limited"];
        ours.into_iter().chain(self.plain.iter().map(String::as_str)).collect()
    }

    /// What of flags says how clang goes on with what its front end made of CUDA, where multiply-adds may be formed.
    pub fn behind_front_end(flags: &[String]) -> Vec<&str> {
        let mut kept = vec!["-ffp-contract=fast", "-O3"];
        let mut rest = flags.iter().map(String::as_str);
        while let Some(flag) = rest.next() {
            match flag {
                "-Xarch_host" => drop(rest.next()),
                "-mllvm" => kept.extend([flag].into_iter().chain(rest.next())),
                "-funroll-loops" | "-fno-unroll-loops" => kept.push(flag),
                _ if ["-O", "-mllvm=", "-ffp-contract=", "-fpass-plugin="].iter().any(|one| flag.starts_with(one)) => {
                    kept.push(flag);
                }
                _ => {}
            }
        }
        kept
    }
}

/// What follows `-warpwise-`.
fn plugin_option(word: &str) -> Option<&str> {
    word.trim_start_matches('-').strip_prefix("warpwise-")
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
        assert_eq!(flags.settings.block.unwrap().y, 2);
        assert!(flags.is_unoptimised);
        let flags = parse(&["-mllvm=-warpwise-regs=32", "-Xarch_device", "-mllvm=-warpwise-fuse=0", "-O1"]);
        assert_eq!(flags.plain, ["-O1"]);
        assert!(flags.settings.regs == Some(32) && !flags.settings.runs(warpwise::settings::Transform::Fuse));
        assert!(!parse(&["-O0", "-O2"]).is_unoptimised);
        assert!(ClangFlags::new(&["-mllvm".to_owned(), "-warpwise-block=0".to_owned()]).is_err());
        let unknown = ClangFlags::new(&["-mllvm=-warpwise-frob".to_owned()]).err().unwrap().to_string();
        assert!(unknown.contains("-warpwise-frob") && unknown.contains("assume-restrict"), "{unknown}");
    }
}
