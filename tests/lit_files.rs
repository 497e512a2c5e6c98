//! Do the lit files under llvm-tests/ ask for what the folder of a checkout cannot change?

use crate::common::root;
use predicates::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders as LLVM may print them, in the name of a module or in debug information: a clone in the folder that git gives
/// it, with its build and its cache; the links through which lit.cfg.py shows them to tests; the usual place of LLVM.
const FOLDERS: [&str; 7] = [
    "/home/user/src/warpwise/llvm-tests/",
    "/home/warpwise/warpwise/target/release/libwarpwise.so",
    "/root/warpwise/.cache/cuda/nvidia/cu13/include/",
    "/tmp/lit-0123456789-0/checkout/llvm-tests/",
    "/tmp/lit-0123456789-0/build/llvm-tests/",
    "/tmp/lit-0123456789-0/cuda/include/",
    "/usr/lib/llvm-22/bin/",
];

/// Whether text that contains a folder's path can match a pattern of FileCheck. Only `{{.}}`, which asks for no output at
/// all, may match anything.
fn can_match_a_folder(pattern: &str) -> bool {
    let mut expression = String::new();
    let mut rest = pattern;
    while let Some((start, open)) = ["{{", "[["].iter().filter_map(|open| Some((rest.find(open)?, *open))).min() {
        let close = if open == "{{" { "}}" } else { "]]" };
        let Some(length) = rest[start..].find(close) else { break };
        expression += &escaped(&rest[..start]);
        let inside = &rest[start + 2..start + length];
        expression += &if open == "{{" { format!("({inside})") } else { ".*".to_owned() };
        rest = &rest[start + length + 2..];
    }
    expression += &escaped(rest);
    let matches = predicate::str::is_match(&expression).unwrap_or_else(|e| panic!("{pattern}: {e}"));
    pattern != "{{.}}" && FOLDERS.iter().any(|folder| matches.eval(folder))
}

fn escaped(text: &str) -> String {
    let special = |character: char| if character.is_ascii_punctuation() { "\\" } else { "" };
    text.chars().flat_map(|character| special(character).chars().chain([character])).collect()
}

/// What a line says must not occur: behind `NOT:`, and in `--implicit-check-not`.
fn forbidden(line: &str) -> Vec<&str> {
    let mut found: Vec<&str> = line.split_once("-NOT:").map(|(_, pattern)| pattern.trim()).into_iter().collect();
    for option in line.split("-implicit-check-not=").skip(1) {
        let end = if option.starts_with(['"', '\'']) { option[1..].find(&option[..1]) } else { option.find(' ') };
        found.push(option[..end.map_or(option.len(), |end| end + 1)].trim_matches(['"', '\'', ' ']));
    }
    found
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// A clone is called warpwise, and LLVM prints the path of its input: `CHECK-NOT: warpwise` fails there and nowhere else.
#[test]
fn no_forbidden_pattern_matches_the_path_of_a_folder() {
    let mut found = Vec::new();
    files(&root().join("llvm-tests"), &mut found);
    let (mut patterns, mut faults) = (0, Vec::new());
    for path in found {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (number, line) in text.lines().enumerate() {
            for pattern in forbidden(line) {
                patterns += 1;
                if can_match_a_folder(pattern) {
                    faults.push(format!("{}:{}: {pattern}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(patterns > 300, "only {patterns} patterns found");
    assert!(faults.is_empty(), "the path of a checkout can match:\n{}", faults.join("\n"));
}

#[test]
fn names_of_folders_are_recognised_in_patterns() {
    for pattern in ["warpwise", "{{w.*e}}", "[[NAME]]", "cuda", "{{vote|release}}", "lit-"] {
        assert!(can_match_a_folder(pattern), "{pattern}");
    }
    for pattern in ["@__warpwise", "warpwise.uni", "call {{.*}}@once(", "{{.}}", "br %{{.*}}: divergent"] {
        assert!(!can_match_a_folder(pattern), "{pattern}");
    }
    assert_eq!(forbidden("; NONE-NOT: warpwise"), ["warpwise"]);
    assert_eq!(forbidden("RUN: %FileCheck %s --implicit-check-not=a --implicit-check-not=\"b c\""), ["a", "b c"]);
}
