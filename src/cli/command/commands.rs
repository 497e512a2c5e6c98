//! How does a build compile the device side of a source? From an entry of compile_commands.json, by clang or by nvcc.

use super::cuda::{is_cuda, tree_of};
use super::nvcc::request::{Language, Request};
use super::words;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// One entry of compile_commands.json.
#[derive(Deserialize, Clone)]
pub struct Entry {
    pub directory: PathBuf,
    pub file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// What compiles the device side of an entry.
#[derive(PartialEq, Eq, Debug)]
pub struct DeviceCommand {
    /// Flags of clang.
    pub flags: Vec<String>,
    /// The CUDA tree that the command names, or that its nvcc belongs to.
    pub cuda: Option<PathBuf>,
    /// The command is nvcc's, or is written for it.
    pub is_nvcc: bool,
}

/// Flags of clang that do not concern the device side, each with a value in the next word.
const DROPPED_WITH_VALUE: [&str; 13] = [
    "-o", "-x", "-MF", "-MT", "-MQ", "-Xlinker", "-Xcuda-ptxas", "-Xcuda-fatbinary", "-Xoffload-linker", "-Xarch_host",
    "-Xpreprocessor", "-Xassembler", "-T",
];

/// Words that may precede a compiler.
const LAUNCHERS: [&str; 4] = ["ccache", "sccache", "distcc", "warpwise"];

/// The command for the device side of an entry; none if the entry is not a CUDA source. nvcc's flags are
/// translated as by `warpwise nvcc`, response files are read, and the first architecture is used.
pub fn device_command(entry: &Entry) -> Result<Option<DeviceCommand>> {
    let words = match (&entry.arguments, &entry.command) {
        (Some(arguments), _) => arguments.clone(),
        (None, Some(command)) => words::split(command, &format!("the command for {}", entry.file.display()))?,
        (None, None) => bail!("the entry for {} has no command", entry.file.display()),
    };
    let is_launcher =
        |word: &String| Path::new(word).file_name().is_some_and(|name| LAUNCHERS.iter().any(|l| name == *l));
    let mut words = words.into_iter().skip_while(is_launcher);
    let compiler = words.next().unwrap_or_default();
    let is_nvcc = Path::new(&compiler).file_name().is_some_and(|name| name.to_string_lossy().contains("nvcc"));
    let (words, names_cuda) = if is_nvcc {
        let request = Request::parse_in(&entry.directory, words.map(OsString::from))
            .with_context(|| format!("the command for {} cannot be read", entry.file.display()))?;
        (words_of(&request), request.inputs().any(|(_, language)| language == Language::Cuda))
    } else {
        let words = words::expanded(words.collect(), &entry.directory)?;
        let names_cuda = words.windows(2).any(|pair| pair[0] == "-x" && pair[1] == "cuda");
        (words.clone(), names_cuda || words.iter().any(|word| word == "-xcuda"))
    };
    if !names_cuda && !is_cuda(&entry.file) {
        return Ok(None);
    }
    let named = words.iter().rev().find_map(|word| word.strip_prefix("--cuda-path="));
    let of_nvcc = || tree_of(Path::new(&compiler)).filter(|_| is_nvcc);
    let cuda = named.map(|path| entry.directory.join(path)).or_else(of_nvcc);
    Ok(Some(DeviceCommand { flags: device_words(words), cuda, is_nvcc }))
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

/// Those of clang's words that concern the device side.
fn device_words(words: Vec<String>) -> Vec<String> {
    const PAIRS: [&str; 9] = ["-I", "-D", "-U", "-isystem", "-include", "-iquote", "-idirafter", "-mllvm", "-Xclang"];
    const STARTS: [&str; 14] = [
        "-I", "-D", "-U", "-O", "-isystem", "-iquote", "-mllvm=", "-std=", "-fgpu-", "-fcuda-", "-ffp-contract=",
        "-ffast-math", "-fno-exceptions", "-fno-gpu-",
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
            architecture = architecture.or_else(|| warpwise_analysis::gpu::chip::name_in(list));
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

    fn understood(folder: &str, file: &str, command: &str) -> Result<Option<DeviceCommand>> {
        let (directory, file, command) = (folder.into(), file.into(), Some(command.to_owned()));
        device_command(&Entry { directory, file, command, arguments: None })
    }

    fn flags(file: &str, command: &str) -> Option<Vec<String>> {
        understood("/b", file, command).unwrap().map(|command| command.flags)
    }

    #[test]
    fn response_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("k.rsp"), "-I/x -DN=3\n").unwrap();
        let words = |command: &str| understood(&folder.path().display().to_string(), "k.cu", command);
        for command in ["nvcc --options-file k.rsp -c k.cu", "nvcc -optf k.rsp -c k.cu", "clang++ -O3 @k.rsp -c k.cu"] {
            assert_eq!(words(command).unwrap().unwrap().flags, ["-O3", "-I/x", "-DN=3"], "{command}");
        }
        assert!(words("clang++ @none.rsp -c k.cu").err().unwrap().to_string().contains("none.rsp"));
    }

    #[test]
    fn a_command_names_its_cuda_tree() {
        let folder = tempfile::tempdir().unwrap();
        let nvcc = folder.path().join("bin/nvcc");
        std::fs::create_dir_all(folder.path().join("nvvm/libdevice")).unwrap();
        std::fs::write(folder.path().join("nvvm/libdevice/libdevice.10.bc"), "").unwrap();
        let of = |command: &str| understood("/b", "k.cu", command).unwrap().unwrap().cuda;
        assert_eq!(of("clang++ -O3 --cuda-path=/opt/cuda -c k.cu"), Some("/opt/cuda".into()));
        assert_eq!(of(&format!("{} -c k.cu", nvcc.display())).as_deref(), Some(folder.path()));
        assert_eq!(of("nvcc -c k.cu"), None);
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
                "-mllvm=-nvvm-reflect-add=__CUDA_PREC_SQRT=0",
                "-D__nv_expf=__nv_fast_expf",
                "-D__nv_exp10f=__nv_fast_exp10f",
                "-D__nv_log10f=__nv_fast_log10f",
                "-D__nv_powf=__nv_fast_powf",
                "-D__nv_tanf=__nv_fast_tanf",
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
