//! The `warpwise` command.

fn main() -> std::process::ExitCode {
    warpwise::cli::main()
}
