//! Which valid module does a seed name, if it need not run? Odd ones: what front ends do not write, but LLVM's verifier
//! lets through. A random kernel or a module of a [`Pool`], edited at random ([`warpwise_ir::llvm::mutate`]).
//!
//! Nothing is said of what they compute; only that no pass may crash on them, break them, or take for ever.

use super::drive::{mode_of, varied_knobs};
use super::generate;
use super::rng::Rng;
use std::path::{Path, PathBuf};
use warpwise_ir::llvm::mutate::mutate;
use warpwise_ir::llvm::owned::OwnedModule;

/// Larger files of a corpus are left out: what breaks on them does on smaller ones.
const MAX_FILE: u64 = 1 << 20;
/// How often a seed tries again after edits that left an invalid module.
const TRIES: u32 = 4;
const SALT: u64 = 0x0dd;

/// Modules to start from, as bitcode.
#[derive(Default)]
pub struct Pool {
    modules: Vec<Vec<u8>>,
}

impl Pool {
    /// Every valid module among the `.ll` and `.bc` files of these folders, in the order of their names.
    pub fn of_folders(folders: &[PathBuf]) -> std::io::Result<Pool> {
        let mut files = Vec::new();
        for folder in folders {
            collect(folder, &mut files)?;
        }
        files.sort();
        let parsed = files.iter().filter_map(|file| OwnedModule::from_file(file).ok());
        Ok(Pool { modules: parsed.filter(|m| m.verify().is_ok()).map(|m| m.to_bitcode()).collect() })
    }

    /// The valid module of a seed; `None` where no try gave one.
    pub fn module(&self, seed: u64) -> Option<OwnedModule> {
        let mut rng = Rng::new(seed, SALT);
        for attempt in 0..TRIES {
            let from_pool = !self.modules.is_empty() && rng.chance(60);
            let module = if from_pool {
                OwnedModule::from_bitcode(&self.modules[rng.below(self.modules.len())], "seed").ok()?
            } else {
                let kernel = rng.bits();
                OwnedModule::from_text(&generate(kernel, &varied_knobs(kernel, mode_of(kernel))).ir, "seed").ok()?
            };
            let edits = rng.range(1, 24 >> attempt) as u32;
            mutate(&module, rng.bits(), edits);
            if module.verify().is_ok() {
                return Some(module);
            }
        }
        None
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "ll" || e == "bc")
            && path.metadata().is_ok_and(|m| m.len() <= MAX_FILE)
        {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_one_module() {
        let pool = Pool::default();
        let print = |seed| pool.module(seed).map(|module| module.handle().print());
        assert_eq!(print(3), print(3));
        let valid = (0..100).filter(|&seed| pool.module(seed).is_some()).count();
        assert!(valid > 90, "{valid} of 100 seeds name a module");
    }
}
