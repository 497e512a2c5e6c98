//! What did the lockstep machine do on each line? Instructions, lanes, sectors of global memory and phases of shared memory,
//! as a table with the columns of Nsight Compute's ([`crate::report::lines`]).
//!
//! The address of an access is the last value of its pointer in the same warp. Pointers that are constants or arguments of
//! the kernel are the same for all lanes. Pointers that a called function takes are not followed: such accesses have no
//! sectors.

use crate::report::lines::{INSTRUCTIONS, LANES, PHASES, SECTORS};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use warpwise_ir::llvm::image::{InstImage, LocId, ModuleImage, Op, Operand, TypeKind};
use warpwise_ir::source::shown;
use warpwise_oracle::simt::{LaneValues, Lanes, Observer, StepContext};

/// Bytes of a sector of global memory, and of a word of a bank.
const SECTOR: u64 = 32;
const WORD: u64 = 4;
const BANKS: u64 = 32;

/// Instructions and lanes; sectors and phases that were needed and that were moved.
type Sums = [u64; 6];

/// Adds up while a kernel runs.
#[derive(Default)]
pub struct LineObserver {
    /// By function and location.
    places: HashMap<(u32, LocId), Sums>,
    /// The latest pointers of a warp, by function and instruction; for the block and warp in the first place.
    pointers: HashMap<(u32, u32, u32), Lanes>,
    block: u32,
}

/// The place that a reader expects.
fn place(image: &ModuleImage, loc: LocId) -> Option<(String, u32)> {
    let locations = std::iter::successors(Some(loc), |loc| image.locations[loc.0 as usize].inlined_at);
    let chain: Vec<(&str, u32)> =
        locations.map(|loc| &image.locations[loc.0 as usize]).map(|at| (at.file.as_str(), at.line)).collect();
    let (file, line) = chain[shown(&chain)?];
    Some((file.to_owned(), line))
}

/// The pointer of an access, its address space, and how many bytes a lane accesses.
fn access(image: &ModuleImage, inst: &InstImage) -> Option<(Operand, u32, u64)> {
    let (pointer, ty) = match inst.op {
        Op::Load { .. } | Op::AtomicRmw(..) | Op::CmpXchg(..) => (0, inst.ty),
        Op::Store { .. } => (1, *inst.operand_types.first()?),
        _ => return None,
    };
    let TypeKind::Ptr(space) = image.ty(*inst.operand_types.get(pointer)?).kind else { return None };
    Some((*inst.operands.get(pointer)?, space, image.ty(ty).store))
}

impl Observer for LineObserver {
    fn inst(&mut self, at: &StepContext<'_>, values: &LaneValues<'_>) {
        let function = &at.image.functions[at.func.0 as usize];
        let inst = &function.insts[at.inst as usize];
        if at.block_number != self.block {
            self.pointers.clear();
            self.block = at.block_number;
        }
        if let (TypeKind::Ptr(_), Some(slot)) = (&at.image.ty(inst.ty).kind, values.slots.first()) {
            self.pointers.insert((at.warp, at.func.0, at.inst), *slot);
        }
        let Some(loc) = inst.loc else { return };
        let sums = self.places.entry((at.func.0, loc)).or_default();
        sums[0] += 1;
        sums[1] += u64::from(at.active.count_ones());
        let Some((pointer, space, bytes)) = access(at.image, inst) else { return };
        let same = [0; 32];
        let lanes = match pointer {
            Operand::Inst(number) => self.pointers.get(&(at.warp, at.func.0, number)),
            _ => (at.depth == 0).then_some(&same),
        };
        let Some(lanes) = lanes.filter(|_| bytes > 0) else { return };
        let active = (0..32).filter(|lane| at.active >> lane & 1 == 1).map(|lane| lanes[lane]);
        let starts: BTreeSet<u64> = active.collect();
        let parts = |size: u64| {
            let ends = starts.iter().flat_map(move |&start| start / size..=(start + bytes - 1) / size);
            ends.collect::<BTreeSet<u64>>()
        };
        let whole = starts.len() as u64 * bytes;
        match space {
            0 | 1 => {
                sums[2] += whole.div_ceil(SECTOR);
                sums[3] += parts(SECTOR).len() as u64;
            }
            3 => {
                let mut banks = [0; BANKS as usize];
                parts(WORD).iter().for_each(|word| banks[(word % BANKS) as usize] += 1);
                sums[4] += whole.div_ceil(WORD * BANKS);
                sums[5] += banks.into_iter().max().unwrap_or(0);
            }
            _ => {}
        }
    }
}

impl LineObserver {
    /// The table.
    pub fn table(&self, image: &ModuleImage) -> String {
        let mut lines: BTreeMap<(&str, String, u32), Sums> = BTreeMap::new();
        for (&(function, loc), sums) in &self.places {
            if let Some((file, line)) = place(image, loc) {
                let all = lines.entry((&image.functions[function as usize].name, file, line)).or_default();
                all.iter_mut().zip(sums).for_each(|(all, more)| *all += more);
            }
        }
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let ideal = |name: &str| format!("{name} Ideal");
        let columns = ["Line No", INSTRUCTIONS, LANES, &ideal(SECTORS), SECTORS, &ideal(PHASES), PHASES].map(quoted);
        let mut table = String::new();
        let mut known = None;
        for ((function, file, line), sums) in &lines {
            if known.replace((function, file)) != Some((function, file)) {
                table += &format!(
                    "\"Function Name\",{}\n\"File Path\",{}\n{}\n",
                    quoted(function),
                    quoted(file),
                    columns.join(",")
                );
            }
            table += &format!("{line},{}\n", sums.map(|sum| sum.to_string()).join(","));
        }
        table
    }
}
