//! `warpwise opt` and `warpwise llc`: how does a program get the passes that calls LLVM's `opt`, and code from what they
//! wrote?

use std::ffi::OsString;
use std::process::ExitCode;

/// Optimize a module as LLVM's opt does with the plugin loaded: takes opt's command line, and --ptx.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct OptArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPT'S ARGUMENTS")]
    pub arguments: Vec<OsString>,
}

/// Generate code as LLVM's llc does: for tools that run opt and llc, which must be of the same LLVM.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct LlcArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "LLC'S ARGUMENTS")]
    pub arguments: Vec<OsString>,
}

/// Runs a command line of `program` (`warpwise_opt::OPT` or `LLC`).
pub fn drive(program: &str, arguments: Vec<OsString>) -> ExitCode {
    ExitCode::from(u8::try_from(warpwise_opt::drive(program, arguments)).unwrap_or(1))
}
