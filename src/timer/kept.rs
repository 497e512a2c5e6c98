//! Which rounds of a comparison does a file have, so that one that was stopped goes on?
//!
//! The first line says what is compared; each further line is a round, in JSON. A line is written when its round is
//! complete, and one that is not complete is overwritten.

use crate::compare::Ran;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file of rounds.
pub struct Kept {
    path: PathBuf,
    file: File,
}

impl Kept {
    /// Opens a file, or makes it; and the rounds that were there.
    ///
    /// # Errors
    /// It cannot be written, or has rounds of something else.
    pub fn open(path: &Path, question: &str) -> Result<(Kept, Vec<[Ran; 2]>)> {
        let fails = || format!("cannot write {}", path.display());
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path).with_context(fails)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).with_context(fails)?;
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.split_inclusive('\n').take_while(|line| line.ends_with('\n'));
        let first = lines.next();
        if first.map_or(!text.is_empty(), |line| line.trim_end() != question) {
            bail!(
                "{} has something else than rounds of these builds with these arguments: remove it, or keep them in another \
                 file",
                path.display()
            );
        }
        let mut end = first.map_or(0, str::len);
        let mut rounds = Vec::new();
        for line in lines {
            let Ok(round) = serde_json::from_str(line) else { break };
            rounds.push(round);
            end += line.len();
        }
        file.set_len(end as u64).and_then(|()| file.seek(SeekFrom::End(0))).with_context(fails)?;
        if end == 0 {
            writeln!(file, "{question}").with_context(fails)?;
        }
        Ok((Kept { path: path.to_owned(), file }, rounds))
    }

    /// Adds a round.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, round: &[Ran; 2]) -> Result<()> {
        let line = serde_json::to_string(round).context("cannot write a round as JSON")? + "\n";
        self.file.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", self.path.display()))
    }
}
