//! Which version of a kernel does a launch run? The host side of `-warpwise-versions` and
//! `-warpwise-tune`: the launch stubs that clang
//! makes are changed to call the launch function of `launch.c`, which decides while the program runs (docs/VERSIONS.md).
//!
//! The function is compiled by build.rs for the machine on which the plugin runs, and linked into the program's module:
//! the program needs no library. A stub that is not what clang 22 makes, or is for another machine, stays as it is.

use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::launch::Refusal;
use warpwise_ir::llvm::handle::Module;
use warpwise_ir::llvm::remark::{Kind, PassManager};

/// `launch.c` as LLVM bitcode: what chooses versions, and what measures alternatives.
static LAUNCH_FUNCTIONS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/launch.bc"));
static TUNE_FUNCTIONS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/launch_tune.bc"));

/// Lets the launches of all kernels that a host module registers choose a version, or take turns among alternatives that
/// are to be measured. Returns whether it changed.
pub fn run(module: Module<'_>, measures: bool, manager: &PassManager<'_>) -> bool {
    let functions = if measures { TUNE_FUNCTIONS } else { LAUNCH_FUNCTIONS };
    let (changed, refused) = Editor::new(module).divert_launches(functions);
    for (stub, refusal) in refused {
        let (name, message) = words(refusal);
        manager.emit(Kind::Missed, stub, None, name, message);
    }
    changed
}

/// Name and text of the remark about a stub that stays as it is.
fn words(refusal: Refusal) -> (&'static str, &'static str) {
    match refusal {
        Refusal::OtherTarget => (
            "LaunchForOtherMachine",
            "launches run the kernel itself: this plugin chooses versions on the kind of machine it was built for",
        ),
        Refusal::UnknownStub => {
            ("LaunchUnknown", "launches run the kernel itself: its launch stub is not one that clang 22 makes")
        }
    }
}
