//! What does `ptxas` report for a kernel? [`assemble`] runs it in a temporary folder and reads its messages.

use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use warpwise_listing::{Resources, resources};

/// Assembles PTX for a chip; what each of its kernels needs.
pub fn assemble(ptxas: &Path, ptx: &str, cpu: &str) -> Result<BTreeMap<String, Resources>> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("kernel.ptx");
    std::fs::write(&source, ptx)?;
    let output = Command::new(ptxas)
        .args(["-v", "-O3", &format!("-arch={cpu}")])
        .arg(&source)
        .arg("-o")
        .arg(folder.path().join("kernel.cubin"))
        .output()?;
    let said = format!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    ensure!(output.status.success(), "{}", said.trim());
    Ok(resources(&said))
}
