//! Does docs/PASSES.md list every pass, option, parameter and remark of the code, and nothing else? Has every way in a test?

use crate::common::root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use warpwise::registry;
use warpwise::settings::former;
use warpwise::settings::table::{self, Parameter};
use warpwise::settings::transform::ANALYSIS;

/// The rooms of the plugin, which emit remarks, and the other file that names some; the room of tests emits none.
fn remark_places() -> Vec<PathBuf> {
    let rooms = std::fs::read_dir(root().join("src")).unwrap().map(|entry| entry.unwrap().path());
    let is_room = |path: &PathBuf| !path.join("Cargo.toml").exists() && !path.ends_with("random_kernels.rs");
    rooms.filter(is_room).chain([root().join("src/ir/llvm/plans.rs")]).collect()
}

/// What is in the first cell of a row of docs/WAYS_IN.md, the file of the test that goes that way, and what the test has of
/// the command.
const WAYS: [(&str, &str, &str); 14] = [
    ("build with nvcc", "tests/nvcc.rs", "nvcc"),
    ("compile with clang", "tests/clang.rs", "-Rpass"),
    ("use CMake with clang", "tests/build_systems.rs", "warpwise_enable(app"),
    ("offload by OpenMP", "llvm-tests/ways-in/openmp-pi.test", "-fopenmp-targets=nvptx64-nvidia-cuda"),
    ("write Rust", "llvm-tests/ways-in/rust-plugin.test", "-C remark=warpwise"),
    ("use cuda-oxide, AdaptiveCpp", "llvm-tests/ways-in/cuda-oxide.test", "CUDA_OXIDE_OPT"),
    ("use Numba", "llvm-tests/ways-in/python-numba.test", "numba.ll"),
    ("use Triton", "tests/wheel.rs", "warpwise.report("),
    ("have IR", "llvm-tests/ways-in/rust.test", "-passes=warpwise"),
    ("have a just-in-time compiler", "tests/wheel.rs", "warpwise.optimize("),
    ("have a compiler that contains LLVM", "tests/holding_llvm.rs", "pass-plugin="),
    ("only want to know", "tests/report.rs", "report"),
    ("have a project", "tests/project.rs", "--project"),
    ("use pip", "tests/wheel.rs", "install"),
];

fn files(place: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    if place.is_file() {
        found.push(place.to_owned());
    } else if let Ok(entries) = std::fs::read_dir(place) {
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() || path.extension().is_some_and(|ext| ext == extension) {
                files(&path, extension, found);
            }
        }
    }
}

fn read(places: &[PathBuf], extension: &str) -> String {
    let mut found = Vec::new();
    for place in places {
        files(place, extension, &mut found);
    }
    let without_tests = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        // tests that stand in the file, not those declared as a file of their own
        text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("").to_owned()
    };
    found.iter().map(without_tests).collect::<Vec<_>>().join("\n")
}

/// The contents of all string literals without escapes in a text, except in comments.
fn literals(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The names between backticks.
fn named(page: &str) -> BTreeSet<String> {
    page.lines().flat_map(|line| line.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Whether a word is the name of a remark, such as "InvariantLoad" or "Occupancy".
fn is_remark(word: &str) -> bool {
    word.len() > 5
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && !word.starts_with("LLVM")
        && word.chars().all(|character| character.is_ascii_alphanumeric())
        && word.chars().any(|character| character.is_ascii_lowercase())
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/PASSES.md")).unwrap()
}

#[test]
fn every_remark_is_explained_and_no_other() {
    let known: BTreeSet<String> =
        literals(&read(&remark_places(), "rs")).into_iter().filter(|word| is_remark(word)).collect();
    let explained: BTreeSet<String> = named(&page()).into_iter().filter(|word| is_remark(word)).collect();
    assert!(known.len() > 30, "{known:?}");
    assert_eq!(known.difference(&explained).collect::<Vec<_>>(), Vec::<&String>::new(), "not in docs/PASSES.md");
    assert_eq!(explained.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "not in the code");
}

/// The row of the options table that belongs to a row of the code.
fn row(parameter: &Parameter) -> String {
    // a bar would end the cell
    let escaped = |text: &str| text.replace('|', "\\|");
    let value = if parameter.value.is_empty() { String::new() } else { format!("={}", escaped(parameter.value)) };
    let option = match parameter.option {
        "" => " ".to_owned(),
        option => format!(" `-warpwise-{option}{value}` "),
    };
    let name = match parameter.name {
        "" => " ".to_owned(),
        _ => {
            format!(
                " {} ",
                escaped(&parameter.form()).split(", ").map(|form| format!("`{form}`")).collect::<Vec<_>>().join(", ")
            )
        }
    };
    let passes = match parameter.passes {
        all if all == table::WITH_PARAMETERS => "all with parameters".to_owned(),
        some => some.iter().map(|pass| format!("`{pass}`")).collect::<Vec<_>>().join(", "),
    };
    format!("|{option}|{name}| {passes} | {} |", parameter.help)
}

#[test]
fn every_option_and_parameter_is_explained() {
    let page = page();
    let section = page.split("## Options\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with('|')).skip(2).collect();
    let wanted: Vec<String> = table::PARAMETERS.iter().map(row).collect();
    assert_eq!(rows, wanted, "the table of docs/PASSES.md should be:\n{}\n", wanted.join("\n"));
    for former in former::FORMER {
        assert!(
            section.contains(&format!("`-warpwise-{}`", former.option)),
            "{} is not in docs/PASSES.md",
            former.option
        );
    }
    for word in page.split("`-").skip(1).filter_map(|rest| rest.split(['`', '=', ' ']).next()) {
        if let Some(option) = word.strip_prefix("warpwise-") {
            let is_known = table::of_option(option).is_some() || former::of_name(option).is_some();
            assert!(is_known, "-{word} is not in the code");
        }
    }
    let public = registry::PASSES.iter().filter(|info| info.is_public).map(|info| info.name);
    for pass in public.chain([ANALYSIS]) {
        assert!(page.contains(&format!("| `{pass}` |")), "pass {pass} is not in docs/PASSES.md");
    }
}

#[test]
fn every_way_in_has_a_test() {
    let page = std::fs::read_to_string(root().join("docs/WAYS_IN.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert_eq!(rows.len(), WAYS.len());
    for (row, (you, file, piece)) in rows.iter().zip(WAYS) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!((cells[0], cells.len()), (you, 4), "{row}");
        let test = std::fs::read_to_string(root().join(file)).unwrap();
        assert!(cells[1].contains(piece) && test.contains(piece), "{file} does not go this way: {row}");
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut pages = vec![root().join("README.md")];
    files(&root().join("docs"), "md", &mut pages);
    for path in pages {
        let text = std::fs::read_to_string(&path).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap();
            if !file.is_empty() && !file.contains("://") {
                assert!(path.parent().unwrap().join(file).exists(), "{}: {target}", path.display());
            }
        }
    }
}
