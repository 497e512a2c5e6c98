//! Which version of a kernel does a launch run? The choice of the host ([`launch_table`]), made from the table in the
//! module and the inputs of the launch.
//!
//! The machine knows no registers, so it does not ask how many blocks fit on a multiprocessor.

use super::launch::{Arg, Inputs, LaunchConfig};
use crate::launch_table::{self, LaunchVersion, Tuning, alternative_of, table_of, tuning_of, version_of};
use crate::llvm::image::{ConstId, ConstKind, FuncId, GlobalImage, ModuleImage};

/// Most dynamic shared memory that a version is launched with, in bytes: what the largest chips give a block.
const MOST_SHARED: u64 = 227 << 10;

/// What facts are asked about.
struct Launch<'a> {
    config: &'a LaunchConfig,
    inputs: &'a Inputs,
}

impl launch_table::Launch for Launch<'_> {
    fn grid(&self) -> [u32; 3] {
        self.config.grid
    }
    fn block(&self) -> [u32; 3] {
        self.config.block
    }
    fn argument(&self, index: usize, bits: u32) -> Option<u64> {
        match self.inputs.args.get(index)? {
            Arg::Value(bytes) if bytes.len() == bits.div_ceil(8) as usize && bytes.len() <= 8 => {
                Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
            }
            // buffers begin where any alignment is satisfied
            Arg::Buffer(_) => Some(0),
            Arg::Value(_) => None,
        }
    }
}

/// The version, or the alternative that is asked for, that runs in place of a kernel, and its dynamic shared memory in bytes.
pub(super) fn choose(
    image: &ModuleImage,
    kernel: FuncId,
    config: &LaunchConfig,
    inputs: &Inputs,
) -> Option<(FuncId, u32)> {
    let symbol = &image.functions[kernel.index()].name;
    if let Some(number) = config.alternative {
        let (_, version) = tuning(image, symbol)?.alternatives.into_iter().nth(number.checked_sub(1)?)?;
        return may_run(image, &alternative_of(symbol, number), &version, config, inputs);
    }
    let versions = launch_table::decode(&words(image, &table_of(symbol))?)?;
    let mut in_order = versions.into_iter().filter(|_| config.versions);
    in_order.find_map(|(number, version)| may_run(image, &version_of(symbol, number), &version, config, inputs))
}

/// A version of a kernel, if its facts hold, and its dynamic shared memory in bytes.
fn may_run(
    image: &ModuleImage,
    name: &str,
    version: &LaunchVersion,
    config: &LaunchConfig,
    inputs: &Inputs,
) -> Option<(FuncId, u32)> {
    let launch = Launch { config, inputs };
    let dynamic = version.dynamic_shared(config.dynamic_shared.into(), config.block.iter().product());
    let found = image.kernels().find(|id| image.functions[id.index()].name == name)?;
    let holds = version.facts.iter().all(|fact| fact.holds(&launch)) && dynamic <= MOST_SHARED;
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
