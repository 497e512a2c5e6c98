//! Does every claim of the analysis hold in every dynamic instance of a run? The lockstep machine runs a kernel, and
//! every value, branch and block of every step is compared with the claims of `affine-divergence`.
//!
//! ```text
//! claims     facts of several analyses → flat checks, instruction by instruction
//!  └ observer   runs along with the machine and applies them
//!     └ violation   a claim that does not hold, in words
//! ```
//!
//! **What is checked**, for each analysis (block shape unknown, block shape stated, and the
//! conditional facts of kernels whose conditions the launch satisfies):
//! - *values* where they are defined: `value − Σ c·base` must be one number modulo `2^w` for all lanes of the claimed
//!   scope that execute the same dynamic instance. A known rest must be that number, and alignment must hold. Where
//!   exactness is claimed, the same must hold over the integers, in the claimed reading;
//! - *values at uses* outside the cycle that defines them, and *arguments* at the entry of a function;
//! - *branches*: all lanes of the claimed scope must take the same successor in the same instance;
//! - *blocks*: lanes that execute convergent blocks must execute the same instances of them in the same order. A lane
//!   of a kernel may stop (it left through a guard); a lane that returns from a device function must have executed all
//!   of them. Blocks claimed to be unreachable must not be executed.
//!
//! **Instances** are identified by the machine: call path, instruction, iteration vector. Within one step, lanes are
//! compared directly. Wider scopes (other warps of the block, other blocks, and lanes of the warp that execute the
//! instance in another step) are compared through a table from the instance to the first rest seen there. Poison and
//! undefined lanes are exempt.
//!
//! **What cannot be detected**: false claims about what does not happen in the run, and those hidden by a collision of
//! the 64-bit identifiers.
//!
//! **Cost**: one table access for each claim that spans more than the lanes of a step, and a shadow copy of the values
//! that serve as coefficients or are used outside their cycle. The table is bounded by [`MAX_INSTANCES`]; beyond that,
//! wider scopes are no longer compared, and the report says so.

mod claims;
mod lanes;
mod observer;
pub mod recount;
mod violation;

#[cfg(test)]
mod tests;

pub use violation::{Violation, ViolationKind};

use crate::simt::{Arg, Inputs, LaunchConfig, LaunchError, LaunchReport, Machine};
use claims::FunctionClaims;
use observer::ClaimObserver;
use std::fmt;
use warpwise_analysis::divergence::facts::Facts;
use warpwise_analysis::divergence::hypothesis::facts_under;
use warpwise_analysis::divergence::module::{ModuleAnalysis, Options};
use warpwise_ir::geometry::{BlockShape, Rows, WARP_SIZE};
use warpwise_ir::llvm::handle;
use warpwise_ir::llvm::image::{FuncId, ModuleImage};

/// Maximum number of entries in the table of instances. Four million take about 128 MiB.
pub const MAX_INSTANCES: usize = 4 << 20;
/// Maximum number of violations kept. Each check of the function is reported once, so this many means that something is
/// thoroughly wrong.
pub const MAX_VIOLATIONS: usize = 200;

/// Why a check could not be run.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("function {0} has not the same instructions for the analysis and for the machine")]
    Mismatch(String),
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct CheckReport {
    pub violations: Vec<Violation>,
    /// Number of comparisons of a claim with one step.
    pub compared: u64,
    /// Whether some instances were not compared across warps and blocks, because there were too many.
    pub truncated: bool,
    pub launch: LaunchReport,
}

impl CheckReport {
    /// Whether every claim held.
    pub fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for violation in &self.violations {
            writeln!(f, "{violation}")?;
        }
        write!(f, "{} claims compared, {} violated", self.compared, self.violations.len())?;
        if self.truncated {
            write!(f, "; too many instances to compare all across warps and blocks")?;
        }
        Ok(())
    }
}

/// A module prepared for checking under many launches.
pub struct Checker<'m, 'i> {
    module: handle::Module<'m>,
    image: &'i ModuleImage,
    machine: Machine<'i>,
    /// Functions with a body, by their number in the image.
    functions: Vec<Option<handle::Function<'m>>>,
    /// Facts that do not depend on the launch, and the name of the analysis.
    fixed: (String, Vec<Option<Facts>>),
}

impl<'m, 'i> Checker<'m, 'i> {
    /// Analyses a module; `image` is its import into the machine.
    pub fn new(module: handle::Module<'m>, image: &'i ModuleImage) -> Checker<'m, 'i> {
        let functions = image
            .functions
            .iter()
            .map(|function| if function.blocks.is_empty() { None } else { module.function(&function.name) })
            .collect();
        let machine = Machine::new(image);
        let fixed = ("block unknown".to_owned(), Vec::new());
        let mut checker = Checker { module, image, machine, functions, fixed };
        checker.fixed.1 = checker.facts(Options::default());
        checker
    }

    fn facts(&self, options: Options) -> Vec<Option<Facts>> {
        let analysis = ModuleAnalysis::new(self.module, options);
        self.functions.iter().map(|function| function.map(|function| analysis.facts(function).0)).collect()
    }

    /// What would hold for kernels if all launches had such rows, and the same arguments were multiples of 32 as here.
    fn facts_under(&self, rows: Rows, inputs: &Inputs) -> Vec<Option<Facts>> {
        let analysis = ModuleAnalysis::new(self.module, Options::default());
        let is_multiple = |arg: &Arg| match arg {
            Arg::Value(bytes) if matches!(bytes.len(), 4 | 8) => bytes[0].is_multiple_of(WARP_SIZE as u8),
            _ => false,
        };
        let kernel = |function: handle::Function<'m>| {
            let multiples = (0u32..).zip(&inputs.args).filter(|(_, arg)| is_multiple(arg)).map(|(index, _)| index);
            let width =
                |index| (index < function.param_count()).then(|| function.param(index).ty().int_bits()).flatten();
            let integers: Vec<u32> = multiples.filter(|&index| matches!(width(index), Some(32 | 64))).collect();
            facts_under(&analysis, function, rows, &integers)
        };
        let functions = self.functions.iter();
        functions.map(|function| function.filter(|function| function.is_ptx_kernel()).map(kernel)).collect()
    }

    /// Launches a kernel (by name, or the only one) and compares.
    pub fn run(&self, kernel: Option<&str>, config: &LaunchConfig, inputs: &Inputs) -> Result<CheckReport, CheckError> {
        let (names, claims) = self.claims(config, inputs)?;
        self.watch(kernel, config, inputs, &names, &claims)
    }

    /// The names of the analyses, and what they claim about each function for launches of this shape.
    fn claims(
        &self,
        config: &LaunchConfig,
        inputs: &Inputs,
    ) -> Result<(Vec<String>, Vec<Option<FunctionClaims>>), CheckError> {
        let [x, y, z] = config.block;
        let shape = BlockShape { x, y, z };
        let mut launched = vec![(format!("block {shape}"), self.facts(Options { block: Some(shape) }))];
        if x.is_multiple_of(WARP_SIZE) {
            launched.push(("rows of whole warps".to_owned(), self.facts_under(Rows::WholeWarps, inputs)));
        }
        if y == 1 && z == 1 {
            launched.push(("one row".to_owned(), self.facts_under(Rows::One, inputs)));
        }
        let analyses: Vec<&(String, Vec<Option<Facts>>)> = std::iter::once(&self.fixed).chain(&launched).collect();
        let names: Vec<String> = analyses.iter().map(|(name, _)| name.clone()).collect();
        let mut claims: Vec<Option<FunctionClaims>> = Vec::with_capacity(self.functions.len());
        for index in 0..self.functions.len() {
            let of_function: Vec<&Facts> = analyses.iter().filter_map(|(_, facts)| facts[index].as_ref()).collect();
            claims.push(if of_function.is_empty() {
                None
            } else {
                Some(FunctionClaims::new(self.image, FuncId(index as u32), &of_function)?)
            });
        }
        Ok((names, claims))
    }

    fn watch(
        &self,
        kernel: Option<&str>,
        config: &LaunchConfig,
        inputs: &Inputs,
        names: &[String],
        claims: &[Option<FunctionClaims>],
    ) -> Result<CheckReport, CheckError> {
        let kernel = self.machine.kernel(kernel)?;
        let mut observer = ClaimObserver::new(self.image, claims, names);
        let launched = self.machine.launch(kernel, config, inputs, &mut observer);
        let mut report = observer.finish(launched.is_ok());
        match launched {
            Ok(launch) => report.launch = launch,
            // a violation found before the fault may be its cause
            Err(error) if report.is_clean() => return Err(error.into()),
            Err(_) => {}
        }
        Ok(report)
    }
}
