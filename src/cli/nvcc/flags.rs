//! Which flags does nvcc have, and how is each translated for clang?
//!
//! The rows of [`super::flag_table`], one per flag, define everything: parsing ([`super::request`]), the table in
//! docs/NVCC.md, and a test that translates each row's example and checks the result.

use super::flag_table::FLAGS;

/// How a flag takes its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// None.
    Bare,
    /// One: `--flag V`, `--flag=V`, `-flag V`, `-flag=V`.
    One,
    /// A list separated by commas, in the same four forms.
    List,
    /// One that may also stand right behind the short form: `-O3`, `-Idir`, `-lm`, `-std=c++17`.
    Joined,
    /// `true` or `false`.
    Truth,
}

/// What nvcc leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Link,
    /// Objects.
    Compile,
    /// An archive of objects.
    Archive,
    /// The registered device code of relocatable objects, as one object.
    DeviceLink,
    Preprocess,
    /// A list of what was included, for make; of the system's headers too.
    Dependencies,
    /// The same without the system's headers.
    UserDependencies,
    Ptx,
    Cubin,
    Fatbin,
}

/// What a flag means to the translation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Goal(Phase),
    /// Relocatable device code and objects at once (`-dc`).
    DeviceObjects,
    WholeObjects,
    /// Clang takes it under this name, followed by the value where there is one.
    Pass(&'static str),
    /// Clang takes it under this name, with the value joined to it.
    PassJoined(&'static str),
    /// Each element of the list is an argument of clang's by itself.
    PassEach,
    /// Each element goes behind this flag of clang's.
    Behind(&'static str),
    /// Clang takes these arguments if the value is `true` (or there is none), the second if it is `false`.
    Either(&'static [&'static str], &'static [&'static str]),
    Output,
    OutputFolder,
    Language,
    Optimise,
    Architecture,
    Code,
    Generate,
    Relocatable,
    Cudart,
    ResponseFile,
    DryRun,
    Verbose,
    Version,
    Help,
    Run,
    RunArguments,
    KeepFolder,
    Archiver,
    RealCompiler,
    DefaultStream,
    Fallback,
    /// Nothing is lost without it.
    Ignored,
    /// It asks for what clang does not have; the row says what to do.
    Refused,
}

/// One flag of nvcc.
pub struct Flag {
    pub long: &'static str,
    /// The same where nvcc has no short form.
    pub short: &'static str,
    pub value: Value,
    pub meaning: Meaning,
    /// A use of it, and arguments that clang is then called with, next to each other; empty where there are none.
    pub example: &'static str,
    pub gives: &'static str,
    /// What becomes of it, for the document; the reason where it is refused.
    pub note: &'static str,
}

/// The row of a flag given without a value.
pub fn find(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.long == name || flag.short == name || flag.long.strip_prefix('-') == Some(name))
}

/// The row of a flag with its value attached (`-O3`), and the value.
pub fn find_joined(token: &str) -> Option<(&'static Flag, &str)> {
    let candidates = FLAGS.iter().filter(|flag| flag.value == Value::Joined);
    let (flag, value) = candidates.filter_map(|flag| token.strip_prefix(flag.short).map(|rest| (flag, rest))).next()?;
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let takes_numbers_only = matches!(flag.short, "-m" | "-t"); // `-march=…`, `-target` are clang's
    (!value.is_empty() && (is_number || !takes_numbers_only)).then_some((flag, value))
}

/// The table of docs/NVCC.md.
pub fn markdown() -> String {
    let mut text = String::from("| flag | short | example | clang is given | |\n|---|---|---|---|---|\n");
    let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{text}`") };
    for flag in FLAGS {
        let short = if flag.short == flag.long { "" } else { flag.short };
        let fate = match flag.meaning {
            Meaning::Ignored => format!("ignored: {}", flag.note),
            Meaning::Refused => format!("refused: {}", flag.note),
            _ => flag.note.to_owned(),
        };
        let cells = [code(flag.long), code(short), code(flag.example), code(flag.gives), fate];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}
