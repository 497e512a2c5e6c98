//! Which words does a text of command-line arguments hold, as in a response file (`@FILE`) or an environment variable?

use anyhow::{Context, Result};
use std::path::Path;

/// The words of a text, quoted as in a shell; `origin` names the text in the error.
pub fn split(text: &str, origin: &str) -> Result<Vec<String>> {
    shlex::split(text).with_context(|| format!("{origin} has a quote that is not closed"))
}

/// The words in a response file, named from a folder.
pub fn of_file(folder: &Path, name: &str) -> Result<Vec<String>> {
    let path = folder.join(name);
    let origin = format!("the options file {}", path.display());
    split(&std::fs::read_to_string(&path).with_context(|| format!("cannot read {origin}"))?, &origin)
}

/// Words with the contents of response files in their place.
pub fn expanded(words: Vec<String>, folder: &Path) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for word in words {
        match word.strip_prefix('@') {
            None => all.push(word),
            Some(name) => all.extend(of_file(folder, name)?),
        }
    }
    Ok(all)
}
