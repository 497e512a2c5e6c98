//! `warpwise nvcc …`: how is nvcc's command line compiled by clang with the plugin?
//!
//! The command line is parsed ([`request`], by the rows of [`flags`]), commands are planned ([`steps`]), and then run.
//! A build changes in one word: `nvcc` becomes `warpwise nvcc`, or `warpwise-nvcc` if a single word is required.

mod arch;
mod flag_table;
pub mod flags;
pub mod headers;
mod host_names;
pub mod request;
mod steps;

use super::cuda::{find_clang, find_cuda, find_cuda_of, find_plugin};
use super::words;
use anyhow::{Context, Result, bail, ensure};
use flags::Phase;
use request::Request;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use steps::{Compile, Step, Tools};

/// Name under which the command is this driver, without a subcommand.
pub const PROGRAM: &str = "warpwise-nvcc";
/// The first CUDA whose nvcc compiles for sm_75 by default; earlier ones compile for sm_52.
const TURING_SINCE: u32 = 13;

const HELP: &str = "\
warpwise nvcc: nvcc's command line, compiled by clang with the warpwise plugin

  warpwise nvcc [nvcc's flags] [clang's flags] FILE...

  --fallback     what clang refuses is compiled by the real nvcc, object for object, and that is said
  --nvcc PATH    that nvcc (else WARPWISE_NVCC, else the one of the CUDA tree)
  -mllvm -warpwise-...   options of the plugin; -Rpass=warpwise and its like say what it does
  -dryrun        print the commands, run none

Every flag of nvcc and what becomes of it is in docs/NVCC.md. NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS are read.";

/// Compile as nvcc does, with clang and the plugin: takes nvcc's command line.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct NvccArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "NVCC'S ARGUMENTS")]
    pub arguments: Vec<OsString>,
}

/// Runs a command line of nvcc (without the program's name).
pub fn drive(arguments: Vec<OsString>) -> Result<ExitCode> {
    let request = Request::parse(with_environment(arguments)?)?;
    if request.wants_help {
        println!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    if request.wants_version {
        return version();
    }
    let words: Vec<_> = request.arguments().map(|word| word.to_string_lossy()).collect();
    let cuda = find_cuda_of(&words)?;
    let (major, minor) = release(&cuda).unwrap_or((0, 0));
    if let Some((name, least)) = request.architectures.too_old(major) {
        bail!(
            "CUDA {major}.{minor} does not compile for {name} any more: give sm_{least} or newer, such as -arch=sm_90"
        );
    }
    let tools = Tools {
        clang: find_clang()?,
        plugin: if request.is_device_debug { None } else { Some(find_plugin()?) },
        usual_architecture: if (1..TURING_SINCE).contains(&major) { "sm_52" } else { "sm_75" }.to_owned(),
        cuda,
    };
    let temporary = super::temporary_folder()?;
    for mut step in steps::plan(&request, &tools, temporary.path())? {
        if request.is_verbose || request.is_dry_run {
            eprintln!("#$ {}", typed(&step.command));
        }
        if request.is_dry_run {
            continue;
        }
        let code = run_step(&mut step, &request, &tools)?;
        if code != 0 {
            if lacks_openmp(&step, &tools.clang) {
                eprintln!(
                    "warpwise nvcc: -fopenmp needs LLVM's OpenMP runtime and its omp.h, and clang finds no libomp.so: \
                     install it (Debian: libomp-22-dev)"
                );
            }
            return Ok(ExitCode::from(code));
        }
        if request.falls_back
            && let Some(Compile { goal: Phase::Compile, output: Some(object), .. }) = &step.compile
        {
            name_for_both(object, &request, &tools);
        }
        if let Some(list) = step.dependencies.as_deref().filter(|list| list.is_file()) {
            forget(temporary.path(), list)?;
        }
    }
    if request.runs && !request.is_dry_run {
        return run_program(&request);
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a command asked for OpenMP and clang has no runtime library for it.
fn lacks_openmp(step: &Step, clang: &Path) -> bool {
    const LIBRARY: &str = "libomp.so";
    let asks = step.command.get_args().any(|word| word.to_string_lossy().starts_with("-fopenmp"));
    let found = || Command::new(clang).arg(format!("-print-file-name={LIBRARY}")).output();
    // clang prints the name alone of what it does not find
    asks && found().is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == LIBRARY)
}

/// Takes the headers in a temporary folder out of a list of dependencies, or make would look for them the next time.
fn forget(folder: &Path, list: &Path) -> Result<()> {
    let mut text = super::read(list)?;
    for name in headers::names() {
        let header = folder.join(name).to_string_lossy().replace(' ', "\\ ");
        // as a dependency, and as the empty rule that -MP adds
        text = text.replace(&format!("\n{header}:\n"), "\n").replace(&format!(" {header}"), "");
    }
    super::write(list, text)
}

/// NVCC_PREPEND_FLAGS, the command line, NVCC_APPEND_FLAGS.
fn with_environment(arguments: Vec<OsString>) -> Result<Vec<OsString>> {
    let read = |name: &str| -> Result<Vec<OsString>> {
        let text = std::env::var(name).unwrap_or_default();
        Ok(words::split(&text, name)?.into_iter().map(OsString::from).collect())
    };
    Ok([read("NVCC_PREPEND_FLAGS")?, arguments, read("NVCC_APPEND_FLAGS")?].concat())
}

/// Runs one command; returns its exit status, or 0 if the real nvcc has done the step instead.
fn run_step(step: &mut Step, request: &Request, tools: &Tools) -> Result<u8> {
    let command = &mut step.command;
    command.env("PATH", with_cuda_tools(&tools.cuda)?);
    if let Some(Compile { source, .. }) = step.compile.as_ref().filter(|compile| !compile.source.is_file()) {
        bail!("cannot read {}: no such file", source.display());
    }
    if let Some(file) = &step.output {
        command.stdout(std::fs::File::create(file).with_context(|| format!("cannot write {}", file.display()))?);
    }
    let fallback = step.compile.as_ref().filter(|_| request.falls_back);
    if fallback.is_some() {
        command.stderr(Stdio::piped());
    }
    let outcome = command
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))?;
    let Some(compile) = fallback else {
        if !outcome.status.success() {
            if step.compile.is_some() {
                eprintln!("warpwise nvcc: what clang refuses, nvcc compiles with --fallback, object for object");
            }
            if command.get_args().any(|argument| argument == "-fopenmp") {
                eprintln!("warpwise nvcc: clang's omp.h and -lomp are a package of their own, on Debian libomp-22-dev");
            }
        }
        return Ok(status(outcome.status));
    };
    let said = String::from_utf8_lossy(&outcome.stderr);
    if outcome.status.success() {
        eprint!("{said}");
        return Ok(0);
    }
    let reason = said.lines().find(|line| line.contains("error:")).or(said.lines().last()).unwrap_or("no reason given");
    eprintln!("warpwise nvcc: {} is compiled by nvcc, because clang refused it: {reason}", compile.source.display());
    compile_with_nvcc(compile, request, tools)
}

/// Lets objects of nvcc launch the kernels of this object if clang made it, and the other way round. A build that has no
/// such launches needs none of it, so a failure is a warning.
fn name_for_both(object: &Path, request: &Request, tools: &Tools) {
    let outcome = host_names::command(object, &tools.clang).and_then(|command| {
        let Some(mut command) = command else { return Ok(()) };
        if request.is_verbose {
            eprintln!("#$ {}", typed(&command));
        }
        let outcome = command.output()?;
        ensure!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr).trim_end());
        Ok(())
    });
    if let Err(error) = outcome {
        eprintln!(
            "warpwise nvcc: warning: kernels of {} can be launched from objects of the same compiler only: {error:#}",
            object.display()
        );
    }
}

/// PATH with the CUDA tree's tools appended, where clang looks for nvlink.
fn with_cuda_tools(cuda: &Path) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::env::split_paths(&path).chain([cuda.join("bin")]))
        .context("the CUDA tree's path holds a ':'")
}

fn status(outcome: std::process::ExitStatus) -> u8 {
    outcome.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Lets the real nvcc do the same step.
fn compile_with_nvcc(compile: &Compile, request: &Request, tools: &Tools) -> Result<u8> {
    let named = request.real_compiler.clone().or_else(|| std::env::var_os("WARPWISE_NVCC").map(PathBuf::from));
    let nvcc = named.unwrap_or_else(|| tools.cuda.join("bin/nvcc"));
    let mut command = Command::new(&nvcc);
    command.args(&request.original).arg(flags::for_goal(compile.goal)).arg(&compile.source);
    if let Some(output) = &compile.output {
        command.arg("-o").arg(output);
    }
    let outcome = command
        .status()
        .with_context(|| format!("cannot run {}; name the real nvcc with --nvcc or WARPWISE_NVCC", nvcc.display()))?;
    Ok(status(outcome))
}

fn run_program(request: &Request) -> Result<ExitCode> {
    let name = request.output.clone().unwrap_or_else(|| "a.out".into());
    let path = if name.components().count() == 1 { Path::new(".").join(name) } else { name };
    let outcome = Command::new(&path)
        .args(&request.run_arguments)
        .status()
        .with_context(|| format!("cannot run {}", path.display()))?;
    Ok(ExitCode::from(status(outcome)))
}

/// The version output that build scripts look for: clang's version for CMake, the release in nvcc's words for others.
fn version() -> Result<ExitCode> {
    println!("warpwise nvcc {}: clang with the warpwise plugin", env!("CARGO_PKG_VERSION"));
    if let Ok(output) = Command::new(find_clang()?).arg("--version").output() {
        print!("{}", String::from_utf8_lossy(&output.stdout));
    }
    let (major, minor) = release(&find_cuda()?).unwrap_or((0, 0));
    println!("Cuda compilation tools, release {major}.{minor}, V{major}.{minor}.0");
    Ok(ExitCode::SUCCESS)
}

/// The release of a CUDA tree, from its cuda.h.
fn release(cuda: &Path) -> Option<(u32, u32)> {
    let header = std::fs::read_to_string(cuda.join("include/cuda.h")).ok()?;
    let number: u32 = header.split("#define CUDA_VERSION ").nth(1)?.split_whitespace().next()?.parse().ok()?;
    Some((number / 1000, number % 1000 / 10))
}

/// A command as one would type it in a shell.
fn typed(command: &Command) -> String {
    let quote = |word: &OsStr| {
        let text = word.to_string_lossy();
        shlex::try_quote(&text).map(|quoted| quoted.into_owned()).unwrap_or_else(|_| text.into_owned())
    };
    std::iter::once(command.get_program()).chain(command.get_args()).map(quote).collect::<Vec<_>>().join(" ")
}
