//! Which answers of earlier runs still hold? An answer is kept in a file of a folder, named after a hash of the question;
//! it holds as long as all files that it was found from are unchanged. So work that was interrupted goes on where it
//! stopped.

use super::cuda::find_plugin;
use super::project::locked;
use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// An answer as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    answer: T,
    /// The files that it was found from, absolute or below the folder of the question.
    dependencies: Vec<String>,
    /// Their contents, hashed together.
    contents: String,
}

/// Sizes and ages of the command and the plugin: answers of others do not count.
pub fn identity() -> Result<String> {
    let command = std::env::current_exe().context("cannot tell where warpwise is")?;
    let mut identity = env!("CARGO_PKG_VERSION").to_owned();
    for path in [&command, &find_plugin()?] {
        let file = std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        let made = file.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        identity += &format!(" {} {made:?}", file.len());
    }
    Ok(identity)
}

/// A hash of everything that a question consists of.
pub fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    format!("{:x}", hash.finalize())
}

/// A folder of answers, and the hashes of the files that were looked at in this run, each read once.
pub struct Answers {
    folder: PathBuf,
    hashes: Mutex<HashMap<PathBuf, Option<[u8; 32]>>>,
}

impl Answers {
    /// The answers in a folder, which is made if there is none.
    pub fn of(folder: &Path) -> Result<Answers> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(Answers { folder: folder.to_owned(), hashes: Mutex::default() })
    }

    /// The answer to a question about files in a folder; found and kept if there is none that holds. `find` also returns
    /// the files that it is found from.
    pub fn get<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        directory: &Path,
        find: impl FnOnce() -> Result<(T, Vec<String>)>,
    ) -> Result<T> {
        let place = self.folder.join(format!("{key}.json"));
        let kept: Option<Kept<T>> = std::fs::read(&place).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(kept) = kept
            && self.hash_of(directory, &kept.dependencies).is_some_and(|hash| hash == kept.contents)
        {
            return Ok(kept.answer);
        }
        let (answer, dependencies) = find()?;
        // otherwise a file has changed meanwhile, so the answer is not kept
        let Some(contents) = self.hash_of(directory, &dependencies) else { return Ok(answer) };
        let kept = Kept { answer, dependencies, contents };
        let keep = || -> Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            serde_json::to_writer(&mut file, &kept)?;
            file.persist(&place)?;
            Ok(())
        };
        keep().with_context(|| format!("cannot write to {}", self.folder.display()))?;
        Ok(kept.answer)
    }

    fn hash_of(&self, directory: &Path, files: &[String]) -> Option<String> {
        let mut all = Sha256::new();
        for file in files {
            all.update(self.hash_of_file(&directory.join(file))?);
        }
        Some(format!("{:x}", all.finalize()))
    }

    fn hash_of_file(&self, path: &Path) -> Option<[u8; 32]> {
        let mut known = locked(&self.hashes);
        let read = || std::fs::read(path).ok().map(|bytes| Sha256::digest(bytes).into());
        *known.entry(path.to_path_buf()).or_insert_with(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_holds_until_a_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let ask = |answer: u32| {
            // every run hashes anew
            let answers = Answers::of(&folder.path().join("answers")).unwrap();
            answers.get(&key(["question"]), folder.path(), || Ok((answer, vec!["file".to_owned()]))).unwrap()
        };
        std::fs::write(folder.path().join("file"), "one").unwrap();
        assert_eq!([ask(1), ask(2)], [1, 1]);
        std::fs::write(folder.path().join("file"), "two").unwrap();
        assert_eq!([ask(3), ask(4)], [3, 3]);
        std::fs::remove_file(folder.path().join("file")).unwrap();
        assert_eq!([ask(5), ask(6)], [5, 6]);
    }

    #[test]
    fn where_one_part_ends_matters() {
        assert_ne!(key(["ab", "c"]), key(["a", "bc"]));
    }
}
