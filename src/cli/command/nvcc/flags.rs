//! Which flags does nvcc have, and how is each translated for clang?
//!
//! The rows of [`super::flag_table`], one per flag, define everything: parsing ([`super::request`]), the table in
//! docs/NVCC.md, and a test that translates each row's example and checks the result.

use super::flag_table::FLAGS;
use super::request::Request;
use std::ffi::OsString;

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
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    Goal(Phase),
    /// What it sets in the request.
    Sets(fn(&mut Request, OsString)),
    /// The same of a flag that the real nvcc is not given when it compiles a source.
    Ours(fn(&mut Request, OsString)),
    /// Clang takes it under this name, followed by the value where there is one.
    Pass(&'static str),
    /// Clang takes it under this name, with the value joined to it; under several if there is a `|` between them.
    PassJoined(&'static str),
    /// Each element of the list is an argument of clang's by itself.
    PassEach,
    /// Each element goes behind this flag of clang's.
    Behind(&'static str),
    /// Clang takes these arguments if the value is `true` (or there is none), the second if it is `false`.
    Either(&'static str, &'static str),
    Language,
    Code,
    Generate,
    Relocatable,
    Cudart,
    ResponseFile,
    RunArguments,
    KeepFolder,
    DefaultStream,
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

/// The flag that asks for what is left behind, `-c` for objects.
pub fn for_goal(goal: Phase) -> &'static str {
    let row = FLAGS.iter().find(|flag| matches!(flag.meaning, Meaning::Goal(other) if other == goal));
    row.map_or("-c", |flag| flag.short)
}

/// The row of a flag with its value attached (`-O3`), and the value.
pub fn find_joined(token: &str) -> Option<(&'static Flag, &str)> {
    let candidates = FLAGS.iter().filter(|flag| flag.value == Value::Joined);
    let (flag, value) = candidates.filter_map(|flag| token.strip_prefix(flag.short).map(|rest| (flag, rest))).next()?;
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let takes_numbers_only = matches!(flag.short, "-m" | "-t"); // `-march=…`, `-target` are clang's
    (!value.is_empty() && (is_number || !takes_numbers_only)).then_some((flag, value))
}

/// The table of docs/NVCC.md, and the list of what is ignored and why. Flags share a row if clang takes them under the same
/// name, or if clang is told nothing about them for the same reason.
pub fn markdown() -> String {
    let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{text}`") };
    let mut rows: Vec<(String, [String; 3])> = Vec::new();
    let mut ignored: Vec<(String, &str)> = Vec::new();
    for flag in FLAGS {
        let has_short = flag.long.strip_prefix('-') != Some(flag.short) && flag.long != flag.short;
        let name = if has_short { format!("`{}` `{}`", flag.long, flag.short) } else { code(flag.long) };
        if matches!(flag.meaning, Meaning::Ignored) {
            join(&mut ignored, name, flag.note, false);
            continue;
        }
        let is_refused = matches!(flag.meaning, Meaning::Refused);
        let fate = if is_refused { format!("refused: {}", flag.note) } else { flag.note.to_owned() };
        let is_passed_on = flag.note == "the same" && flag.gives.starts_with(flag.short);
        let is_alone = !is_passed_on && !flag.gives.is_empty();
        let cells =
            if is_alone { [code(flag.example), code(flag.gives), fate] } else { [String::new(), String::new(), fate] };
        join(&mut rows, name, cells, is_alone);
    }
    let mut text = String::from("| flag | example | clang is given | |\n|---|---|---|---|\n");
    for (names, [example, gives, fate]) in rows {
        text += &format!("| {names} | {example} | {gives} | {fate} |\n");
    }
    // why, only where the reason says what to do instead
    let advises = |why: &str| why.contains(['`', '=']) || ["see ", "run "].iter().any(|word| why.contains(word));
    let reason = |why: &str| if advises(why) { format!(" ({why})") } else { String::new() };
    let list: Vec<String> = ignored.iter().map(|(names, why)| format!("{names}{}", reason(why))).collect();
    text + "\n" + &wrapped(&format!("Ignored, because nothing is lost without them: {}.", list.join(", ")))
}

/// A paragraph in lines of at most 120 characters.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut().filter(|line| line.len() + 1 + word.len() <= 120) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

/// Adds a name to those that have the same cells, or a row.
fn join<C: PartialEq>(rows: &mut Vec<(String, C)>, name: String, cells: C, is_alone: bool) {
    match rows.iter_mut().find(|(_, known)| !is_alone && *known == cells) {
        Some((names, _)) => *names += &format!(", {name}"),
        None => rows.push((name, cells)),
    }
}
