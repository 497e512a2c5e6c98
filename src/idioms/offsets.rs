//! Which indices does clang widen to 64 bits so that neighbouring accesses cannot share an address?
//!
//! InstCombine writes `sext(i - 1)` as `zext nneg(i - 1)` where the index is known not to be negative. A sum without signed
//! wrap that may wrap unsigned is a sum of sign extensions, but not of zero extensions: so the back end computes a 64-bit
//! address for each of `a[i]` and `a[i - 1]`, instead of one with a constant offset. Since `nneg` makes a negative value
//! poison, the sign extension is as good everywhere.

use crate::mutants::{self, Mutant};
use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::RawOpcode::{LLVMAdd, LLVMGetElementPtr, LLVMOr, LLVMSExt, LLVMSub, LLVMZExt};
use warpwise_ir::llvm::handle::{Block, Function, Inst, Type, Value};

/// What is said of the first of these indices.
pub const MESSAGE: &str = "neighbouring accesses share an address: their indices are widened as signed numbers";

/// Sums within sums in an index.
const MAX_CHAIN: u32 = 4;

/// An index as a sum: its terms, with whether they are subtracted, and a constant.
#[derive(Default)]
struct Sum<'m> {
    terms: Vec<(Value<'m>, bool)>,
    constant: i64,
    /// Whether it may wrap as an unsigned number.
    wraps: bool,
}

impl<'m> Sum<'m> {
    fn of(index: Value<'m>) -> Self {
        let mut sum = Sum::default();
        sum.add(index, false, MAX_CHAIN);
        sum.terms.sort_unstable();
        sum
    }

    fn add(&mut self, value: Value<'m>, is_less: bool, left: u32) {
        if let Some(constant) = value.const_i64() {
            self.constant += if is_less { -constant } else { constant };
            return;
        }
        let is_sum = |inst: &Inst<'m>| match inst.opcode() {
            LLVMAdd | LLVMSub => inst.has_nsw(),
            LLVMOr => inst.is_disjoint(),
            _ => false,
        };
        match value.as_inst().filter(|inst| left > 0 && is_sum(inst)) {
            Some(inst) => {
                self.wraps |= inst.opcode() != LLVMOr && !inst.has_nuw();
                self.add(inst.operand(0), is_less, left - 1);
                self.add(inst.operand(1), is_less != (inst.opcode() == LLVMSub), left - 1);
            }
            None => self.terms.push((value, is_less)),
        }
    }
}

/// The widened indices with the same terms.
#[derive(Default)]
struct Alike<'m> {
    /// Those that become sign extensions.
    widenings: Vec<Inst<'m>>,
    /// Where they are used, if that is as the only index: the constant, and whether the sum keeps it from the address.
    used: FxHashMap<(Block<'m>, Value<'m>, Type<'m>), Vec<(i64, bool)>>,
}

impl Alike<'_> {
    /// Whether two addresses in one block differ by a constant that the back end does not see.
    fn pays(&self) -> bool {
        let hides = |used: &Vec<(i64, bool)>| {
            used.iter().any(|&(_, is_hidden)| is_hidden) && used.iter().any(|&(constant, _)| constant != used[0].0)
        };
        self.used.values().any(hides)
    }
}

/// Groups of zero extensions that should be sign extensions: for neighbouring accesses, all with the same terms, lest a
/// value is widened in two ways.
pub fn find(function: Function<'_>) -> Vec<Vec<Inst<'_>>> {
    let (mut places, mut found) = (FxHashMap::default(), Vec::<Alike<'_>>::new());
    for widening in function.blocks().flat_map(|block| block.insts()) {
        let is_signed = widening.opcode() == LLVMSExt;
        let is_index = (is_signed || widening.opcode() == LLVMZExt && widening.has_nneg())
            && widening.ty().int_bits() == Some(64)
            && widening.operand(0).ty().int_bits() == Some(32);
        if !is_index {
            continue;
        }
        let sum = Sum::of(widening.operand(0));
        let place = *places.entry(sum.terms).or_insert(found.len());
        if place == found.len() {
            found.push(Alike::default());
        }
        let alike = &mut found[place];
        if !is_signed {
            alike.widenings.push(widening);
        }
        let users: FxHashSet<Inst<'_>> = widening.value().users().filter_map(Value::as_inst).collect();
        for user in users.into_iter().filter(|user| user.opcode() == LLVMGetElementPtr && user.operand_count() == 2) {
            let at = (user.block(), user.operand(0), user.value().gep_source_type());
            alike.used.entry(at).or_default().push((sum.constant, !is_signed && sum.wraps && sum.constant != 0));
        }
    }
    found.into_iter().filter(Alike::pays).map(|alike| alike.widenings).collect()
}

/// Widens indices as signed numbers.
pub fn apply<'m>(editor: &mut Editor<'m>, widenings: &[Inst<'m>]) {
    for &widening in widenings {
        let mut index = widening.operand(0);
        if mutants::on(Mutant::OffsetLost)
            && let Some(sum) = index.as_inst().filter(|inst| inst.opcode() == LLVMAdd)
        {
            index = sum.operand(0);
        }
        let signed = editor.before(widening).cast(LLVMSExt, index, widening.ty(), "");
        editor.replace_all_uses(widening.value(), signed);
        editor.erase(widening);
    }
}
