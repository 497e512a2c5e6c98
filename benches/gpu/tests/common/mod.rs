//! How does the program run where there is no GPU?

use std::path::Path;
use std::process::Command;

/// The program, finding a driver made of `fake_driver.c` in the folder.
pub fn with_fake_driver(folder: &Path) -> Command {
    let driver = folder.join("libcuda.so.1");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_driver.c");
    let cc = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&driver).arg(source).status().unwrap();
    assert!(cc.success());
    let mut program = Command::new(env!("CARGO_BIN_EXE_warpwise-bench"));
    program.env("LD_LIBRARY_PATH", folder);
    program
}
