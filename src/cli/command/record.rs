//! How can another machine repeat a launch? `warpwise simt --record FOLDER` writes all inputs and results as plain
//! bytes.
//!
//! `launch.json` contains the kernel, the shape of the launch, and for each argument its bytes or the names of files
//! with the contents of its buffer before and after the launch; also the global variables that the kernel changed.
//! scripts/agree creates such folders and runs them on a GPU.

use super::simt_args::Given;
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::path::Path;
use warpwise_oracle::simt::{LaunchConfig, LaunchReport};

#[derive(Serialize)]
struct Launch<'a> {
    kernel: &'a str,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    args: Vec<Arg<'a>>,
    globals: Vec<Global<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Arg<'a> {
    /// Bytes of the parameter.
    Value(Vec<u8>),
    /// Element type, and the files that hold its bytes.
    Buffer { element: &'a str, before: String, after: String },
}

#[derive(Serialize)]
struct Global<'a> {
    name: &'a str,
    after: String,
}

/// Writes a launch of what ran, as the host would launch it, and its results.
pub fn write(folder: &Path, kernel: &str, config: &LaunchConfig, given: &[Given], report: &LaunchReport) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let save = |name: &str, bytes: &[u8]| -> Result<String> {
        super::write(&folder.join(name), bytes)?;
        Ok(name.to_owned())
    };
    let mut args = Vec::new();
    for (i, given) in given.iter().enumerate() {
        let Some(element) = given.element else {
            args.push(Arg::Value(given.data.clone()));
            continue;
        };
        let after = report.buffers.get(i).and_then(Option::as_ref);
        let after = after.with_context(|| format!("argument {i} is gone"))?;
        ensure!(after.undef.iter().all(|&bits| bits == 0), "argument {i} has undefined bytes after the launch");
        let before = save(&format!("arg{i}.before"), &given.data)?;
        let after = save(&format!("arg{i}.after"), &after.data)?;
        args.push(Arg::Buffer { element: element.name(), before, after });
    }
    let mut globals = Vec::new();
    for (i, global) in report.globals.iter().enumerate().filter(|(_, global)| global.changed) {
        globals.push(Global { name: &global.name, after: save(&format!("global{i}.after"), &global.bytes.data)? });
    }
    let LaunchConfig { grid, block, .. } = *config;
    let launch = Launch { kernel, grid, block, dynamic_shared: report.dynamic_shared, args, globals };
    save("launch.json", serde_json::to_string_pretty(&launch)?.as_bytes())?;
    Ok(())
}
