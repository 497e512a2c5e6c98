//! Which version of a kernel does a launch run? The choice of the host ([`launch_table`]), made from the table in the
//! module and the blocks of the launch.
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
    let versions = launch_table::decode(&words(image, &table_of(symbol))?)?;
    let mut in_order = versions.into_iter().filter(|_| config.versions);
    in_order.find_map(|(number, version)| may_run(image, &version_of(symbol, number), &version, config))
}

/// A version of a kernel, if its facts hold, and its dynamic shared memory in bytes.
fn may_run(image: &ModuleImage, name: &str, version: &LaunchVersion, config: &LaunchConfig) -> Option<(FuncId, u32)> {
    let dynamic = version.dynamic_shared(config.dynamic_shared.into(), config.block.iter().product());
    let found = image.kernels().find(|id| image.functions[id.index()].name == name)?;
    let holds = version.facts.iter().all(|fact| fact.holds(config.block)) && dynamic <= MAX_SHARED;
    holds.then_some((found, dynamic as u32))
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
    launch_table::is_version(symbol).is_some_and(|(kernel, _)| has(table_of(kernel)))
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
    use warpwise_ir::launch_table::{Fact, encode};
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
            let words: Vec<String> =
                encode(std::slice::from_ref(version)).iter().map(|word| format!("i64 {word}")).collect();
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

    fn with(fact: Fact) -> LaunchVersion {
        LaunchVersion { facts: vec![fact], align: 16, ..LaunchVersion::default() }
    }

    #[test]
    fn facts_of_blocks_hold_up_to_the_edge() {
        let multiple = Fact::BlockMultiple { dim: 0, of: 32 };
        let one = Fact::BlockIs { dim: 1, extent: 1 };
        let short = Fact::BlockAtMost { dim: 0, extent: 16 };
        type Blocks = &'static [[u32; 3]];
        let cases: [(Fact, Blocks, Blocks); 5] = [
            (
                multiple,
                &[[32, 1, 1], [1024, 1, 1], [64, 2, 1], [32, 1, 2]],
                &[[1, 1, 1], [31, 1, 1], [33, 1, 1], [16, 2, 1]],
            ),
            (one, &[[1, 1, 1], [1024, 1, 1], [4, 1, 4]], &[[16, 2, 1], [1, 33, 1]]),
            (short, &[[16, 1, 1], [16, 64, 1], [1, 33, 1]], &[[17, 1, 1], [31, 2, 1]]),
            (Fact::ThreadsAtMost(64), &[[64, 1, 1], [8, 8, 1], [1, 1, 1]], &[[65, 1, 1], [8, 8, 2], [1024, 1, 1]]),
            (Fact::ThreadsAtLeast(32), &[[32, 1, 1], [4, 4, 2], [1024, 1, 1]], &[[31, 1, 1], [1, 1, 1], [5, 3, 2]]),
        ];
        for (fact, hold, fail) in cases {
            let run = |block: &[u32; 3]| runs(&with(fact), &config([1, 1, 1], *block, 0));
            assert!(hold.iter().all(run), "{fact}");
            assert!(!fail.iter().any(run), "{fact}");
        }
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
        assert!(run(232_448, 1, 0) && run(232_448, 31, 0) && !run(232_448, 33, 0));
    }

    #[test]
    fn a_version_for_launches_of_which_its_facts_do_not_hold_is_noticed() {
        let differs = |table: &LaunchVersion, block| {
            let (before, after) = (image(None), image(Some(table)));
            let configs = [config([1, 1, 1], block, 0)];
            let found = compare(&before, &after, Some("k"), &configs, &inputs(), &[], Tolerance::default());
            assert!(matches!(found, Ok(()) | Err(CompareError::Differ(_))), "{found:?}");
            found.is_err()
        };
        let right = with(Fact::ThreadsAtMost(32));
        assert!(!differs(&right, [33, 1, 1]));
        let wrong =
            [Fact::ThreadsAtMost(33), Fact::BlockMultiple { dim: 0, of: 33 }, Fact::BlockIs { dim: 0, extent: 33 }];
        assert!(wrong.iter().all(|&fact| differs(&with(fact), [33, 1, 1])));
        assert!(differs(&LaunchVersion { align: 16, ..LaunchVersion::default() }, [33, 1, 1]), "without facts");
    }
}
