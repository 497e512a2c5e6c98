//! What is the text of a line of a source file? Files are read once; a file that cannot be read has no lines.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The files read so far.
#[derive(Default)]
pub struct Sources {
    files: HashMap<String, Vec<String>>,
    /// File in whose folder relative names are looked up, too.
    input: PathBuf,
}

impl Sources {
    /// Relative names are looked up in the current folder, then in the folder of `input`, then in the parents of the
    /// current one, because clang names a file relative to the folder in which it was run.
    pub fn beside(input: &Path) -> Sources {
        Sources { files: HashMap::new(), input: input.to_path_buf() }
    }

    /// The text of a line (counted from 1), without trailing whitespace.
    pub fn line(&mut self, file: &str, line: u32) -> Option<&str> {
        if !self.files.contains_key(file) {
            let lines = self.read(file);
            self.files.insert(file.to_owned(), lines);
        }
        let index = (line as usize).checked_sub(1)?;
        self.files[file].get(index).map(|text| text.trim_end())
    }

    fn read(&self, file: &str) -> Vec<String> {
        let here = std::env::current_dir().unwrap_or_default();
        let folders = self.input.parent().into_iter().chain(here.ancestors().skip(1));
        let places = std::iter::once(PathBuf::from(file)).chain(folders.map(|folder| folder.join(file)));
        let bytes = places.filter(|path| path.is_file()).find_map(|path| std::fs::read(path).ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }
}
