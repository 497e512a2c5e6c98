//! What does a command line of nvcc request?
//!
//! Parses it into a [`Request`]: inputs and clang's arguments in order, what to generate from them, and for which
//! architectures. Nothing is looked up and nothing is run here.

use super::super::words;
use super::arch::Architectures;
use super::flags::{self, Flag, Meaning, Phase, Value};
use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// How an input is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Cuda,
    Cxx,
    C,
    /// An object, an archive, a library: for the linker alone.
    Linked,
}

/// A piece of the command line, in its order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    Argument(OsString),
    Input(PathBuf, Language),
}

/// What is requested.
#[derive(Debug, Default)]
pub struct Request {
    pub goal: Option<Phase>,
    pub items: Vec<Item>,
    pub output: Option<PathBuf>,
    pub output_folder: Option<PathBuf>,
    pub architectures: Architectures,
    pub is_relocatable: bool,
    /// How the CUDA runtime is linked, if not statically.
    pub cudart: Option<&'static [&'static str]>,
    /// Level of host code.
    pub host_level: Option<String>,
    pub is_device_debug: bool,
    pub is_dry_run: bool,
    pub is_verbose: bool,
    pub runs: bool,
    pub run_arguments: Vec<OsString>,
    pub archiver: Option<OsString>,
    pub falls_back: bool,
    pub real_compiler: Option<PathBuf>,
    pub wants_version: bool,
    pub wants_help: bool,
    /// The command line without inputs, outputs and what is ours: what the real nvcc is given for one source.
    pub original: Vec<OsString>,
}

/// clang flags that are followed by a value.
const CLANG_PAIRS: &[&str] = &[
    "-mllvm", "-Xclang", "-Xarch_host", "-Xarch_device", "-Xcuda-ptxas", "-Xcuda-fatbinary", "-Xoffload-linker",
    "-iquote", "-idirafter", "-isysroot", "-imacros", "-MQ", "-target", "-Xpreprocessor", "-Xassembler", "-T", "-z",
    "-u",
];
/// Prefixes of clang flags that no nvcc flag has.
const CLANG_STARTS: &[&str] = &[
    "-f", "-W", "-m", "-R", "-B", "-pthread", "-rdynamic", "-pedantic", "-static", "-nostd", "-nodefault", "-nocuda",
    "-stdlib", "-pipe", "-s", "-d", "-g", "-P", "-C", "-S", "-H", "-print-", "-###", "--print-", "--target",
    "--sysroot", "--gcc-", "--cuda-", "--no-cuda-", "--offload-", "--no-offload-", "--rtlib", "--unwindlib",
    "-resource-dir", "-emit-llvm", "-Qunused",
];

/// Flags that only GCC knows, and that are dropped.
const GCC_ONLY: &[&str] = &["-fno-gnu-unique", "-fgnu-unique", "-fno-var-tracking", "-fno-var-tracking-assignments"];

impl Request {
    /// Reads a command line (without the program's name).
    ///
    /// # Errors
    /// A flag that neither nvcc nor clang has, one without its value, or one that asks for what clang cannot make.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request> {
        Request::parse_in(Path::new(""), arguments)
    }

    /// The same, where response files are named from a folder.
    pub fn parse_in(folder: &Path, arguments: impl IntoIterator<Item = OsString>) -> Result<Request> {
        let mut request = Request::default();
        let mut reader = Reader { rest: arguments.into_iter().collect(), language: None, folder };
        reader.rest.reverse();
        while let Some(token) = reader.rest.pop() {
            request.take(token, &mut reader)?;
        }
        request.architectures.settle()?;
        Ok(request)
    }

    fn take(&mut self, token: OsString, reader: &mut Reader<'_>) -> Result<()> {
        let Some(text) = token.to_str().filter(|text| text.len() > 1 && text.starts_with('-')) else {
            if let Some(file) = token.to_str().and_then(|text| text.strip_prefix('@')) {
                return reader.read_file(file);
            }
            let language = reader.language.unwrap_or_else(|| language_of(&token));
            self.items.push(Item::Input(token.into(), language));
            return Ok(());
        };
        if let Some(flag) = flags::find(text) {
            let value = match flag.value {
                Value::Bare => None,
                _ => Some(reader.value(flag)?),
            };
            return self.apply(flag, text, value, reader);
        }
        if let Some((name, value)) = text.split_once('=')
            && let Some(flag) = flags::find(name).filter(|flag| flag.value != Value::Bare)
        {
            return self.apply(flag, name, Some(value.into()), reader);
        }
        if let Some((flag, value)) = flags::find_joined(text) {
            return self.apply(flag, flag.short, Some(value.into()), reader);
        }
        self.take_clangs(text.to_owned(), reader)
    }

    /// A flag that nvcc does not have.
    fn take_clangs(&mut self, text: String, reader: &mut Reader<'_>) -> Result<()> {
        for name in ["--cuda-gpu-arch=", "--offload-arch="] {
            if let Some(list) = text.strip_prefix(name) {
                return list.split(',').try_for_each(|arch| self.architectures.add_real(arch, true));
            }
        }
        if CLANG_PAIRS.contains(&text.as_str()) {
            let value = reader.rest.pop().with_context(|| format!("'{text}' needs a value behind it"))?;
            self.items.extend([Item::Argument(text.into()), Item::Argument(value)]);
            return Ok(());
        }
        if !CLANG_STARTS.iter().any(|start| text.starts_with(start)) {
            bail!(
                "nvcc has no flag '{text}', and clang's are known by other names; for the host compiler write -Xcompiler {text}"
            );
        }
        self.items.push(Item::Argument(text.into()));
        Ok(())
    }

    fn apply(&mut self, flag: &Flag, written: &str, value: Option<OsString>, reader: &mut Reader<'_>) -> Result<()> {
        if !matches!(flag.meaning, Meaning::Ours(_) | Meaning::ResponseFile | Meaning::Goal(_)) {
            self.original.push(written.into());
            self.original.extend(value.clone());
        }
        let text = value.as_deref().map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
        match flag.meaning {
            Meaning::Goal(goal) => {
                if self.goal.replace(goal).is_some_and(|other| other != goal) {
                    bail!("two things to make are asked for: '{written}' and one before it")
                }
            }
            Meaning::Sets(set) | Meaning::Ours(set) => set(self, value.unwrap_or_default()),
            Meaning::Language => reader.language = Some(language_named(&text)?),
            Meaning::Code => elements(&text).iter().try_for_each(|code| self.architectures.add_code(code))?,
            Meaning::Generate => self.architectures.generate(&text)?,
            Meaning::Relocatable => self.is_relocatable = truth(flag, written, &text)?,
            Meaning::Cudart => {
                self.cudart = match text.as_str() {
                    "static" => None,
                    "shared" => Some(&["-lcudart"]),
                    "none" => Some(&[]),
                    _ => bail!("'{written}' takes static, shared or none, not '{text}'"),
                }
            }
            Meaning::ResponseFile => elements(&text).iter().try_for_each(|file| reader.read_file(file))?,
            Meaning::RunArguments => self.run_arguments.extend(elements(&text).into_iter().map(OsString::from)),
            Meaning::KeepFolder | Meaning::Ignored => {}
            Meaning::Refused => bail!("'{written}' of nvcc cannot be had here: {}", flag.note),
            Meaning::Pass(name) => {
                self.argument(name);
                self.items.extend(value.map(Item::Argument));
            }
            Meaning::PassJoined(names) => {
                for value in list_of(flag, value.unwrap_or_default()) {
                    for name in names.split('|') {
                        let (before, start) = name.rsplit_once(' ').unwrap_or(("", name));
                        self.arguments_of(before);
                        let mut last = OsString::from(start);
                        last.push(&value);
                        self.items.push(Item::Argument(last));
                    }
                }
            }
            Meaning::PassEach => elements(&text).iter().for_each(|option| self.arguments_of(option)),
            Meaning::Behind(name) => {
                for element in elements(&text) {
                    self.argument(name);
                    self.argument(&element);
                }
            }
            Meaning::Either(yes, no) => {
                let is_on = truth(flag, written, &text)?;
                self.is_device_debug |= flag.long == "--device-debug" || (flag.long == "--dopt" && !is_on);
                self.arguments_of(if is_on { yes } else { no });
            }
            // the driver passes it on for HIP only, but the front end accepts it for CUDA, too
            Meaning::DefaultStream => match text.as_str() {
                "per-thread" => {
                    self.arguments_of("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1 -Xclang -fgpu-default-stream=per-thread")
                }
                "legacy" | "null" => {}
                _ => bail!("'{written}' takes legacy, null or per-thread, not '{text}'"),
            },
        }
        Ok(())
    }

    /// Each word of a text.
    fn arguments_of(&mut self, text: &str) {
        text.split_whitespace().for_each(|word| self.argument(word));
    }

    fn argument(&mut self, text: &str) {
        if GCC_ONLY.contains(&text) {
            return;
        }
        self.items.push(Item::Argument(text.into()));
    }

    /// Inputs and how each is compiled.
    pub fn inputs(&self) -> impl Iterator<Item = (&PathBuf, Language)> {
        self.items.iter().filter_map(|item| match item {
            Item::Input(path, language) => Some((path, *language)),
            Item::Argument(_) => None,
        })
    }

    /// Clang's arguments, in order.
    pub fn arguments(&self) -> impl Iterator<Item = &OsString> {
        self.items.iter().filter_map(|item| match item {
            Item::Argument(argument) => Some(argument),
            Item::Input(..) => None,
        })
    }
}

/// The words still to be parsed, last first, and the language set by `-x`.
struct Reader<'f> {
    rest: Vec<OsString>,
    language: Option<Language>,
    /// Where response files lie.
    folder: &'f Path,
}

impl Reader<'_> {
    fn value(&mut self, flag: &Flag) -> Result<OsString> {
        // `-rdc` and similar flags may be given without a value
        let is_truth = |text: &OsString| text == "true" || text == "false";
        if flag.value == Value::Truth && !self.rest.last().is_some_and(is_truth) {
            return Ok("true".into());
        }
        self.rest.pop().with_context(|| format!("'{}' needs a value behind it", flag.long))
    }

    /// Puts what a response file says in front of the rest.
    fn read_file(&mut self, file: &str) -> Result<()> {
        let words = words::of_file(self.folder, file)?;
        self.rest.extend(words.into_iter().rev().map(OsString::from));
        Ok(())
    }
}

/// The value of a flag that is given without one.
fn truth(flag: &Flag, written: &str, text: &str) -> Result<bool> {
    match text {
        "" | "true" => Ok(true),
        "false" => Ok(false),
        _ if flag.value == Value::Truth => bail!("'{written}' takes true or false, not '{text}'"),
        _ => Ok(text != "off"),
    }
}

/// The values of a flag that takes a list.
fn list_of(flag: &Flag, value: OsString) -> Vec<OsString> {
    match (flag.value, value.to_str()) {
        (Value::List, Some(text)) => elements(text).into_iter().map(OsString::from).collect(),
        _ => vec![value],
    }
}

/// The elements of a list, separated by commas except after a backslash or between double quotes.
fn elements(text: &str) -> Vec<String> {
    let (mut list, mut current, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(',') => current.push(','),
                Some(other) => current.extend(['\\', other]),
                None => current.push('\\'),
            },
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => list.push(std::mem::take(&mut current)),
            _ => current.push(character),
        }
    }
    list.push(current);
    list.retain(|element| !element.is_empty());
    list
}

fn language_named(name: &str) -> Result<Language> {
    match name {
        "cu" | "cuda" => Ok(Language::Cuda),
        "c++" => Ok(Language::Cxx),
        "c" => Ok(Language::C),
        _ => bail!("'-x' takes cu, c++ or c, not '{name}'"),
    }
}

fn language_of(path: &OsStr) -> Language {
    match PathBuf::from(path).extension().and_then(OsStr::to_str) {
        Some("cu" | "cup") => Language::Cuda,
        Some("cc" | "cpp" | "cxx" | "C" | "c++") => Language::Cxx,
        Some("c") => Language::C,
        _ => Language::Linked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_part_at_commas() {
        assert_eq!(elements("-a,-b"), ["-a", "-b"]);
        assert_eq!(elements(r#"-Wl\,-rpath,"x,y""#), ["-Wl,-rpath", "x,y"]);
        assert!(elements("").is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_in_a_sentence() {
        let fault = |line: &str| {
            let words = line.split_whitespace().map(OsString::from);
            Request::parse(words).map(|_| ()).unwrap_err().to_string()
        };
        assert!(fault("-quux a.cu").contains("-Xcompiler -quux"));
        assert!(fault("a.cu -o").contains("needs a value"));
        assert!(fault("-rdc=maybe a.cu").contains("true or false"));
        assert!(fault("-cudart some a.cu").contains("static, shared or none"));
        assert!(fault("-optix-ir a.cu").contains("OptiX"));
        assert!(fault("-ptx -cubin a.cu").contains("two things"));
        assert!(fault("-optf /nowhere/x a.cu").contains("cannot read"));
    }

    #[test]
    fn inputs_keep_their_order_and_language() {
        let request = Request::parse(["a.cu", "-lm", "b.o", "-x", "cu", "c.cpp"].map(OsString::from)).unwrap();
        let languages: Vec<_> = request.inputs().map(|(_, language)| language).collect();
        assert_eq!(languages, [Language::Cuda, Language::Linked, Language::Cuda]);
        assert_eq!(request.items[1], Item::Argument("-lm".into()));
    }
}
