//! What does `ptxas` report for a kernel? [`assemble`] runs it in a temporary folder and reads its messages.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use warpwise_listing::{Resources, resources};

/// Assembles PTX for a chip; what each of its kernels needs.
pub fn assemble(ptxas: &Path, ptx: &str, cpu: &str) -> Result<BTreeMap<String, Resources>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let source = folder.path().join("kernel.ptx");
    std::fs::write(&source, ptx).map_err(|error| format!("cannot write {}: {error}", source.display()))?;
    let output = Command::new(ptxas)
        .args(["-v", "-O3", &format!("-arch={cpu}")])
        .arg(&source)
        .arg("-o")
        .arg(folder.path().join("kernel.cubin"))
        .output()
        .map_err(|error| format!("cannot run {}: {error}", ptxas.display()))?;
    let said = format!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    if !output.status.success() {
        let said = said.trim();
        return Err(if said.is_empty() {
            format!("it ends without a word, {}", output.status)
        } else {
            said.to_owned()
        });
    }
    Ok(resources(&said))
}
