//! `warpwise report --project compile_commands.json`: what is there to know about the kernels of a whole project?
//! Reports on every CUDA translation unit, and an index of all kernels.
//!
//! Each unit is processed in a process of its own ([`super::unit`]), several in parallel. Results are cached in a
//! folder by a hash of the command, and are valid as long as all files that clang read are unchanged. So an interrupted
//! run continues where it stopped, and a second run only processes what has changed. A unit that does not compile is
//! listed and tried again next time. The output depends on the inputs only, not on time, order or the number of jobs.

use super::cuda::{find_clang, find_cuda, find_plugin};
use super::nvcc::request::{Language, Request};
use crate::geometry::BlockShape;
use crate::report::index::{Failure, Index, Row, Unit};
use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Options for projects only.
#[derive(Args)]
pub struct ProjectArgs {
    /// With --project: files looked at at a time (one a core).
    #[arg(long, value_name = "N", requires = "project")]
    jobs: Option<usize>,
    /// With --project: where answers are kept (.warpwise beside compile_commands.json).
    #[arg(long, value_name = "DIR", requires = "project")]
    cache: Option<PathBuf>,
}

/// One entry of compile_commands.json.
#[derive(Deserialize, Clone)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// The work for one file.
struct Task {
    directory: PathBuf,
    file: PathBuf,
    flags: Vec<String>,
    block: Option<BlockShape>,
    /// Hash of all of the above and of what looks at it.
    key: String,
}

/// A result as it is cached.
#[derive(Serialize, Deserialize)]
struct Kept {
    unit: Unit,
    /// Contents of the dependencies, hashed together.
    contents: String,
}

/// Runs the subcommand.
pub fn run(
    commands: &Path,
    args: &ProjectArgs,
    html: Option<&Path>,
    block: Option<BlockShape>,
    as_json: bool,
    more: &[String],
) -> Result<()> {
    let inside = commands.join("compile_commands.json");
    let commands = if commands.is_dir() { &inside } else { commands };
    let text = std::fs::read_to_string(commands).with_context(|| format!("cannot read {}", commands.display()))?;
    let entries: Vec<Entry> =
        serde_json::from_str(&text).with_context(|| format!("{} is no compilation database", commands.display()))?;
    let beside = commands.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cache = args.cache.clone().unwrap_or_else(|| beside.join(".warpwise"));
    std::fs::create_dir_all(&cache).with_context(|| format!("cannot make the folder {}", cache.display()))?;
    let mut index = Index { project: commands.display().to_string(), ..Index::default() };
    let mut tasks = Vec::new();
    for entry in &entries {
        match device_flags(entry) {
            Ok(None) => {}
            Ok(Some(flags)) => {
                tasks.push(Task::new(entry, flags.into_iter().chain(more.iter().cloned()).collect(), block)?)
            }
            Err(error) => {
                let (file, reason) = (entry.file.display().to_string(), format!("{error:#}"));
                index.failures.push(Failure { file, reason });
            }
        }
    }
    if tasks.is_empty() && index.failures.is_empty() {
        bail!("{} names no CUDA source", commands.display());
    }
    tasks.sort_by(|a, b| (&a.file, &a.key).cmp(&(&b.file, &b.key)));
    tasks.dedup_by(|a, b| a.key == b.key);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let units = look_at_all(&tasks, &cache, args.jobs.unwrap_or(cores).clamp(1, tasks.len().max(1)));

    let mut pages = Vec::new();
    for (task, unit) in tasks.iter().zip(units) {
        let file = task.file.display().to_string();
        match unit {
            Err(reason) => index.failures.push(Failure { file, reason }),
            Ok(unit) => {
                let page = format!("files/{:04}.html", index.units);
                let row = |kernel| Row { file: file.clone(), page: page.clone(), kernel };
                index.units += 1;
                index.kernels.extend(unit.kernels.into_iter().map(row));
                pages.push((page, unit.page));
            }
        }
    }
    index.sort();
    if let Some(folder) = html {
        write_pages(folder, &index, &pages).with_context(|| format!("cannot write to {}", folder.display()))?;
    }
    if as_json {
        println!("{}", serde_json::to_string_pretty(&index)?);
    } else {
        print!("{}", index.to_text());
    }
    if index.units == 0 {
        bail!("no source of {} could be looked at", commands.display());
    }
    Ok(())
}

fn write_pages(folder: &Path, index: &Index, pages: &[(String, String)]) -> Result<()> {
    std::fs::create_dir_all(folder.join("files"))?;
    for (page, text) in pages {
        std::fs::write(folder.join(page), text)?;
    }
    std::fs::write(folder.join("index.html"), index.to_html()?)?;
    Ok(())
}

/// One result per task, in the order of the tasks.
fn look_at_all(tasks: &[Task], cache: &Path, jobs: usize) -> Vec<Result<Unit, String>> {
    let bar = ProgressBar::new(tasks.len() as u64); // silent if stderr is not a terminal
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    let next = AtomicUsize::new(0);
    let hashes = Hashes::default();
    let answers: Vec<Mutex<Option<Result<Unit, String>>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((task, answer)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((tasks.get(i)?, &answers[i])))
                {
                    bar.set_message(task.file.display().to_string());
                    let unit = task.run(cache, &hashes).map_err(|error| format!("{error:#}"));
                    *answer.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(unit);
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let taken = answers.into_iter().map(|answer| answer.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()));
    taken.map(|answer| answer.unwrap_or_else(|| Err("was not looked at".to_owned()))).collect()
}

impl Task {
    fn new(entry: &Entry, flags: Vec<String>, block: Option<BlockShape>) -> Result<Task> {
        let mut hash = Sha256::new();
        let command = std::env::current_exe().context("cannot tell where warpwise is")?;
        let tools = [find_clang()?, find_cuda()?].map(|path| path.display().to_string());
        let block_text = block.map(|shape| shape.to_string()).unwrap_or_default();
        let mut itself = env!("CARGO_PKG_VERSION").to_owned();
        for path in [command, find_plugin()?] {
            let file = std::fs::metadata(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let made = file.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            itself += &format!(" {} {made:?}", file.len());
        }
        let place = [&entry.directory, &entry.file].map(|path| path.display().to_string());
        for part in [itself, block_text].iter().chain(&tools).chain(&place).chain(&flags) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let key = hex(&hash.finalize());
        Ok(Task { directory: entry.directory.clone(), file: entry.file.clone(), flags, block, key })
    }

    fn run(&self, cache: &Path, hashes: &Hashes) -> Result<Unit> {
        let place = cache.join(format!("{}.json", self.key));
        let kept: Option<Kept> = std::fs::read(&place).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(kept) = kept
            && hashes.of_all(&self.directory, &kept.unit.dependencies).is_some_and(|hash| hash == kept.contents)
        {
            return Ok(kept.unit);
        }
        let unit = self.look()?;
        // a file has changed meanwhile, so the result is not cached
        if let Some(contents) = hashes.of_all(&self.directory, &unit.dependencies) {
            let kept = Kept { unit: unit.clone(), contents };
            let mut file = tempfile::NamedTempFile::new_in(cache)?;
            serde_json::to_writer(&mut file, &kept)?;
            file.persist(&place)?;
        }
        Ok(unit)
    }

    fn look(&self) -> Result<Unit> {
        let mut command = Command::new(std::env::current_exe()?);
        command.current_dir(&self.directory).arg("unit").arg(&self.file);
        // resolved from here, not from the unit's folder
        command.env("WARPWISE_CUDA", find_cuda()?).env("WARPWISE_CLANG", find_clang()?);
        if let Some(block) = self.block {
            command.args(["--block", &block.to_string()]);
        }
        let output = command.arg("--").args(&self.flags).output();
        let output = output.with_context(|| format!("cannot run in {}", self.directory.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let reason = said.trim().trim_start_matches("warpwise: ");
            bail!("{}", if reason.is_empty() { output.status.to_string() } else { reason.to_owned() });
        }
        serde_json::from_slice(&output.stdout).context("the answer cannot be read")
    }
}

/// Hashes of the contents of files, each read once per run.
#[derive(Default)]
struct Hashes(Mutex<HashMap<PathBuf, Option<[u8; 32]>>>);

impl Hashes {
    fn of_all(&self, directory: &Path, files: &[String]) -> Option<String> {
        let mut all = Sha256::new();
        for file in files {
            all.update(self.of(&directory.join(file))?);
        }
        Some(hex(&all.finalize()))
    }

    fn of(&self, path: &Path) -> Option<[u8; 32]> {
        let mut known = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let read = || std::fs::read(path).ok().map(|bytes| Sha256::digest(bytes).into());
        *known.entry(path.to_path_buf()).or_insert_with(read)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Flags of clang that do not concern the device side, each with a value in the next word.
const DROPPED_WITH_VALUE: [&str; 13] = [
    "-o",
    "-x",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xcuda-ptxas",
    "-Xcuda-fatbinary",
    "-Xoffload-linker",
    "-Xarch_host",
    "-Xpreprocessor",
    "-Xassembler",
    "-T",
];

/// Words that may precede a compiler.
const LAUNCHERS: [&str; 4] = ["ccache", "sccache", "distcc", "warpwise"];

/// The clang flags for compiling the device side of an entry; none if the entry is not a CUDA source. nvcc's flags are
/// translated as by `warpwise nvcc`, response files are read, and the first architecture is used.
fn device_flags(entry: &Entry) -> Result<Option<Vec<String>>> {
    let words = match (&entry.arguments, &entry.command) {
        (Some(arguments), _) => arguments.clone(),
        (None, Some(command)) => shlex::split(command)
            .with_context(|| format!("the command for {} has an open quote", entry.file.display()))?,
        (None, None) => bail!("the entry for {} has no command", entry.file.display()),
    };
    let is_launcher =
        |word: &String| Path::new(word).file_name().is_some_and(|name| LAUNCHERS.iter().any(|l| name == *l));
    let mut words = words.into_iter().skip_while(is_launcher);
    let compiler = words.next().unwrap_or_default();
    let is_nvcc = Path::new(&compiler).file_name().is_some_and(|name| name.to_string_lossy().contains("nvcc"));
    let has_extension = |extension: &str| entry.file.extension().is_some_and(|ext| ext == extension);
    let (words, names_cuda) = if is_nvcc {
        let request = Request::parse_in(&entry.directory, words.map(OsString::from))
            .with_context(|| format!("the command for {} cannot be read", entry.file.display()))?;
        (words_of(&request), request.inputs().any(|(_, language)| language == Language::Cuda))
    } else {
        let words = expanded(words.collect(), &entry.directory)?;
        let names_cuda = words.windows(2).any(|pair| pair[0] == "-x" && pair[1] == "cuda");
        (words.clone(), names_cuda || words.iter().any(|word| word == "-xcuda"))
    };
    if !names_cuda && !has_extension("cu") {
        return Ok(None);
    }
    Ok(Some(device_words(words)))
}

/// Clang's words for what nvcc was asked.
fn words_of(request: &Request) -> Vec<String> {
    // device code is optimised whatever -O says of host code
    let level = if request.is_device_debug { "-O0" } else { "-O3" };
    let mut words = vec![level.to_owned()];
    words.extend(request.arguments().map(|word| word.to_string_lossy().into_owned()));
    words.extend(request.is_relocatable.then(|| "-fgpu-rdc".to_owned()));
    words.extend(request.architectures.real.iter().map(|(name, _)| format!("--cuda-gpu-arch={name}")));
    words
}

/// Words with the contents of response files in their place.
fn expanded(words: Vec<String>, folder: &Path) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for word in words {
        match word.strip_prefix('@') {
            None => all.push(word),
            Some(name) => {
                let path = folder.join(name);
                let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                all.extend(shlex::split(&text).with_context(|| format!("{} has an open quote", path.display()))?);
            }
        }
    }
    Ok(all)
}

/// Those of clang's words that concern the device side.
fn device_words(words: Vec<String>) -> Vec<String> {
    const PAIRS: [&str; 9] = ["-I", "-D", "-U", "-isystem", "-include", "-iquote", "-idirafter", "-mllvm", "-Xclang"];
    const STARTS: [&str; 14] = [
        "-I",
        "-D",
        "-U",
        "-O",
        "-isystem",
        "-iquote",
        "-mllvm=",
        "-std=",
        "-fgpu-",
        "-fcuda-",
        "-ffp-contract=",
        "-ffast-math",
        "-fno-exceptions",
        "-fno-gpu-",
    ];
    let mut flags = Vec::new();
    let mut architecture = None;
    let mut has_level = false;
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        has_level |= word.starts_with("-O");
        if DROPPED_WITH_VALUE.contains(&&*word) {
            words.next();
        } else if word == "-Xarch_device" {
            flags.extend(words.next());
        } else if PAIRS.contains(&&*word) {
            flags.push(word);
            flags.extend(words.next());
        } else if let Some(list) =
            ["--cuda-gpu-arch=", "--offload-arch="].iter().find_map(|name| word.strip_prefix(name))
        {
            architecture = architecture.or_else(|| crate::gpu::chip::name_in(list));
        } else if STARTS.iter().any(|start| word.starts_with(start)) {
            flags.push(word);
        }
    }
    if !has_level {
        flags.push("-O0".to_owned()); // clang's own
    }
    flags.extend(architecture.map(|name| format!("--cuda-gpu-arch={name}")));
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(file: &str, command: &str) -> Option<Vec<String>> {
        let entry =
            Entry { directory: "/b".into(), file: file.into(), command: Some(command.to_owned()), arguments: None };
        device_flags(&entry).unwrap()
    }

    #[test]
    fn response_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("k.rsp"), "-I/x -DN=3\n").unwrap();
        let words = |command: &str| {
            let (directory, file) = (folder.path().to_owned(), "k.cu".into());
            device_flags(&Entry { directory, file, command: Some(command.to_owned()), arguments: None })
        };
        for command in ["nvcc --options-file k.rsp -c k.cu", "nvcc -optf k.rsp -c k.cu", "clang++ -O3 @k.rsp -c k.cu"] {
            assert_eq!(words(command).unwrap().unwrap(), ["-O3", "-I/x", "-DN=3"], "{command}");
        }
        assert!(words("clang++ @none.rsp -c k.cu").unwrap_err().to_string().contains("none.rsp"));
    }

    #[test]
    fn commands_of_clang_and_nvcc_are_understood() {
        let clang =
            "clang++ -DA=1 -I/x -isystem /y --cuda-gpu-arch=sm_80 -O2 -std=c++17 -x cuda -c /s/k.cu -o k.o -MD -MF k.d";
        assert_eq!(
            flags("/s/k.cu", clang).unwrap(),
            ["-DA=1", "-I/x", "-isystem", "/y", "-O2", "-std=c++17", "--cuda-gpu-arch=sm_80"]
        );
        let nvcc = "nvcc -ccbin g++ -D B -isystem=/y --generate-code=arch=compute_90,code=[compute_90,sm_90] -rdc=true \
                    -Xcompiler -Wall -use_fast_math -mllvm -warpwise-fuse -c k.cu -o k.o";
        assert_eq!(
            flags("k.cu", nvcc).unwrap(),
            [
                "-O3",
                "-DB",
                "-isystem",
                "/y",
                "-fgpu-flush-denormals-to-zero",
                "-fgpu-approx-transcendentals",
                "-mllvm=-nvptx-prec-divf32=0",
                "-mllvm=-nvptx-prec-sqrtf32=0",
                "-mllvm",
                "-warpwise-fuse",
                "-fgpu-rdc",
                "--cuda-gpu-arch=sm_90"
            ]
        );
        // the level that the build has: clang's -O0, nvcc's -O3 but under -G
        assert_eq!(flags("k.cu", "ccache clang++ -c k.cu").unwrap(), ["-O0"]);
        assert_eq!(flags("k.cu", "nvcc -O0 -c k.cu").unwrap(), ["-O3"]);
        assert!(flags("k.cu", "nvcc -G -c k.cu").unwrap().contains(&"-O0".to_owned()));
        assert_eq!(flags("k.cpp", "clang++ -c k.cpp"), None);
        assert!(flags("k.cpp", "clang++ -x cuda -c k.cpp").is_some());
    }
}
