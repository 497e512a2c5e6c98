//! Which device functions can nobody else call, if a module is the whole device program? They get internal linkage.
//!
//! Without `-fgpu-rdc` a source is a device program of its own. clang leaves its `__device__` functions visible all the
//! same, so that LLVM keeps a body of each and does not know which of them has a single caller, which it would inline.
//!
//! That the module is the whole program is what the user states by the option: clang writes nothing about `-fgpu-rdc` into
//! it. What a module shows of others is a reason to refuse all of it ([`sign_of_others`]). Where it shows nothing and
//! another module calls a function all the same, the device linker finds no such function and says so: the program is
//! not built, rather than wrong. So that this holds, functions that a linker may replace by others stay visible.
//!
//! Kernels and variables stay visible, since the host names them; and so do functions that inline assembly names, because
//! nobody sees what it calls, and those marked as used.

use crate::llvm::edit::Editor;
use crate::llvm::edit::annotate::is_optnone;
use crate::llvm::handle::{Function, Module, RawOpcode, Value, ValueKind};
use crate::llvm::remark::{Host, Kind};
use crate::llvm::space;
use crate::settings::WHOLE_PROGRAM;
use crate::settings::enabled::{is_all_off, read_annotations};
use rustc_hash::FxHashSet;

/// Functions that every device program has, though no module defines them.
const OF_THE_SYSTEM: [&str; 5] = ["vprintf", "malloc", "free", "__assertfail", "__nvvm_reflect"];
/// The names of the launch's coordinates, which clang declares as variables that nothing defines.
const COORDINATES: [&str; 5] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
/// The variable in which clang keeps what host code of relocatable device code names.
const USED_BY_HOST: &str = "__clang_gpu_used_external";
/// The lists of what stays although nothing seems to use it.
const USED_LISTS: [&str; 2] = ["llvm.used", "llvm.compiler.used"];

/// Why a function stays visible, as the end of a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reject {
    InAssembly,
    Used,
    Replaceable,
    SwitchedOff,
}

impl Reject {
    fn words(self) -> &'static str {
        match self {
            Reject::InAssembly => "inline assembly names it",
            Reject::Used => "it is marked as used",
            Reject::Replaceable => "a linker may replace it by another function (weak)",
            Reject::SwitchedOff => "it is switched off for warpwise, or not optimised",
        }
    }
}

/// Gives internal linkage to all functions that only the module can call; returns whether it changed.
pub fn run(module: Module<'_>, host: &Host<'_>) -> bool {
    let changed = read_annotations(module);
    let defined = || module.functions().filter(|function| !function.is_declaration());
    let Some(place) = defined().find(|function| function.is_ptx_kernel()).or_else(|| defined().next()) else {
        return changed;
    };
    if let Some(sign) = sign_of_others(module) {
        let message = format!("device functions stay visible: this is not a whole program, as {sign}");
        host.emit(Kind::Missed, place, None, "NotWholeProgram", &message);
        return changed;
    }
    let (local, rejected) = plan(module);
    for (function, reject) in rejected {
        let message = format!("device function stays visible: {}", reject.words());
        host.emit(Kind::Missed, function, None, "FunctionVisible", &message);
    }
    let admitted = local
        .into_iter()
        .filter(|&function| host.admits(WHOLE_PROGRAM, function, None, || "internal linkage".to_owned()))
        .collect::<Vec<_>>();
    let mut editor = Editor::new(module);
    admitted.iter().for_each(|&function| editor.make_local(function));
    if !admitted.is_empty() {
        let functions = if admitted.len() == 1 { "device function is" } else { "device functions are" };
        let message = format!("{} {functions} internal: nobody else can call into a whole program", admitted.len());
        host.emit(Kind::Passed, place, None, "FunctionsInternal", &message);
    }
    changed || !admitted.is_empty()
}

/// What shows that there are other device modules in the program, as part of a sentence.
fn sign_of_others(module: Module<'_>) -> Option<String> {
    if module.global(USED_BY_HOST).is_some() {
        return Some("clang compiled it with -fgpu-rdc".to_owned());
    }
    for function in module.functions() {
        let name = function.name();
        if function.is_weak_odr() {
            return Some(format!("'{name}' is shared among modules (weak_odr, which clang makes with -fgpu-rdc)"));
        }
        let is_known = function.intrinsic_id() != 0 || name.starts_with("llvm.") || OF_THE_SYSTEM.contains(&&*name);
        if function.is_declaration() && !is_known && function.value().users().next().is_some() {
            return Some(format!("'{name}' is used and has no body in it"));
        }
    }
    // dynamic shared memory is declared only, too, but belongs to the launch
    let is_elsewhere = |global: &Value<'_>| {
        global.is_declaration()
            && global.ty().address_space() != Some(space::SHARED)
            && !COORDINATES.contains(&&*global.name())
            && global.users().next().is_some()
    };
    module.globals().find(is_elsewhere).map(|global| format!("the variable '{}' is defined elsewhere", global.name()))
}

/// The functions that only this module can call, and those that stay visible.
fn plan<'m>(module: Module<'m>) -> (Vec<Function<'m>>, Vec<(Function<'m>, Reject)>) {
    let used = used(module);
    let in_assembly = words_of_assembly(module);
    let (mut local, mut rejected) = (Vec::new(), Vec::new());
    for function in module.functions() {
        let is_candidate = !function.is_declaration()
            && !function.is_ptx_kernel()
            && !function.is_local()
            && !function.is_available_externally();
        if !is_candidate {
            continue;
        }
        let reject = if used.contains(&function) {
            Some(Reject::Used)
        } else if in_assembly.contains(&function.name()) {
            Some(Reject::InAssembly)
        } else if function.is_replaceable() {
            Some(Reject::Replaceable)
        } else if is_all_off(function) || is_optnone(function) {
            Some(Reject::SwitchedOff)
        } else {
            None
        };
        match reject {
            Some(reject) => rejected.push((function, reject)),
            None => local.push(function),
        }
    }
    (local, rejected)
}

/// The functions in the lists of what stays.
fn used(module: Module<'_>) -> FxHashSet<Function<'_>> {
    let lists = USED_LISTS.iter().filter_map(|list| module.global(list)?.initializer());
    let elements =
        lists.flat_map(|list| (0..list.ty().length() as u32).filter_map(move |at| list.aggregate_element(at)));
    let functions = elements.filter_map(|element| match element.kind() {
        ValueKind::ConstantExpr => element.operand(0).as_function(),
        _ => element.as_function(),
    });
    functions.collect()
}

/// All words of a module's inline assembly, among which are the names of functions that it calls.
fn words_of_assembly(module: Module<'_>) -> FxHashSet<String> {
    let mut words = FxHashSet::default();
    let mut add = |text: &str| {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '%');
        // in the text of an instruction a dollar stands for something, and two for one
        let text = text.replace("$$", "$");
        words.extend(text.split(|letter| !is_part(letter)).filter(|word| !word.is_empty()).map(str::to_owned));
    };
    add(&module.assembly());
    let mut seen = FxHashSet::default();
    for inst in module.functions().flat_map(Function::blocks).flat_map(|block| block.insts()) {
        if matches!(inst.opcode(), RawOpcode::LLVMCall | RawOpcode::LLVMInvoke | RawOpcode::LLVMCallBr) {
            let callee = inst.called_value();
            if callee.kind() == ValueKind::InlineAsm && seen.insert(callee) {
                add(&callee.asm_text());
            }
        }
    }
    words
}
