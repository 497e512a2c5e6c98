//! Which instructions use a value?

use super::Func;
use crate::entity::{Inst, Value};
use cranelift_entity::EntityRef;

/// The users of each value, as compressed rows over the operand pool.
pub struct Users {
    starts: Vec<u32>,
    users: Vec<Inst>,
}

impl Users {
    /// Counts the users, then fills the rows from the back, so that the end of each row becomes its start.
    pub fn new(func: &Func) -> Users {
        let defined = func.params.len() + func.insts.len();
        let mut starts = vec![0u32; defined + 1];
        let counts = &mut starts[..defined];
        for &value in &func.pool {
            if let Some(count) = counts.get_mut(value.index()) {
                *count += 1;
            }
        }
        let mut total = 0;
        for end in &mut starts {
            total += *end;
            *end = total;
        }
        let mut users = vec![Inst::new(0); total as usize];
        let rows = &mut starts[..defined];
        let mut pool = &func.pool[..];
        for (inst, data) in func.insts.iter().rev() {
            let (before, operands) = pool.split_at(pool.len() - data.operand_count as usize);
            pool = before;
            for &value in operands.iter().rev() {
                if let Some(slot) = rows.get_mut(value.index()) {
                    *slot -= 1;
                    users[*slot as usize] = inst;
                }
            }
        }
        Users { starts, users }
    }
    /// The users of a value.
    pub fn of(&self, value: Value) -> &[Inst] {
        match self.starts.get(value.index() + 1) {
            Some(&end) => &self.users[self.starts[value.index()] as usize..end as usize],
            None => &[],
        }
    }
}
