//! How does a scalar get into registers if loads read it or other memory? Every such load is split in two.
//!
//! A boolean is computed beside each phi and select of addresses: does the object's address come out? In the phi or
//! select itself, the address of an unused constant takes the object's place, so that a load through it always has
//! something to load. The load is followed by one of the object, and a select between both. The object has no address
//! any more, and SROA, which the back end runs, makes registers of it.
//!
//! No branch is needed, and no load is executed where none was before: the constant is loaded where the object was.

use super::plan::Move;
use rustc_hash::FxHashMap;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::objects::mixed::WIDEST;
use warpwise_analysis::objects::{AccessKind, Object};
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, RawOpcode};
use warpwise_ir::llvm::space;

/// Applies moves to registers, planned for the function in its present state.
pub fn apply<'m>(outline: &Outline, handles: &Handles<'m>, moves: &[Move], editor: &mut Editor<'m>) {
    let mut constant = None;
    for Move { object, .. } in moves {
        let Some(alloca) = outline.func.def(object.address) else { continue };
        let constant = *constant.get_or_insert_with(|| unused_constant(editor, &handles.function.name()));
        let ty = handles.value(object.address).ty();
        let address = editor.before(handles.inst(alloca)).cast(RawOpcode::LLVMAddrSpaceCast, constant, ty, "");
        let mut split = Split { outline, handles, object, editor, flags: FxHashMap::default() };
        split.compute_flags();
        split.split_loads();
        split.replace_address(address);
    }
}

/// As many bytes as the widest scalar, which are loaded and not used.
fn unused_constant<'m>(editor: &mut Editor<'m>, function: &str) -> handle::Value<'m> {
    let bytes = editor.bytes(&[0; WIDEST as usize]);
    editor.new_global(
        bytes.ty(),
        space::GLOBAL,
        WIDEST as u32,
        Some(bytes),
        true,
        &format!("warpwise_unused_{function}"),
    )
}

struct Split<'a, 'm> {
    outline: &'a Outline,
    handles: &'a Handles<'m>,
    object: &'a Object,
    editor: &'a mut Editor<'m>,
    /// Whether the result of a phi or select is the object's address.
    flags: FxHashMap<Value, handle::Value<'m>>,
}

impl<'m> Split<'_, 'm> {
    fn compute_flags(&mut self) {
        let func = &self.outline.func;
        let bool_type = self.editor.int_type(1);
        let own = self.editor.int(1, 1);
        self.flags.insert(self.object.address, own);
        let is_phi = |inst: &Inst| func.insts[*inst].opcode == Opcode::Phi;
        let (phis, selects): (Vec<Inst>, Vec<Inst>) = self.object.derived.iter().partition(|inst| is_phi(inst));
        let mut pending = Vec::new();
        for inst in phis {
            let flag = self.editor.before(self.handles.inst(inst)).phi(bool_type, "");
            self.flags.insert(func.result(inst), flag.value());
            pending.push((inst, flag));
        }
        for &inst in &selects {
            self.flag_of_select(inst);
        }
        for (inst, flag) in pending {
            for (&input, &from) in func.operands(inst).iter().zip(func.incoming(inst)) {
                let value = self.flag_of(input);
                self.editor.add_incoming(flag, value, self.handles.block(from));
            }
        }
    }

    /// The flag of a select is computed after those of the selects that it chooses from.
    fn flag_of_select(&mut self, inst: Inst) -> handle::Value<'m> {
        let func = &self.outline.func;
        let result = func.result(inst);
        if let Some(&flag) = self.flags.get(&result) {
            return flag;
        }
        let inputs = [func.operands(inst)[1], func.operands(inst)[2]].map(|input| match func.def(input) {
            Some(def) if def != inst && self.object.derived.contains(&def) && !self.flags.contains_key(&input) => {
                self.flag_of_select(def)
            }
            _ => self.flag_of(input),
        });
        let select = self.handles.inst(inst);
        let flag = self.editor.before(select).select(select.operand(0), inputs[0], inputs[1], "");
        self.flags.insert(result, flag);
        flag
    }

    fn flag_of(&self, pointer: Value) -> handle::Value<'m> {
        self.flags.get(&pointer).copied().unwrap_or_else(|| self.editor.int(1, 0))
    }

    fn split_loads(&mut self) {
        let func = &self.outline.func;
        let object = self.handles.value(self.object.address);
        for access in self.object.accesses.iter().filter(|access| access.kind == AccessKind::Load) {
            let pointer = func.operands(access.inst)[0];
            if pointer == self.object.address {
                continue;
            }
            let flag = self.flag_of(pointer);
            let load = self.handles.inst(access.inst);
            let other = load.value();
            // what is loaded in the object's place need not be what was promised of the object
            self.editor.drop_promises(load);
            let own = self.editor.after(load).load(other.ty(), object, access.piece as u32, false, "");
            let both = self.editor.select(flag, own, other, "");
            self.editor.replace_in_records_behind(other, both);
            self.editor.replace_uses_except(other, both, both);
        }
    }

    fn replace_address(&mut self, address: handle::Value<'m>) {
        let object = self.handles.value(self.object.address);
        for &inst in &self.object.derived {
            let inst = self.handles.inst(inst);
            for index in (0..inst.operand_count()).filter(|&index| inst.operand(index) == object).collect::<Vec<u32>>()
            {
                self.editor.set_operand(inst, index, address);
            }
        }
    }
}
