//! `warpwise opt`: how does a program get the passes that calls LLVM's `opt`?

use std::ffi::OsString;
use std::process::ExitCode;

/// Optimize a module as LLVM's opt does with the plugin loaded: takes opt's command line, and --ptx.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct OptArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPT'S ARGUMENTS")]
    pub arguments: Vec<OsString>,
}

/// Runs a command line of opt (without the program's name).
pub fn drive(arguments: Vec<OsString>) -> ExitCode {
    ExitCode::from(u8::try_from(warpwise_opt::drive(arguments)).unwrap_or(1))
}
