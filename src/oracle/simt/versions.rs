//! Does a launch run the kernel or its version? The choice of the host ([`launch_table`]), made from the table in the module and
//! the blocks of the launch.
//!
//! The machine knows no registers, so it does not ask how many blocks fit on a multiprocessor.

use super::launch::LaunchConfig;
use warpwise_ir::launch_table::{self, LaunchVersion, Tuning, alternative_of, table_of, tuning_of, version_of};
use warpwise_ir::llvm::image::{ConstId, ConstKind, FuncId, GlobalImage, ModuleImage};

/// Most dynamic shared memory that a version is launched with, in bytes: what the largest chips give a block.
const MAX_SHARED: u64 = 227 << 10;

/// The version, or the alternative that is asked for, that runs in place of a kernel, and its dynamic shared memory in bytes.
pub(super) fn choose(image: &ModuleImage, kernel: FuncId, config: &LaunchConfig) -> Option<(FuncId, u32)> {
    let symbol = &image.functions[kernel.index()].name;
    if let Some(number) = config.alternative {
        let (_, version) = tuning(image, symbol)?.alternatives.into_iter().nth(number.checked_sub(1)?)?;
        return may_run(image, &alternative_of(symbol, number), &version, config);
    }
    let version = launch_table::decode(&words(image, &table_of(symbol))?).filter(|_| config.versions)?;
    may_run(image, &version_of(symbol), &version, config)
}

/// A version of a kernel, if it is for such a launch, and its dynamic shared memory in bytes.
fn may_run(image: &ModuleImage, name: &str, version: &LaunchVersion, config: &LaunchConfig) -> Option<(FuncId, u32)> {
    let threads = config.block.iter().product();
    let dynamic = version.dynamic_shared(config.dynamic_shared.into(), threads);
    let found = image.kernels().find(|id| image.functions[id.index()].name == name)?;
    (version.is_for(threads) && dynamic <= MAX_SHARED).then_some((found, dynamic as u32))
}

/// The alternatives of a kernel that are to be measured.
fn tuning(image: &ModuleImage, kernel: &str) -> Option<Tuning> {
    Tuning::decode(&words(image, &tuning_of(kernel))?)
}

/// How many alternatives a kernel has.
pub fn alternatives(image: &ModuleImage, kernel: FuncId) -> usize {
    tuning(image, &image.functions[kernel.index()].name).map_or(0, |tuning| tuning.alternatives.len())
}

/// Whether a kernel is a version, or an alternative, of another.
pub(super) fn is_version(image: &ModuleImage, symbol: &str) -> bool {
    let has = |table: String| image.globals.iter().any(|global| global.name == table);
    launch_table::is_version(symbol).is_some_and(|kernel| has(table_of(kernel)))
        || launch_table::is_alternative(symbol).is_some_and(|(kernel, _)| has(tuning_of(kernel)))
}

/// The words of a table, by its symbol.
fn words(image: &ModuleImage, table: &str) -> Option<Vec<u64>> {
    let table: &GlobalImage = image.globals.iter().find(|global| global.name == table)?;
    let of_bytes = |bytes: &[u8]| {
        let (words, rest) = bytes.as_chunks::<8>();
        rest.is_empty().then(|| words.iter().map(|&word| u64::from_le_bytes(word)).collect())
    };
    let number = |id: &ConstId| match &image.constants[id.index()].kind {
        ConstKind::Int(word) => u64::try_from(*word).ok(),
        ConstKind::Zero => Some(0),
        _ => None,
    };
    match &image.constants[table.initializer?.index()].kind {
        ConstKind::Aggregate(words) => words.iter().map(number).collect(),
        ConstKind::Bytes(bytes) => of_bytes(bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simt::launch::{Arg, Inputs};
    use crate::simt::{CompareError, Machine, Nobody, Tolerance, compare};
    use warpwise_ir::launch_table::encode;
    use warpwise_ir::llvm::image::import;
    use warpwise_ir::llvm::owned::OwnedModule;

    /// A kernel that stores 1, with a version that stores 2 if there is a table.
    fn image(version: Option<&LaunchVersion>) -> ModuleImage {
        let kernel = |name: &str, number: u32| {
            let store = format!("store i32 {number}, ptr %out\nret void");
            format!("define ptx_kernel void @\"{name}\"(ptr %out, i32 %n) {{\n{store}\n}}\n")
        };
        let mut text = format!("target triple = \"nvptx64-nvidia-cuda\"\n{}", kernel("k", 1));
        if let Some(version) = version {
            let words: Vec<String> = encode(version).iter().map(|word| format!("i64 {word}")).collect();
            let table = format!("constant [{} x i64] [{}]", words.len(), words.join(", "));
            text += &format!("{}@\"k$versions\" = addrspace(1) {table}\n", kernel("k$v1", 2));
        }
        import(OwnedModule::from_text(&text, "k").unwrap().handle(), "k")
    }

    fn config(grid: [u32; 3], block: [u32; 3], dynamic_shared: u32) -> LaunchConfig {
        LaunchConfig { dynamic_shared, ..LaunchConfig::new(grid, block) }
    }

    fn inputs() -> Inputs {
        let args = vec![Arg::Buffer(vec![0; 4]), Arg::Value(vec![0; 4])];
        Inputs { args, globals: Vec::new() }
    }

    /// Whether the version runs.
    fn runs(version: &LaunchVersion, config: &LaunchConfig) -> bool {
        let image = image(Some(version));
        let machine = Machine::new(&image);
        let report = machine.launch(machine.kernel(Some("k")).unwrap(), config, &inputs(), &mut Nobody).unwrap();
        let stored = report.buffers[0].as_ref().unwrap().data[0];
        assert_eq!(stored, if report.version.is_some() { 2 } else { 1 });
        report.version.is_some()
    }

    #[test]
    fn slots_fit_up_to_what_a_block_may_have() {
        let run = |warp_bytes, threads, own| {
            let version = LaunchVersion { warp_bytes, align: 16, ..LaunchVersion::default() };
            runs(&version, &config([1, 1, 1], [threads, 1, 1], own))
        };
        assert!(run(1536, 1024, 0) && run(1536, 1024, 16), "48 KB is no limit for versions");
        assert!(run(7264, 1024, 0), "227 KB");
        assert!(!run(7264, 1024, 1) && !run(7265, 1024, 0) && run(7264, 992, 7264) && !run(7264, 993, 1));
        assert!(run(232_448, 32, 0) && !run(232_448, 33, 0));
        assert!(!run(16, 31, 0) && run(0, 1, 0), "slots are for a warp or more");
    }

    #[test]
    fn a_version_that_computes_something_else_is_noticed() {
        let table = LaunchVersion { warp_bytes: 16, align: 16, keep: 1 };
        let differs = |block| {
            let (before, after) = (image(None), image(Some(&table)));
            let configs = [config([1, 1, 1], block, 0)];
            let found = compare(&before, &after, Some("k"), &configs, &inputs(), &[], Tolerance::default());
            assert!(matches!(found, Ok(()) | Err(CompareError::Differ(_))), "{found:?}");
            found.is_err()
        };
        assert!(!differs([31, 1, 1]) && differs([32, 1, 1]));
    }
}
