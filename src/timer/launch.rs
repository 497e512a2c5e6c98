//! How is a program started with the library loaded into it, and what does it leave behind?

use crate::format::{FOLDER_VARIABLE, MODE_VARIABLE};
use crate::read::{self, Left};
use anyhow::{Context, Result, bail, ensure};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

/// File name of the library that is preloaded.
const LIBRARY: &str = "libwarpwise_time.so";
/// Bytes of a program file that are examined, enough for the headers that linkers write.
const HEAD: usize = 4096;

/// How to run.
#[derive(Default)]
pub struct Options {
    /// Record what is copied back from the device.
    pub hash: bool,
    /// Time every launch.
    pub all: bool,
    /// Files for standard output and standard error. Without them both go to the terminal, and standard input comes
    /// from there too.
    pub capture: Option<(PathBuf, PathBuf)>,
    pub limit: Option<Duration>,
}

/// A finished run.
pub struct Finished {
    pub status: ExitStatus,
    pub wall: Duration,
    pub left: Vec<Left>,
    /// Whether it was stopped because it took too long.
    pub is_cut: bool,
}

/// A file that is beside the command (in a build), or in `../lib` (in an installation).
pub fn installed(name: &str) -> Result<PathBuf> {
    let command = std::env::current_exe().context("cannot tell where this command is")?;
    let beside = command.with_file_name(name);
    let in_lib = command.parent().and_then(Path::parent).map(|prefix| prefix.join("lib").join(name));
    let found = [Some(&beside), in_lib.as_ref()].into_iter().flatten().find(|path| path.is_file());
    found.cloned().with_context(|| {
        format!(
            "there is no {name} beside the command ({}) nor in the lib folder of its prefix; build it with cargo build \
             --release, or lay it out with scripts/install",
            beside.display()
        )
    })
}

/// The file that a program name refers to, after checking that a library can be preloaded into it.
pub fn find_program(name: &OsStr) -> Result<PathBuf> {
    let shown = name.to_string_lossy();
    let path = if shown.contains('/') {
        PathBuf::from(name)
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
        match found {
            Some(path) => path,
            None if Path::new(name).is_file() => bail!("there is no program {shown} on PATH; ./{shown} is one here"),
            None => bail!("there is no program {shown} on PATH"),
        }
    };
    let metadata = std::fs::metadata(&path).with_context(|| format!("there is no program {}", path.display()))?;
    ensure!(metadata.is_file(), "{} is not a program", path.display());
    ensure!(metadata.permissions().mode() & 0o111 != 0, "{} is not executable; chmod +x makes it so", path.display());
    if metadata.permissions().mode() & 0o6000 != 0 {
        bail!(
            "{} runs with another user's rights (setuid): the loader puts no library into such programs",
            path.display()
        );
    }
    let mut head = vec![0; HEAD];
    let length = File::open(&path).and_then(|mut file| file.read(&mut head));
    head.truncate(length.with_context(|| format!("cannot read {}", path.display()))?);
    if let Some(why) = why_not(&head) {
        bail!("{} {why}", path.display());
    }
    Ok(path)
}

/// Why no library can be preloaded into a program with this header, if that is so.
fn why_not(head: &[u8]) -> Option<&'static str> {
    /// `PT_INTERP`: only dynamically linked programs have this header.
    const INTERPRETER: u32 = 3;
    if !head.starts_with(b"\x7fELF") {
        return None; // a script, or something about which the system will report
    }
    let word = |at: usize, size: usize| {
        let bytes = head.get(at..at + size)?;
        Some(bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte)))
    };
    if head.get(4) != Some(&2) {
        return Some("is a 32-bit program, which CUDA has not run since version 9");
    }
    let (start, size, count) = (word(32, 8)? as usize, word(54, 2)? as usize, word(56, 2)? as usize);
    let mut kinds = (0..count).map(|index| word(start + index * size, 4));
    // where headers are cut off, it may be among those
    kinds.all(|kind| kind.is_some_and(|kind| kind as u32 != INTERPRETER)).then_some(
        "is linked statically with the C library (-static), so that no library can be put into it; a static CUDA runtime \
         alone is no obstacle",
    )
}

/// Process id of the program, 0 before it is started; for the signal handler.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// The last signal for which the handler was called, 0 before.
static STOPPED_BY: AtomicI32 = AtomicI32::new(0);

/// Whether Ctrl-C was pressed, or the command was asked to end in another way.
pub fn is_interrupted() -> bool {
    stopped_by().is_some()
}

/// The signal that asked the command to end.
pub fn stopped_by() -> Option<u8> {
    u8::try_from(STOPPED_BY.load(SeqCst)).ok().filter(|&signal| signal > 0)
}

/// From now on Ctrl-C ends the program that runs, if any, to which the terminal sends it, but not this command, which has
/// results to report; [`is_interrupted`] tells. A signal sent to this command alone is forwarded to the program.
pub fn watch_signals() {
    extern "C" fn note(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        STOPPED_BY.store(signal, SeqCst);
        let child = CHILD.load(SeqCst);
        // SAFETY: the kernel's own structure; `kill` may be called in a handler.
        unsafe {
            if child > 0 && (*info).si_code != libc::SI_KERNEL {
                libc::kill(child, signal);
            }
        }
    }
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the handler stores to atomics and calls `kill`. Programs that are started do not inherit handlers.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Runs a program to its end.
pub fn run(program: &Path, arguments: &[OsString], options: &Options) -> Result<Finished> {
    let library = installed(LIBRARY)?;
    let folder =
        tempfile::Builder::new().prefix("warpwise-time-").tempdir().context("cannot make a temporary folder")?;
    let mut command = Command::new(program);
    command.args(arguments).env(FOLDER_VARIABLE, folder.path()).env("LD_PRELOAD", preload(library, folder.path())?);
    let modes = [("hash", options.hash), ("all", options.all)];
    let modes: Vec<&str> = modes.into_iter().filter_map(|(mode, is_on)| is_on.then_some(mode)).collect();
    command.env(MODE_VARIABLE, modes.join(","));
    if let Some((output, errors)) = &options.capture {
        let create = |path: &Path| File::create(path).with_context(|| format!("cannot write {}", path.display()));
        command.stdin(Stdio::null()).stdout(create(output)?).stderr(create(errors)?);
    }
    watch_signals();
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot run {}", program.display()))?;
    CHILD.store(child.id() as i32, SeqCst);
    let waited = wait(&mut child, start, options.limit);
    CHILD.store(0, SeqCst);
    let (status, is_cut) = waited.with_context(|| format!("cannot wait for {}", program.display()))?;
    Ok(Finished { status, wall: start.elapsed(), left: read::folder(folder.path())?, is_cut })
}

/// The value of LD_PRELOAD: the user's own libraries first, then ours. A path with a space or a colon cannot stand there;
/// a link in the folder of the run then stands for it.
fn preload(library: PathBuf, folder: &Path) -> Result<OsString> {
    let can_stand = |path: &Path| !path.as_os_str().as_encoded_bytes().iter().any(|byte| b" :".contains(byte));
    let library = if can_stand(&library) {
        library
    } else {
        let link = folder.join(LIBRARY);
        if !can_stand(&link) {
            bail!(
                "LD_PRELOAD cannot name a path with a space or a colon, as {} and the temporary folder {} have; set \
                 TMPDIR to another folder",
                library.display(),
                folder.display()
            );
        }
        std::os::unix::fs::symlink(&library, &link).with_context(|| format!("cannot make {}", link.display()))?;
        link
    };
    let mut all = std::env::var_os("LD_PRELOAD").unwrap_or_default();
    if !all.is_empty() {
        all.push(":");
    }
    all.push(library);
    Ok(all)
}

fn wait(child: &mut Child, start: Instant, limit: Option<Duration>) -> std::io::Result<(ExitStatus, bool)> {
    let Some(limit) = limit else { return Ok((child.wait()?, false)) };
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        if start.elapsed() > limit {
            child.kill()?;
            return Ok((child.wait()?, true));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// How a run ended, in words: `exit 0`, `signal 6 (SIGABRT)`.
pub fn ending(status: ExitStatus) -> String {
    let name = |signal| match signal {
        libc::SIGABRT => " (SIGABRT)",
        libc::SIGSEGV => " (SIGSEGV)",
        libc::SIGINT => " (SIGINT)",
        libc::SIGKILL => " (SIGKILL)",
        libc::SIGTERM => " (SIGTERM)",
        libc::SIGBUS => " (SIGBUS)",
        libc::SIGFPE => " (SIGFPE)",
        _ => "",
    };
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}{}", name(signal)),
        _ => "unknown end".to_owned(),
    }
}

/// The exit status that a shell would report for the program.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// Why a run left no figures.
pub fn why_nothing(program: &Path, left: &[Left]) -> String {
    let program = program.display();
    let has_driver = Path::new("/proc/driver/nvidia/version").exists() || Path::new("/dev/dxg").exists();
    match (left.is_empty(), has_driver) {
        (true, true) => format!(
            "{program} never asked for the CUDA driver, so nothing was timed; if it runs its kernels in another place (a \
             server, a container), time it there"
        ),
        (true, false) => {
            format!("nothing was timed: {program} never reached a CUDA driver, and this machine seems to have none")
        }
        (false, _) => format!("{program} asked for the CUDA driver and launched no kernel"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_without_a_loader_are_refused() {
        let mut head = vec![0; 256];
        head[..5].copy_from_slice(b"\x7fELF\x02");
        head[32] = 64;
        head[54] = 56;
        head[56] = 2;
        head[64] = 1;
        assert!(why_not(&head).unwrap().contains("statically"));
        head[64 + 56] = 3;
        assert_eq!(why_not(&head), None);
        head[4] = 1;
        assert!(why_not(&head).unwrap().contains("32-bit"));
        assert_eq!(why_not(b"#!/bin/sh"), None);
    }
}
