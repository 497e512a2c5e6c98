//! How much shared memory does a kernel already use?
//!
//! The sum over every shared variable mentioned by the kernel or by a function that it may call, each rounded up to 16
//! bytes (an upper bound of what `ptxas` allocates). An indirect call may reach every function of the module. A callee
//! without a body is unknown, except for a few functions of the system. An unsized or external array is dynamic shared
//! memory, whose size is chosen at launch. Who reads how much shared memory the launch has (`%dynamic_smem_size` and its
//! kin, as intrinsics or in inline PTX) is found on the same walk.

use rustc_hash::FxHashSet;
use warpwise_ir::Func;
use warpwise_ir::call::Callee;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::handle::{Function, Inst, Layout, RawOpcode, Value, ValueKind, intrinsic_id, intrinsic_name};
use warpwise_ir::llvm::space;

/// What the names of intrinsics and registers that tell the size of shared memory have in common.
const SIZE: &str = "smem_size";
const SIZES: [&str; 3] = [
    "llvm.nvvm.read.ptx.sreg.dynamic_smem_size",
    "llvm.nvvm.read.ptx.sreg.total_smem_size",
    "llvm.nvvm.read.ptx.sreg.aggr_smem_size",
];
/// Functions of the device runtime that use no shared memory, and what the names of others begin with.
const SYSTEM: [&str; 5] = ["vprintf", "malloc", "free", "__assertfail", "__nvvm_reflect"];
const LIBDEVICE: &str = "__nv_";

/// What a kernel uses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SharedUse {
    pub bytes: u64,
    /// Whether some of it has a size that is chosen at launch.
    pub dynamic: bool,
    /// A callee whose use is unknown.
    pub unknown: Option<String>,
    /// A function that reads the size.
    pub size_reader: Option<String>,
}

struct UseCount<'m> {
    layout: Layout<'m>,
    functions: Vec<Function<'m>>,
    seen: FxHashSet<usize>,
    sizes: [u32; SIZES.len()],
    /// The function that is being walked.
    current: Function<'m>,
    found: SharedUse,
}

/// Whether a block of a kernel may wait for what another block writes: it looks again and again at memory in a way in
/// which it can change, or something is called that might. The program then chose its grid such that all blocks are
/// resident, which it asked of the kernel, not of a version.
pub fn may_wait_for_blocks(kernel: Function<'_>) -> bool {
    let orders = |id: u32| {
        let name = intrinsic_name(id);
        ["membar", "fence", "atomic", "mbarrier", "griddepcontrol"].iter().any(|part| name.contains(part))
    };
    let looks = |inst: Inst<'_>| match inst.opcode() {
        RawOpcode::LLVMAtomicRMW | RawOpcode::LLVMAtomicCmpXchg => inst.value().users().next().is_some(),
        RawOpcode::LLVMFence | RawOpcode::LLVMInvoke | RawOpcode::LLVMCallBr => true,
        RawOpcode::LLVMLoad => inst.is_volatile() || inst.is_atomic(),
        RawOpcode::LLVMCall => match inst.called_function() {
            Some(function) if function.intrinsic_id() != 0 => orders(function.intrinsic_id()),
            Some(function) => !is_of_system(&function.name()),
            None => true,
        },
        _ => false,
    };
    kernel.blocks().flat_map(|block| block.insts()).any(looks)
}

fn is_of_system(name: &str) -> bool {
    SYSTEM.contains(&name) || name.starts_with(LIBDEVICE)
}

/// Adds up what a kernel uses.
pub fn shared_use<'m>(func: &Func, handles: &Handles<'m>) -> SharedUse {
    let function = handles.function;
    let mut walk = UseCount {
        layout: function.module().layout(),
        functions: Vec::new(),
        seen: FxHashSet::from_iter([function.value().address()]),
        sizes: SIZES.map(intrinsic_id),
        current: function,
        found: SharedUse::default(),
    };
    walk.func(func, handles);
    while let Some(function) = walk.functions.pop() {
        walk.current = function;
        walk.body(function);
    }
    walk.found
}

impl<'m> UseCount<'m> {
    /// Adds what an imported function mentions: its constants and its callees.
    fn func(&mut self, func: &Func, handles: &Handles<'m>) {
        if func.insts.values().any(|inst| inst.opcode == Opcode::OtherTerminator) {
            return self.body(handles.function);
        }
        for (constant, _) in func.constants() {
            self.value(handles.value(constant));
        }
        for inst in func.insts.keys().filter(|&inst| func.insts[inst].opcode == Opcode::Call) {
            match func.call(inst).callee {
                Callee::Function(_) | Callee::Indirect => {
                    self.callee(handles.inst(inst).called_value(), handles.function);
                }
                Callee::Asm { .. } => self.value(handles.inst(inst).called_value()),
                Callee::Intrinsic(id) => self.intrinsic(id),
            }
        }
    }

    fn body(&mut self, function: Function<'m>) {
        for inst in function.blocks().flat_map(|block| block.insts()) {
            if inst.opcode() == RawOpcode::LLVMCall {
                self.callee(inst.called_value(), function);
            }
            for index in 0..inst.operand_count() {
                self.value(inst.operand(index));
            }
        }
    }

    fn callee(&mut self, callee: Value<'m>, caller: Function<'m>) {
        match callee.kind() {
            ValueKind::Function | ValueKind::InlineAsm => self.value(callee),
            _ => {
                self.value(callee);
                caller.module().functions().for_each(|function| self.function(function));
            }
        }
    }

    fn intrinsic(&mut self, id: u32) {
        if self.sizes.contains(&id) {
            self.reads_size();
        }
    }

    fn reads_size(&mut self) {
        self.found.size_reader.get_or_insert_with(|| self.current.name());
    }

    fn function(&mut self, function: Function<'m>) {
        if function.intrinsic_id() != 0 {
            return self.intrinsic(function.intrinsic_id());
        }
        if !self.seen.insert(function.value().address()) {
            return;
        }
        if !function.is_declaration() {
            self.functions.push(function);
        } else if !is_of_system(&function.name()) {
            self.found.unknown.get_or_insert_with(|| function.name());
        }
    }

    fn value(&mut self, value: Value<'m>) {
        match value.kind() {
            ValueKind::Function => value.as_function().into_iter().for_each(|function| self.function(function)),
            ValueKind::InlineAsm if value.asm_text().contains(SIZE) => self.reads_size(),
            ValueKind::GlobalVariable
                if value.ty().address_space() == Some(space::SHARED) && self.seen.insert(value.address()) =>
            {
                self.variable(value);
            }
            ValueKind::ConstantExpr | ValueKind::ConstantAggregate | ValueKind::GlobalAlias
                if self.seen.insert(value.address()) =>
            {
                for index in 0..value.operand_count() {
                    self.value(value.operand(index));
                }
            }
            _ => {}
        }
    }

    fn variable(&mut self, variable: Value<'m>) {
        let size = variable.global_value_type().and_then(|ty| self.layout.alloc_size(ty)).unwrap_or(0);
        if variable.is_declaration() || size == 0 {
            self.found.dynamic = true;
        }
        self.found.bytes += size.next_multiple_of(16);
    }
}
