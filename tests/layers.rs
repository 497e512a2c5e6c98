//! Does every room of a package use only rooms of it on lower floors? The floors are those in the table of
//! docs/ARCHITECTURE.md.

use crate::common::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What does not hold yet: a room, and one on the same floor or above that it uses. Only ever shorter.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// The packages under src/ that have rooms; cargo checks who uses whom. The plugin is src/ itself.
const CRATES: [&str; 4] = ["ir", "analysis", "oracle", "cli"];

/// What the table calls the folders of a package that have no row, as a new transform has none.
const OTHERS: &str = "all others";

/// A package and a room of it.
type Place = (String, String);

/// The floor of each room: rows of the table whose second cell is a number.
fn floors() -> BTreeMap<Place, u32> {
    let text = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let mut floors = BTreeMap::new();
    for row in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let Some(floor) = cells.get(2).and_then(|cell| cell.parse().ok()) else { continue };
        let named = cells[3].split('`').skip(1).step_by(2);
        for room in named.chain((cells[3] == OTHERS).then_some(OTHERS)) {
            let place = (cells[1].to_owned(), room.to_owned());
            assert_eq!(floors.insert(place, floor), None, "`{room}` stands on two floors");
        }
    }
    assert!(floors.len() > 20, "the table of docs/ARCHITECTURE.md was not found: {floors:?}");
    floors
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The package of a file, and its room: the folder or the file at the top of the package. All of `ir` that has no floor
/// of its own is one room. `None` for lists of rooms, build scripts, and packages without rooms.
fn place_of(file: &Path, floors: &BTreeMap<Place, u32>) -> Option<Place> {
    let inside = file.strip_prefix(root().join("src")).unwrap();
    let mut parts = inside.iter().map(|part| Path::new(part).file_stem().unwrap().to_str().unwrap().to_owned());
    let first = parts.next().unwrap();
    let (package, room) = if CRATES.contains(&first.as_str()) {
        (first, parts.next().unwrap())
    } else if root().join("src").join(&first).join("Cargo.toml").exists() {
        return None;
    } else {
        ("plugin".to_owned(), first)
    };
    let place = room_of(package, room, floors);
    (!matches!(place.1.as_str(), "build" | "cpp" | "lib" | "main")).then_some(place)
}

/// The rest of `ir` is one room.
fn room_of(package: String, room: String, floors: &BTreeMap<Place, u32>) -> Place {
    let place = (package, room);
    if place.0 == "ir" && !floors.contains_key(&place) && !["build", "cpp"].contains(&place.1.as_str()) {
        return (place.0, "ir".to_owned());
    }
    place
}

fn floor_of(place: &Place, floors: &BTreeMap<Place, u32>) -> Option<u32> {
    let is_folder = place.0 == "plugin" && root().join("src").join(&place.1).is_dir();
    let others = || floors.get(&(place.0.clone(), OTHERS.to_owned())).filter(|_| is_folder);
    floors.get(place).or_else(others).copied()
}

/// The code of a file without comments and without the unit tests at its end, which may use anything.
fn code_of(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
}

/// The rooms that a text names after `crate::`, one by one or in braces.
fn rooms_used(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => {
                used.insert(word(rest));
            }
            Some(list) => {
                let mut depth = 0;
                let mut item = true;
                for (at, letter) in list.char_indices() {
                    match letter {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => item = true,
                        letter if item && (letter.is_alphabetic() || letter == '_') => {
                            used.insert(word(&list[at..]));
                            item = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    used
}

fn word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

#[test]
fn rooms_use_lower_floors_only() {
    let floors = floors();
    let mut files = Vec::new();
    rust_files(&root().join("src"), &mut files);
    let mut found = BTreeSet::new();
    for file in files {
        let Some(place) = place_of(&file, &floors) else { continue };
        let floor = floor_of(&place, &floors).unwrap_or_else(|| panic!("{place:?} is no room of docs/ARCHITECTURE.md"));
        let code = code_of(&file);
        for used in rooms_used(&code) {
            let used = room_of(place.0.clone(), used, &floors);
            // macros are at the root of a package
            if used != place && floor_of(&used, &floors).is_some_and(|below| below >= floor) {
                found.insert((place.1.clone(), used.1));
            }
        }
    }
    let allowed: BTreeSet<(String, String)> =
        EXCEPTIONS.iter().map(|(room, used)| ((*room).to_owned(), (*used).to_owned())).collect();
    let new: Vec<_> = found.difference(&allowed).collect();
    assert!(new.is_empty(), "rooms that use one beside or above them (docs/ARCHITECTURE.md): {new:?}");
    let gone: Vec<_> = allowed.difference(&found).collect();
    assert!(gone.is_empty(), "these hold now, take them out of EXCEPTIONS: {gone:?}");
}

#[test]
fn paths_are_found() {
    let used = rooms_used("use crate::{ir::{Func, inst}, llvm};\nlet x = crate::gpu::MAX;");
    assert_eq!(used.into_iter().collect::<Vec<_>>(), ["gpu", "ir", "llvm"]);
}

/// Rooms whose files must not depend on each other in a circle.
const WITHOUT_CIRCLES: [&str; 1] = ["analysis/divergence"];

#[test]
fn files_of_a_room_form_no_circle() {
    for room in WITHOUT_CIRCLES {
        let mut files = Vec::new();
        rust_files(&root().join("src").join(room), &mut files);
        let mut left: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for file in files.iter().filter(|file| !file.ends_with("mod.rs")) {
            let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
            let code = code_of(file);
            let used = code.match_indices("super::").map(|(at, path)| word(&code[at + path.len()..]));
            left.insert(name.clone(), used.filter(|used| *used != name).collect());
        }
        // files that use none of those left are not part of a circle
        loop {
            let names: BTreeSet<String> = left.keys().cloned().collect();
            left.retain(|_, used| !used.is_disjoint(&names));
            if left.len() == names.len() {
                break;
            }
        }
        assert!(left.is_empty(), "src/{room}: files that need each other, or those that do: {left:?}");
    }
}

#[test]
fn every_price_says_what_it_was_measured_on() {
    let mut comment = String::new();
    for line in std::fs::read_to_string(root().join("src/analysis/gpu/prices.rs")).unwrap().lines() {
        if let Some(part) = line.strip_prefix("///") {
            comment += part;
            continue;
        }
        assert!(!line.starts_with("pub const") || comment.ends_with("\\]"), "{line}");
        comment.clear();
    }
}
