//! What does `ptxas` say of a kernel before and after?
//!
//! [`assemble`] runs it in a temporary folder and reads what `-v` prints. With `-warpwise-ptxas=PATH` the whole pass is
//! tried on a copy of the module first ([`refused`]); kernels that are no better by `ptxas`'s numbers are then left alone.
//! Off by default: a build would depend on a program that the compiler does not bring. Better is: fewer bytes to and from
//! local memory, times eight for every loop around (read from the machine code if `nvdisasm` lies beside `ptxas`; else the stack
//! frame and the spills), and no fewer blocks on a multiprocessor. A kernel with a second body keeps the frame of the first,
//! so it must only not get worse.

use crate::geometry::{BlockShape, Geometry};
use crate::gpu::chip::{self, Chip};
use crate::gpu::occupancy::USUAL_THREADS;
use crate::llvm::handle::{Function, Module};
use crate::llvm::ptx::Scratch;
use crate::llvm::remark::{Host, Kind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What `ptxas -v` prints of one kernel; bytes, but for the registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Measured {
    pub registers: u32,
    pub stack: u32,
    pub spill_stores: u32,
    pub spill_loads: u32,
    pub shared: u32,
    /// Bytes that the machine code loads from and stores to local memory, by how often loops run; where the code can be read.
    pub weighted: Option<u64>,
}

impl Measured {
    /// What goes to local memory: by how often, or else in bytes of code, the frame, and what spills store and load.
    pub fn local(&self) -> u64 {
        self.weighted.unwrap_or_else(|| (self.stack + self.spill_stores + self.spill_loads).into())
    }
}

/// Iterations that a loop counts for, and how deep loops count.
const LOOP_WEIGHT: u64 = 8;
const MAX_DEPTH: u32 = 4;

/// Accesses to local memory in what `nvdisasm -c` prints, by kernel: bytes, times [`LOOP_WEIGHT`] for every loop around.
pub fn weigh(text: &str) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    // by kernel: bytes of each instruction, and loops as (first, last) instruction
    let (mut name, mut bytes, mut loops) = (String::new(), Vec::<u64>::new(), Vec::<(usize, usize)>::new());
    let mut labels: FxHashMap<String, usize> = FxHashMap::default();
    let mut finish = |name: &str, bytes: &[u64], loops: &[(usize, usize)]| {
        let depth = |at: usize| loops.iter().filter(|&&(first, last)| first <= at && at <= last).count() as u32;
        let sum = bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0);
        let sum = sum.map(|(at, bytes)| bytes * LOOP_WEIGHT.pow(depth(at).min(MAX_DEPTH))).sum();
        if !name.is_empty() {
            found.insert(name.to_owned(), sum);
        }
    };
    for line in text.lines() {
        if let Some(section) = line.strip_prefix(".text.").and_then(|rest| rest.strip_suffix(':')) {
            finish(&name, &bytes, &loops);
            name = section.to_owned();
            bytes.clear();
            loops.clear();
            labels.clear();
        } else if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with(".L_")) {
            labels.insert(label.to_owned(), bytes.len());
        } else if let Some((_, code)) = line.trim_start().strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
            let word = code.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
            let mut parts = word.trim_end_matches(';').split('.');
            let local = matches!(parts.next(), Some("LDL" | "STL"));
            let width = parts.find_map(|part| part.parse::<u64>().ok()).unwrap_or(32) / 8;
            let target =
                code.split_once("`(").and_then(|(_, rest)| rest.split_once(')')).and_then(|(to, _)| labels.get(to));
            if let Some(&first) = target.filter(|_| word.starts_with("BRA")) {
                loops.push((first, bytes.len()));
            }
            bytes.push(if local { width } else { 0 });
        }
    }
    finish(&name, &bytes, &loops);
    found
}

/// Kernels by name.
pub type Measurements = BTreeMap<String, Measured>;

/// Reads the output of `ptxas -v`.
pub fn read(text: &str) -> Measurements {
    let mut found = Measurements::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            current = rest.split('\'').next().map(str::to_owned);
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            // functions that were not inlined have properties of their own
            let name = name.trim();
            current = current.filter(|known| known == name);
        } else if let Some(name) = &current {
            let func = found.entry(name.clone()).or_default();
            let before = |what: &str| {
                let head = &line[..line.find(what)?];
                head.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
            };
            func.stack = before(" bytes stack frame").unwrap_or(func.stack);
            func.spill_stores = before(" bytes spill stores").unwrap_or(func.spill_stores);
            func.spill_loads = before(" bytes spill loads").unwrap_or(func.spill_loads);
            func.registers = before(" registers").unwrap_or(func.registers);
            func.shared = before(" bytes smem").unwrap_or(func.shared);
        }
    }
    found
}

/// Assembles PTX for a chip and measures its kernels.
pub fn assemble(ptxas: &Path, ptx: &str, cpu: &str, flags: &[String]) -> Result<Measurements, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let source = folder.path().join("kernel.ptx");
    std::fs::write(&source, ptx).map_err(|error| format!("cannot write {}: {error}", source.display()))?;
    let output = Command::new(ptxas)
        .args(["-v", "-O3", &format!("-arch={cpu}")])
        .args(flags)
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
    let mut found = read(&said);
    let disassembler = ptxas.with_file_name("nvdisasm");
    if disassembler.is_file()
        && let Ok(output) = Command::new(disassembler).arg("-c").arg(folder.path().join("kernel.cubin")).output()
    {
        let weighed = weigh(&String::from_utf8_lossy(&output.stdout));
        for (name, func) in &mut found {
            func.weighted = weighed.get(name).copied();
        }
    }
    Ok(found)
}

/// Names of the kernels that the pass, tried on a copy, does not make better; all have blocks of a shape, if it is known.
pub fn refused(
    module: Module<'_>,
    block: Option<BlockShape>,
    ptxas: &str,
    host: &Host<'_>,
    pass: impl FnOnce(Module<'_>),
) -> FxHashSet<String> {
    let nobody = FxHashSet::default();
    let defined = || module.functions().filter(|function| !function.is_declaration() && function.is_ptx_kernel());
    let Some(first) = defined().next() else { return nobody };
    let tried = Scratch::copy_of(module);
    pass(tried.handle());
    let versions: FxHashSet<String> =
        tried.handle().functions().filter(|&function| has_second_body(function)).map(Function::name).collect();
    let cpu = first.string_attribute("target-cpu").unwrap_or_else(|| chip::LLVM_DEFAULT.to_owned());
    let features = first.string_attribute("target-features").unwrap_or_default();
    let measure = |scratch: Scratch| {
        let ptx = scratch.into_ptx(&cpu, &features)?;
        assemble(Path::new(ptxas), &ptx, &cpu, &[])
    };
    let both = measure(Scratch::copy_of(module)).and_then(|before| Ok((before, measure(tried)?)));
    let (before, after) = match both {
        Ok(both) => both,
        Err(message) => {
            let message = format!("ptxas gives no numbers, the model decides: {message}");
            host.emit(Kind::Warning, first, None, "PtxasFails", &message);
            return nobody;
        }
    };
    let chip = Chip::of(&cpu);
    let mut refused = nobody;
    for function in defined() {
        let name = function.name();
        let (Some(old), Some(new)) = (before.get(&name), after.get(&name)) else { continue };
        if old == new {
            continue;
        }
        let geometry = Geometry::from_attributes(|attribute| function.string_attribute(attribute));
        let stated = block.map(|shape| shape.threads());
        let threads = geometry.exact.map(|shape| shape.threads()).or(geometry.max_threads).or(stated);
        let blocks = |measured: &Measured| {
            chip.resident_blocks(threads.unwrap_or(USUAL_THREADS), measured.registers, measured.shared.into())
        };
        let eased = new.local() < old.local() || (versions.contains(&name) && new.local() == old.local());
        if eased && blocks(new) >= blocks(old) {
            continue;
        }
        let message = format!(
            "left as it was: ptxas finds {} bytes in local memory instead of {}, and {} blocks on a multiprocessor instead of {}",
            new.local(),
            old.local(),
            blocks(new),
            blocks(old)
        );
        host.emit(Kind::Missed, function, None, "PtxasDisagrees", &message);
        refused.insert(name);
    }
    refused
}

fn has_second_body(function: Function<'_>) -> bool {
    function.blocks().next().is_some_and(|entry| entry.name().starts_with("warpwise.entry"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_belong_to_their_kernel() {
        let text = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    88 bytes stack frame, 84 bytes spill stores, 120 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 88 bytes cumulative stack size, 512 bytes smem
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
";
        let found = read(text);
        let expected =
            Measured { registers: 32, stack: 88, spill_stores: 84, spill_loads: 120, shared: 512, weighted: None };
        assert_eq!(found.get("a"), Some(&expected));
        assert_eq!(found.len(), 1);
        assert_eq!(expected.local(), 292);
    }

    #[test]
    fn accesses_count_by_their_loops() {
        let text = "\
.text.a:
        /*0000*/                   STL.64 [R1], R2 ;
.L_x_0:
        /*0010*/                   LDL R2, [R1] ;
.L_x_1:
        /*0020*/              @!P0 LDL.128 R4, [R1] ;
        /*0030*/               @P0 BRA `(.L_x_1) ;
        /*0040*/                   BRA `(.L_x_0) ;
.L_x_2:
        /*0050*/                   BRA `(.L_x_2);
.text.b:
        /*0000*/                   EXIT ;
";
        let found = weigh(text);
        assert_eq!(found["a"], 8 + 4 * 8 + 16 * 64);
        assert_eq!(found["b"], 0);
    }
}
