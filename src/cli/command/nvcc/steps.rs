//! Which commands generate what is requested?
//!
//! Compiling one source is a step of its own, even if a program is built, so that `--fallback` can let another compiler
//! do just that step. Code that is not relocatable is compiled with clang's old offload driver: such objects register
//! themselves, like nvcc's, and can be linked by any linker.

use super::flag_table::EXACT_ROOT;
use super::flags::Phase;
use super::headers;
use super::request::{Item, Language, Request};
use crate::command::cuda::tree_flags;
use anyhow::{Context, Result, bail, ensure};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The locations of the tools.
pub struct Tools {
    pub clang: PathBuf,
    pub cuda: PathBuf,
    /// `None` under `-G`, where nothing is optimised.
    pub plugin: Option<PathBuf>,
    /// The architecture that the CUDA tree's nvcc compiles for if nothing is said.
    pub usual_architecture: String,
}

/// A source that is compiled to one output, which the real nvcc could do as well.
#[derive(Debug)]
pub struct Compile {
    pub source: PathBuf,
    pub goal: Phase,
    pub output: Option<PathBuf>,
}

/// One command.
#[derive(Debug)]
pub struct Step {
    pub command: Command,
    pub compile: Option<Compile>,
    /// Where its standard output goes, if not to ours.
    pub output: Option<PathBuf>,
    /// The list of dependencies that it writes, from which our [`headers`] are taken out again.
    pub dependencies: Option<PathBuf>,
}

impl Step {
    /// A command of which nothing more needs to be known.
    fn of(command: Command) -> Step {
        Step { command, compile: None, output: None, dependencies: None }
    }
}

/// clang's warnings about flags that are normal in a command line for nvcc.
const QUIET: &[&str] = &[
    "-Wno-unknown-cuda-version",
    "-Wno-unused-command-line-argument",
    "-Wno-unknown-warning-option",
    "-Wno-ignored-optimization-argument",
    // the host compilers of nvcc accept the keyword `register` in C++17
    "-Wno-register",
    // and say nothing of constants that a float rounds, such as `RAND_MAX`
    "-Wno-implicit-const-int-float-conversion",
    // and nvcc accepts `#pragma unroll(8)`
    "-Wno-cuda-compat",
    // where the C++ library uses what it calls deprecated, clang forgets for CUDA that the library said not to mind
    "-U__DEPRECATED",
    // and say nothing of loops that they did not transform as a pragma asks
    "-Wno-pass-failed",
    // what ptxas rejects is no bug of clang
    "-fno-crash-diagnostics",
];
/// Groups of warnings, in which clang has some that the host compilers of nvcc lack.
const GROUPS: &[&str] = &["-Wall", "-Wextra", "-W", "-pedantic", "-Wpedantic"];
/// Those, switched off behind each group; what the command line says of one by its name comes later.
const NOT_OF_NVCC: &[&str] = &[
    "-Wno-vla-cxx-extension", "-Wno-missing-braces", "-Wno-unused-private-field", "-Wno-unused-lambda-capture",
    "-Wno-self-assign",
];
/// How the plugin's options begin, behind `-mllvm`.
const PLUGIN_OPTIONS: &str = "-warpwise-";
/// Libraries that the static runtime needs.
const STATIC_NEEDS: &[&str] = &["-lcudart_static", "-ldl", "-lrt", "-lpthread"];
/// Keeps the output of clang-linker-wrapper from a link: the device code and its registration.
const KEEP_IMAGE: &str = "#!/bin/sh
# stands for the linker: of all that is linked only the object of the device code is wanted
image= out=
while [ $# -gt 0 ]; do
    case \"$1\" in
    -o) out=$2; shift ;;
    *.image.wrapper*.o | *.wrapper.*.o | *image*.o) image=$1 ;;
    esac
    shift
done
[ -n \"$image\" ] || { echo 'warpwise nvcc: no relocatable device code to link' >&2; exit 1; }
exec cp \"$image\" \"$out\"
";

/// The steps that generate what is requested; temporary files are put into `temporary`.
///
/// # Errors
/// A request that nvcc would reject, too: no input, one output for several inputs, one output for several
/// architectures.
pub fn plan(request: &Request, tools: &Tools, temporary: &Path) -> Result<Vec<Step>> {
    ensure!(request.inputs().next().is_some(), "no input files; give a .cu file, or --help");
    let goal = request.goal.unwrap_or(Phase::Link);
    headers::write(temporary, &tools.cuda, &tools.clang, &request.arguments().collect::<Vec<_>>())?;
    let planner = Planner { request, tools, temporary };
    match goal {
        Phase::Link | Phase::Archive => planner.link(goal),
        Phase::DeviceLink => planner.device_link(),
        _ => planner.each_source(goal),
    }
}

struct Planner<'a> {
    request: &'a Request,
    tools: &'a Tools,
    temporary: &'a Path,
}

impl Planner<'_> {
    /// One output for each source.
    fn each_source(&self, goal: Phase) -> Result<Vec<Step>> {
        let sources: Vec<_> = self.request.inputs().filter(|(_, language)| *language != Language::Linked).collect();
        if sources.len() > 1 && self.request.output.is_some() {
            bail!("-o names one file, but {} sources are compiled; leave -o out or link them", sources.len());
        }
        ensure!(!sources.is_empty(), "none of the inputs is a source; with -x cu any file is");
        let mut steps = Vec::new();
        for (source, language) in sources {
            let is_device_only = matches!(goal, Phase::Ptx | Phase::Cubin | Phase::Fatbin);
            if is_device_only && language != Language::Cuda {
                continue;
            }
            steps.extend(self.compile(source, language, goal, self.output_of(source, goal))?);
        }
        Ok(steps)
    }

    fn output_of(&self, source: &Path, goal: Phase) -> Option<PathBuf> {
        if let Some(output) = &self.request.output {
            return Some(output.clone());
        }
        let extension = match goal {
            Phase::Ptx => "ptx",
            Phase::Cubin => "cubin",
            Phase::Fatbin => "fatbin",
            Phase::Preprocess | Phase::Dependencies | Phase::UserDependencies => return None,
            _ => "o",
        };
        let name = Path::new(source.file_name().unwrap_or(OsStr::new("a"))).with_extension(extension);
        Some(self.request.output_folder.as_deref().unwrap_or(Path::new("")).join(name))
    }

    /// Steps that compile one source.
    fn compile(&self, source: &Path, language: Language, goal: Phase, output: Option<PathBuf>) -> Result<Vec<Step>> {
        let architectures = self.request.architectures.each(&self.tools.usual_architecture);
        if matches!(goal, Phase::Ptx | Phase::Cubin) && architectures.len() > 1 {
            bail!("PTX and cubins are of one architecture, but {} are asked for", architectures.len());
        }
        if goal == Phase::Fatbin {
            return self.fatbin(source, &architectures, output.as_deref().context("a fatbin needs a name")?);
        }
        let flags = match language {
            Language::Cuda => self.request.architectures.flags(&self.tools.usual_architecture),
            _ => Vec::new(),
        };
        let mut command = self.clang(source, language, &flags);
        let words: &[&str] = match goal {
            Phase::Preprocess => &["-E"],
            Phase::Dependencies => &["--cuda-host-only", "-M"],
            Phase::UserDependencies => &["--cuda-host-only", "-MM"],
            Phase::Ptx => &["--cuda-device-only", "-S"],
            Phase::Cubin => &["--cuda-device-only", "-c"],
            // the host's side warns of the same lines
            _ if language == Language::Cuda => &["-Xarch_device", "-w", "-c"],
            _ => &["-c"],
        };
        command.args(words);
        // clang writes both sides of -E to standard output only
        let redirected = if goal == Phase::Preprocess { output.clone() } else { None };
        if let Some(output) = output.as_ref().filter(|_| redirected.is_none()) {
            command.arg("-o").arg(output);
        }
        let dependencies = self.dependencies(output.as_deref());
        let compile = Some(Compile { source: source.to_owned(), goal, output });
        Ok(vec![Step { command, compile, output: redirected, dependencies }])
    }

    /// The list that -MD or -MMD writes: the file behind -MF, or one beside the output.
    fn dependencies(&self, output: Option<&Path>) -> Option<PathBuf> {
        let words: Vec<_> = self.request.arguments().collect();
        words.iter().find(|word| **word == "-MD" || **word == "-MMD")?;
        let named = words.windows(2).find(|pair| pair[0] == "-MF").map(|pair| PathBuf::from(pair[1]));
        named.or_else(|| output.map(|output| output.with_extension("d")))
    }

    /// Each architecture by itself, then `fatbinary`.
    fn fatbin(&self, source: &Path, architectures: &[(String, bool)], output: &Path) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        let mut images: Vec<OsString> = Vec::new();
        let mut image = |architecture: &str, what: (&str, &str, &str)| {
            let (extension, word, kind) = what;
            let path = self.temporary.join(format!("{architecture}.{extension}"));
            let flags = [format!("--offload-arch={architecture}")];
            let mut command = self.clang(source, Language::Cuda, &flags);
            command.args(["--cuda-device-only", word, "-o"]).arg(&path);
            let sm = architecture.trim_start_matches("sm_");
            images.push(joined(&format!("--image3=kind={kind},sm={sm},file="), &path));
            steps.push(Step::of(command));
        };
        for (architecture, has_ptx) in architectures {
            image(architecture, ("cubin", "-c", "elf"));
            if *has_ptx {
                image(architecture, ("ptx", "-S", "ptx"));
            }
        }
        let mut command = Command::new(self.tools.cuda.join("bin/fatbinary"));
        command.arg("-64").arg(joined("--create=", output)).args(images);
        steps.push(Step::of(command));
        Ok(steps)
    }

    /// Clang on one source, without what it is to make of it.
    fn clang(&self, source: &Path, language: Language, architectures: &[String]) -> Command {
        let request = self.request;
        let mut command = Command::new(&self.tools.clang);
        let name = match language {
            Language::Cuda => "cuda",
            Language::C => "c",
            _ => "c++",
        };
        command.args(["-x", name]).arg(source).args(QUIET).args(request.is_verbose.then_some("-v"));
        command.args(architectures).args(tree_flags(&self.tools.cuda));
        if language == Language::Cuda {
            if !matches!(request.goal, Some(Phase::Preprocess | Phase::Dependencies | Phase::UserDependencies)) {
                command.arg("-I").arg(self.temporary).args(["-include", headers::NAME]);
            }
            if let Some(plugin) = &self.tools.plugin {
                command.arg(joined("-fpass-plugin=", plugin));
                // remarks then say `n` instead of `argument 4`
                if request.arguments().any(|word| word.to_string_lossy().starts_with("-Rpass")) {
                    command.arg("-fno-discard-value-names");
                }
            }
            command.args(EXACT_ROOT.split(' '));
            if !request.is_device_debug {
                command.args(["-Xarch_device", "-O3"]);
            }
            if let Some(level) = &request.host_level {
                command.arg("-Xarch_host").arg(format!("-O{level}"));
            }
            command.args(match request.is_relocatable {
                true => ["-fgpu-rdc", "--offload-new-driver"],
                false => ["-fno-gpu-rdc", "--no-offload-new-driver"],
            });
        } else {
            command.arg("-isystem").arg(self.tools.cuda.join("include"));
            command.args(request.host_level.iter().map(|level| format!("-O{level}")));
        }
        // nvcc accepts a C++ standard for C sources, too, and ignores it
        let is_meant = |word: &&OsString| language != Language::C || !word.to_string_lossy().contains("++");
        let has_plugin = language == Language::Cuda && self.tools.plugin.is_some();
        let mut arguments = request.arguments().filter(is_meant).peekable();
        while let Some(word) = arguments.next() {
            let is_plugins = |next: &&OsString| next.to_string_lossy().starts_with(PLUGIN_OPTIONS);
            // clang knows the plugin's options only where it loads the plugin
            if !has_plugin && word == "-mllvm" && arguments.next_if(|next| is_plugins(next)).is_some() {
                continue;
            }
            command.arg(word);
            if GROUPS.iter().any(|group| word == group) {
                command.args(NOT_OF_NVCC);
            }
        }
        command
    }

    /// Objects of all sources, then a program, a library or an archive.
    fn link(&self, goal: Phase) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        let mut linked: Vec<OsString> = Vec::new();
        let mut is_relocatable = self.request.is_relocatable;
        for (at, item) in self.request.items.iter().enumerate() {
            match item {
                Item::Argument(argument) => linked.push(argument.clone()),
                Item::Input(path, Language::Linked) => {
                    is_relocatable |= holds_relocatable_code(path);
                    linked.push(path.clone().into());
                }
                Item::Input(source, language) => {
                    let stem = source.file_stem().unwrap_or(OsStr::new("a")).to_string_lossy().into_owned();
                    let object = self.temporary.join(format!("{at}-{stem}.o"));
                    steps.extend(self.compile(source, *language, Phase::Compile, Some(object.clone()))?);
                    linked.push(object.into());
                }
            }
        }
        let step = match goal {
            Phase::Archive => self.archive(&linked)?,
            _ => self.link_objects(linked, is_relocatable),
        };
        steps.push(step);
        Ok(steps)
    }

    fn archive(&self, linked: &[OsString]) -> Result<Step> {
        let output = self.request.output.as_ref().context("-lib needs the archive's name behind -o")?;
        let archiver = self.request.archiver.clone().unwrap_or_else(|| "ar".into());
        let mut command = Command::new(archiver);
        command.arg("rcs").arg(output).args(linked.iter().filter(|word| !word.to_string_lossy().starts_with('-')));
        Ok(Step::of(command))
    }

    /// Clang as linker, without what it links.
    fn linker(&self, is_relocatable: bool) -> Command {
        let mut command = Command::new(&self.tools.clang);
        // CMake learns from what the linker is called with where libraries lie
        command.args(QUIET).args(self.request.is_verbose.then_some("-v"));
        command.args(is_relocatable.then_some("--offload-link")).args(tree_flags(&self.tools.cuda));
        command
    }

    fn link_objects(&self, linked: Vec<OsString>, is_relocatable: bool) -> Step {
        let mut command = self.linker(is_relocatable);
        command.args(linked).arg("-o").arg(self.request.output.as_deref().unwrap_or(Path::new("a.out")));
        for folder in ["lib64", "lib", "targets/x86_64-linux/lib", "lib64/stubs", "lib/stubs"] {
            let folder = self.tools.cuda.join(folder);
            if folder.is_dir() {
                command.arg(joined("-L", &folder));
            }
        }
        command.args(self.map_runtime());
        command.args(self.request.cudart.unwrap_or(STATIC_NEEDS));
        Step::of(command)
    }

    /// The library with which objects compiled with `-warpwise-profile-generate` write their map. It lies beside the
    /// plugin; nothing of it is linked into other programs.
    fn map_runtime(&self) -> Option<PathBuf> {
        let library = self.tools.plugin.as_ref()?.with_file_name("libwarpwise_rt.a");
        library.is_file().then_some(library)
    }

    /// The linked device code of relocatable objects, as an object for any linker.
    fn device_link(&self) -> Result<Vec<Step>> {
        let output = self.request.output.as_deref().unwrap_or(Path::new("a_dlink.o"));
        let holds_none = |(path, language): (&PathBuf, Language)| {
            language == Language::Linked && path.is_file() && !holds_relocatable_code(path)
        };
        if self.request.inputs().all(holds_none) {
            // nothing is to be linked: like nvcc's, an object without code
            let mut command = Command::new(&self.tools.clang);
            command.args(["-x", "c", "-c", "/dev/null", "-o"]).arg(output);
            return Ok(vec![Step::of(command)]);
        }
        let keep = self.temporary.join("keep-image");
        crate::command::write(&keep, KEEP_IMAGE)?;
        std::fs::set_permissions(&keep, std::fs::Permissions::from_mode(0o755))
            .with_context(|| format!("cannot make {} executable", keep.display()))?;
        let mut command = self.linker(true);
        command.arg(joined("--ld-path=", &keep)).args(self.request.arguments());
        command.args(self.request.inputs().map(|(path, _)| path)).arg("-o").arg(output);
        Ok(vec![Step::of(command)])
    }
}

/// A flag with a path behind it.
fn joined(flag: &str, path: &Path) -> OsString {
    let mut word = OsString::from(flag);
    word.push(path);
    word
}

/// Whether an object or archive contains device code that must be linked; clang stores it in a section with this name.
fn holds_relocatable_code(path: &Path) -> bool {
    const SECTION: &[u8] = b".llvm.offloading";
    std::fs::read(path).is_ok_and(|bytes| bytes.windows(SECTION.len()).any(|window| window == SECTION))
}

#[cfg(test)]
mod tests {
    use super::super::flag_table::FLAGS;
    use super::*;

    fn tools() -> Tools {
        Tools {
            clang: "clang++".into(),
            cuda: "/cuda".into(),
            plugin: Some("/lib/libwarpwise.so".into()),
            usual_architecture: "sm_75".into(),
        }
    }

    fn commands(line: &str) -> Result<String> {
        commands_of(line, &tools())
    }

    fn commands_of(line: &str, tools: &Tools) -> Result<String> {
        let request = Request::parse(line.split_whitespace().map(OsString::from))?;
        let folder = tempfile::tempdir()?;
        let steps = plan(&request, tools, folder.path())?;
        let words = steps.iter().map(|step| {
            let words = std::iter::once(step.command.get_program()).chain(step.command.get_args());
            words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        });
        Ok(words.collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn each_row_holds() {
        for flag in FLAGS.iter().filter(|flag| !flag.example.is_empty()) {
            let said = commands(flag.example).unwrap_or_else(|error| panic!("{}: {error:#}", flag.long));
            assert!(said.contains(flag.gives), "{}: '{}' gives\n{said}", flag.long, flag.example);
        }
    }

    #[test]
    fn rows_without_an_example_are_taken_or_refused() {
        for flag in FLAGS.iter().filter(|flag| flag.example.is_empty()) {
            let value = match flag.value {
                super::super::flags::Value::Bare => "",
                super::super::flags::Value::Truth => " true",
                _ => " 1",
            };
            let outcome = commands(&format!("-c a.cu {}{value}", flag.long));
            let is_refused = matches!(flag.meaning, super::super::flags::Meaning::Refused);
            let needs_more = matches!(flag.long, "--device-link" | "--lib" | "--options-file" | "--fatbin");
            assert!(needs_more || outcome.is_err() == is_refused, "{}: {outcome:?}", flag.long);
        }
    }

    #[test]
    fn a_program_of_two_sources_and_a_library() {
        let said = commands("-O2 -arch=sm_90 a.cu b.cpp -lfoo -o prog").unwrap();
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].contains("-x cuda a.cu") && lines[0].contains("-fpass-plugin=/lib/libwarpwise.so"));
        assert!(lines[0].contains("-Xarch_device -O3") && lines[0].contains("-Xarch_host -O2"));
        assert!(lines[1].contains("-x c++ b.cpp") && !lines[1].contains("plugin") && lines[1].contains("-O2"));
        assert!(lines[2].contains("-lfoo -o prog") && lines[2].contains("-lcudart_static"));
        assert!(!lines[2].contains("--offload-link"));
    }

    #[test]
    fn remarks_name_variables() {
        let keeps = |line: &str| commands(line).unwrap().contains("-fno-discard-value-names");
        assert!(keeps("-c a.cu -Rpass-missed=warpwise") && !keeps("-c a.cu"));
        assert!(!keeps("-c a.cpp -Rpass=inline"));
    }

    #[test]
    fn options_of_the_plugin_go_where_the_plugin_is() {
        for line in ["-c a.cu b.cpp -mllvm -warpwise-off", "-c a.cu b.c -restrict"] {
            let said = commands(line).unwrap();
            let lines: Vec<&str> = said.lines().collect();
            assert!(lines[0].contains("-mllvm -warpwise-"), "{said}");
            assert!(!lines[1].contains("-mllvm") && !lines[1].contains(headers::NAME), "{said}");
        }
        let said = commands("-c a.cpp -mllvm -other -mllvm -warpwise-off").unwrap();
        assert!(said.contains("-mllvm -other") && !said.contains("warpwise"), "{said}");
    }

    #[test]
    fn programs_can_write_divergence_maps() {
        let folder = tempfile::tempdir().unwrap();
        let plugin = Some(folder.path().join("libwarpwise.so"));
        let runtime = folder.path().join("libwarpwise_rt.a");
        let linked = || commands_of("a.o -o prog", &Tools { plugin: plugin.clone(), ..tools() }).unwrap();
        assert!(!linked().contains("libwarpwise_rt.a"));
        std::fs::write(&runtime, "").unwrap();
        assert!(linked().contains(&format!("-o prog {} -lcudart_static", runtime.display())));
    }

    #[test]
    fn what_nvcc_refuses_is_refused() {
        assert!(commands("-c a.cu b.cu -o x.o").unwrap_err().to_string().contains("2 sources"));
        assert!(commands("-O3").unwrap_err().to_string().contains("no input"));
        assert!(commands("-ptx a.cu -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90").is_err());
        assert!(commands("-c a.o").unwrap_err().to_string().contains("none of the inputs"));
    }
}
