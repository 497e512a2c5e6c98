//! The `warpwise` command.

fn main() -> std::process::ExitCode {
    warpwise_cli::command::main()
}
