//! When are the counters read, and where are they written?
//!
//! Every counted translation unit registers itself when the program starts. The counters are read when the program ends
//! (each registration installs a handler, so that one of them runs before the CUDA runtime unloads its modules), before
//! a `cudaDeviceReset`, on [`warpwise_map_write`], and, if possible, when a signal ends the program. A map is written
//! under a temporary name beside its final name and renamed; an existing file is never overwritten.

use super::driver::Driver;
use super::format::{Map, Module};
use libc::{c_char, c_int, c_void};
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// `cudaGetSymbolAddress`: the device address of a registered variable on the current GPU.
type SymbolAddress = unsafe extern "C" fn(*mut *mut c_void, *const c_void) -> c_int;

/// A counted translation unit.
#[derive(Clone, Copy)]
struct Unit {
    /// Address of the host variable by which the CUDA runtime knows the unit's index on the device.
    shadow: usize,
    name: &'static CStr,
    address: SymbolAddress,
}

#[derive(Default)]
struct State {
    units: Vec<Unit>,
    /// Counts from GPUs that have been reset since.
    kept: Map,
}

/// The modules loaded, and counts kept from before a reset; `None` before the first module.
static STATE: Mutex<Option<State>> = Mutex::new(None);
/// Whether the counters of this process were written.
static DONE: AtomicBool = AtomicBool::new(false);
/// Whether a kernel was launched.
static LAUNCHED: AtomicBool = AtomicBool::new(false);

/// The file name if `WARPWISE_MAP` is not set.
const USUAL_NAME: &str = "warpwise-%p.map";
/// Signals that end a program unless it handles them itself.
const SIGNALS: &[c_int] = &[
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGABRT,
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
];
/// Seconds that reading the counters may take after a signal.
const PATIENCE: u32 = 10;
/// Bytes of a unit's index on the device: addresses of counters and table, bytes of counters and table.
const INDEX: usize = 32;
/// Maximum number of files with the same name and a numeric suffix.
const MAX_FILES: u32 = 10_000;

fn complain(message: &str) {
    eprintln!("warpwise: {message}");
}

/// Registers a translation unit; called by code that the plugin adds.
///
/// # Safety
/// `shadow` was given to `__cudaRegisterVar`, `name` is a constant string, `address` is `cudaGetSymbolAddress`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __warpwise_map_register(shadow: *const c_void, name: *const c_char, address: SymbolAddress) {
    // SAFETY: the plugin hands over a constant string.
    let name = unsafe { CStr::from_ptr(name) };
    let unit = Unit { shadow: shadow as usize, name, address };
    let Ok(mut state) = STATE.lock() else { return };
    let state = state.get_or_insert_default();
    if state.units.is_empty() {
        catch_signals();
    }
    state.units.push(unit);
    // each unit leaves one: whichever was left last runs first
    leave_handler();
}

/// Has the map written when the program exits.
fn leave_handler() {
    // SAFETY: a handler without arguments.
    unsafe { libc::atexit(at_exit) };
}

/// Records that a kernel was launched; called by code that the plugin adds. The first call installs an exit handler
/// that runs before the one with which the CUDA runtime shuts down, because that one was installed earlier, when the
/// runtime was first used.
#[unsafe(no_mangle)]
pub extern "C" fn __warpwise_map_launched() {
    if !LAUNCHED.swap(true, Ordering::Relaxed) {
        leave_handler();
    }
}

extern "C" fn at_exit() {
    if !DONE.swap(true, Ordering::SeqCst) {
        write(false);
    }
}

fn catch_signals() {
    for &signal in SIGNALS {
        // SAFETY: a zeroed sigaction is the default one; old handlers are put back where there are any.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &mut old) == 0 && old.sa_sigaction == libc::SIG_DFL {
                let mut new: libc::sigaction = std::mem::zeroed();
                new.sa_sigaction = on_signal as *const () as usize;
                new.sa_flags = libc::SA_RESETHAND | libc::SA_NODEFER;
                libc::sigaction(signal, &new, std::ptr::null_mut());
            }
        }
    }
}

/// A signal is ending the program. The driver may hang now, so an alarm limits the wait.
extern "C" fn on_signal(signal: c_int) {
    if !DONE.swap(true, Ordering::SeqCst) {
        // SAFETY: plain system calls.
        unsafe {
            libc::signal(libc::SIGALRM, libc::SIG_DFL);
            libc::alarm(PATIENCE);
        }
        write(true);
    }
    // SAFETY: the handler was reset to the default when it was called.
    unsafe {
        libc::raise(signal);
    }
}

/// Writes a map of the counts so far. Returns zero, or one after printing what went wrong.
#[unsafe(no_mangle)]
pub extern "C" fn warpwise_map_write() -> c_int {
    c_int::from(!write(false))
}

/// Saves the counts of the current GPU, which is about to be reset.
#[unsafe(no_mangle)]
pub extern "C" fn __warpwise_map_before_reset() {
    let Ok(mut state) = STATE.lock() else { return };
    let Some(state) = state.as_mut() else { return };
    let collected = Driver::open().and_then(|driver| match driver.current_device() {
        Some(device) => collect(&driver, &state.units, &[device]),
        None => Ok(Map::default()),
    });
    match collected {
        Ok(map) => state.kept.add(&map),
        Err(error) => complain(&format!("the divergence map of a GPU is lost: {error}")),
    }
}

/// Writes a map. Returns whether one was written, or there was nothing to write.
fn write(in_signal: bool) -> bool {
    // in a signal handler the lock may be held by the thread that was interrupted
    let guard = if in_signal { STATE.try_lock().ok() } else { STATE.lock().ok() };
    let Some(guard) = guard else { return false };
    let Some(state) = guard.as_ref() else { return true };
    let mut map = state.kept.clone();
    let mut fine = true;
    match Driver::open().and_then(|driver| collect(&driver, &state.units, &driver.active_devices())) {
        Ok(now) => map.add(&now),
        Err(error) => {
            complain(&format!("the divergence map cannot be read from the GPU: {error}"));
            fine = false;
        }
    }
    if map.modules.is_empty() {
        return fine;
    }
    map.runs = vec![describe_run()];
    let pattern = std::env::var("WARPWISE_MAP").unwrap_or_else(|_| USUAL_NAME.to_owned());
    if pattern.is_empty() {
        return fine;
    }
    match store(Path::new(&file_name(&pattern)), &map.encode()) {
        Ok(_) => fine,
        Err(error) => {
            complain(&format!("cannot write the divergence map {}: {error}", file_name(&pattern)));
            false
        }
    }
}

fn collect(driver: &Driver, units: &[Unit], devices: &[c_int]) -> Result<Map, String> {
    let mut map = Map::default();
    for &device in devices {
        driver.with_device(device, || {
            for unit in units {
                match module(driver, unit) {
                    Ok(Some(module)) => map.add_module(&module),
                    Ok(None) => {}
                    Err(error) => complain(&format!("{}: {error}", unit.name.to_string_lossy())),
                }
            }
            Ok(())
        })?;
    }
    Ok(map)
}

/// The counts of a unit on the current GPU, if the unit was loaded there.
fn module(driver: &Driver, unit: &Unit) -> Result<Option<Module>, String> {
    let mut address = std::ptr::null_mut();
    // SAFETY: the shadow was registered with the CUDA runtime.
    let status = unsafe { (unit.address)(&mut address, unit.shadow as *const c_void) };
    if status != 0 || address.is_null() {
        return Ok(None);
    }
    let index = driver.read(address as u64, INDEX)?;
    let word = |at: usize| u64::from_le_bytes(index[at..at + 8].try_into().unwrap_or_default());
    let [counters, table, counter_bytes, table_bytes] = [word(0), word(8), word(16), word(24)];
    let table = driver.read(table, table_bytes as usize)?;
    let counters = driver.read(counters, counter_bytes as usize)?;
    let number = |at: usize| {
        table.get(at..at + 4).map_or(0, |raw| u32::from_le_bytes(raw.try_into().unwrap_or_default()) as usize)
    };
    let (replicas, words) = (number(16), number(20));
    if words == 0 || counters.len() != replicas * words * 8 {
        return Err("counters and table do not fit together".to_owned());
    }
    let mut counts = vec![0u64; words];
    for (i, raw) in counters.chunks_exact(8).enumerate() {
        counts[i % words] += u64::from_le_bytes(raw.try_into().unwrap_or_default());
    }
    Ok(Some(Module { table, counts }))
}

/// Writes a file under a name that is not taken: `name`, `name.1`, `name.2`, …
fn store(name: &Path, bytes: &[u8]) -> std::io::Result<PathBuf> {
    let draft = with_end(name, &format!(".{}.part", std::process::id()));
    std::fs::write(&draft, bytes)?;
    let mut place = name.to_owned();
    let mut outcome = std::fs::hard_link(&draft, &place);
    for number in 1..MAX_FILES {
        match &outcome {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                place = with_end(name, &format!(".{number}"));
                outcome = std::fs::hard_link(&draft, &place);
            }
            // a file system without hard links
            Err(_) if !place.exists() => {
                std::fs::rename(&draft, &place)?;
                return Ok(place);
            }
            _ => break,
        }
    }
    std::fs::remove_file(&draft)?;
    outcome.map(|()| place)
}

fn with_end(name: &Path, end: &str) -> PathBuf {
    let mut text = name.as_os_str().to_owned();
    text.push(end);
    PathBuf::from(text)
}

/// Replaces process (`%p`), host (`%h`) and rank (`%r`) in a file name.
pub fn file_name(pattern: &str) -> String {
    let mut name = String::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '%' => match rest.next() {
                Some('p') => name.push_str(&std::process::id().to_string()),
                Some('h') => name.push_str(&host()),
                Some('r') => name.push_str(&rank()),
                Some('%') | None => name.push('%'),
                Some(other) => name.extend(['%', other]),
            },
            c => name.push(c),
        }
    }
    name
}

fn host() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer has the length that is said.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&name[..end]).into_owned()
}

/// The rank of the process in a parallel job, from the variables that common launchers set.
fn rank() -> String {
    ["PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID", "RANK"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .filter(|rank| rank.chars().all(|c| c.is_ascii_digit()))
        .unwrap_or_else(|| "0".to_owned())
}

fn describe_run() -> String {
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
    format!("host={}\npid={}\nrank={}\nprogram={program}", host(), std::process::id(), rank())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_processes_apart() {
        let pid = std::process::id();
        assert_eq!(file_name("warpwise-%p.map"), format!("warpwise-{pid}.map"));
        assert_eq!(file_name("100%%-%x"), "100%-%x");
        assert_eq!(file_name("%r.map"), format!("{}.map", rank()));
        assert!(!file_name("%h").contains('%'));
    }

    #[test]
    fn nothing_is_overwritten() {
        let folder = std::env::temp_dir().join(format!("warpwise-rt-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let name = folder.join("a.map");
        assert_eq!(store(&name, b"one").unwrap(), name);
        assert_eq!(store(&name, b"two").unwrap(), folder.join("a.map.1"));
        assert_eq!(std::fs::read(&name).unwrap(), b"one");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
