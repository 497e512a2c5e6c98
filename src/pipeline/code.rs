//! Is a kernel's code what it was, and do two functions have the same? Code as text in which nothing counts that depends
//! on the rest of the module: no numbers of metadata and attribute groups, no debug information, not the function's name.

use crate::settings::Settings;
use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};
use warpwise_ir::llvm::handle::{Function, Module, RawOpcode, Value, ValueKind, quote_name};

/// Attributes of kernels that decide what code the back end makes of them.
const ATTRIBUTES: [&str; 7] = [
    "target-cpu", "target-features", "nvvm.maxntid", "nvvm.reqntid", "nvvm.minctasm", "nvvm.maxnreg",
    "nvvm.cluster_dim",
];

/// Metadata that no code depends on: of debuggers, and of those who read the IR.
const OF_READERS: [&str; 2] = ["dbg !", "warpwise.uniform !"];

/// A function's code. Functions with the same text do the same, if globals of the same name are the same.
pub fn text_of(function: Function<'_>) -> String {
    let printed = function.value().print();
    let mut text = String::with_capacity(printed.len());
    for attribute in ATTRIBUTES {
        text += &function.string_attribute(attribute).unwrap_or_default();
        text.push('\n');
    }
    for line in printed.lines().filter(|line| !matches!(line.trim_start().chars().next(), Some(';' | '#') | None)) {
        // predecessors of a block
        let line = line.split("; preds").next().unwrap_or_default().trim_end();
        match line.strip_prefix("define ") {
            Some(head) => add_without_numbers(&without_name(head), &mut text),
            None => add_without_numbers(line, &mut text),
        }
        text.push('\n');
    }
    text
}

/// The first line of a definition without the function's name.
fn without_name(head: &str) -> String {
    let Some((before, rest)) = head.split_once('@') else { return head.to_owned() };
    let behind = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').map_or("", |(_, behind)| behind),
        None => rest.find('(').map_or("", |at| &rest[at..]),
    };
    format!("{before}@{behind}")
}

/// A function's code, in which variables that were made for it are told apart by their types alone.
pub fn text_with_made(function: Function<'_>, made: &[Value<'_>]) -> String {
    let mut named: Vec<(String, String)> =
        made.iter().map(|&global| (quote_name('@', &global.name()), type_of(global))).collect();
    // a name may begin with another
    named.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    named.iter().fold(text_of(function), |text, (name, ty)| text.replace(name, &format!("@({ty})")))
}

fn type_of(global: Value<'_>) -> String {
    global.global_value_type().map(warpwise_ir::llvm::handle::Type::print).unwrap_or_default()
}

/// Appends a line without what is only for readers and without the numbers of metadata and attribute groups.
fn add_without_numbers(line: &str, text: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['!', '#']) {
        let (head, tail) = rest.split_at(at);
        let (mark, behind) = tail.split_at(1);
        if let Some(number) = OF_READERS.iter().find_map(|kind| behind.strip_prefix(kind)) {
            text.push_str(head.strip_suffix(' ').map_or(head, |head| head.strip_suffix(',').unwrap_or(head)));
            rest = number.trim_start_matches(|digit: char| digit.is_ascii_digit());
        } else {
            text.push_str(head);
            text.push_str(mark);
            rest = behind.trim_start_matches(|digit: char| digit.is_ascii_digit());
        }
    }
    text.push_str(rest);
}

/// A hash of what decides how fast a kernel is, and what its alternatives are: its code, that of functions that it calls,
/// types and globals that it uses, with the contents of constant tables, the settings, the divergence map, and the version of
/// warpwise.
pub fn hash_of(kernel: Function<'_>, settings: &Settings) -> u64 {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update(settings.decisive());
    // one that cannot be read is an error elsewhere
    hash.update(settings.map_file.as_ref().and_then(|map| std::fs::read(map).ok()).unwrap_or_default());
    let mut seen = vec![kernel];
    let mut next = 0;
    while let Some(&function) = seen.get(next) {
        next += 1;
        hash.update(text_of(function));
        hash.update(if function == kernel { String::new() } else { function.name() });
        add_surroundings(function, &mut hash, &mut seen);
    }
    let digest = hash.finalize();
    digest.first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

/// Adds the types and globals that a function's instructions name, and finds the functions that they call.
fn add_surroundings<'m>(function: Function<'m>, hash: &mut Sha256, seen: &mut Vec<Function<'m>>) {
    let module: Module<'m> = function.module();
    for inst in function.insts() {
        if inst.opcode() == RawOpcode::LLVMGetElementPtr {
            let ty = inst.value().gep_source_type();
            hash.update(ty.print());
            hash.update(module.layout().alloc_size(ty).unwrap_or(0).to_le_bytes());
        }
        for operand in inst.operands() {
            match operand.as_function() {
                Some(callee) => see(callee, seen),
                None => add_global(operand, hash, seen),
            }
        }
    }
}

/// Enters a function with a body into the list, unless it is there.
fn see<'m>(function: Function<'m>, seen: &mut Vec<Function<'m>>) {
    if !function.is_declaration() && !seen.contains(&function) {
        seen.push(function);
    }
}

/// Adds a global that a function uses, and finds the functions that a constant table lists. What the program may still write,
/// even into `__constant__` memory, is data of a launch.
fn add_global<'m>(operand: Value<'m>, hash: &mut Sha256, seen: &mut Vec<Function<'m>>) {
    match operand.kind() {
        ValueKind::GlobalVariable => {
            hash.update(type_of(operand));
            hash.update(operand.explicit_align().to_le_bytes());
            let Some(contents) = operand.initializer().filter(|_| operand.is_table()) else { return };
            hash.update(contents.print());
            let (mut parts, mut known) = (vec![contents], FxHashSet::default());
            while let Some(part) = parts.pop() {
                if !known.insert(part.address()) {
                    continue;
                }
                match part.as_function() {
                    Some(listed) => see(listed, seen),
                    None if matches!(part.kind(), ValueKind::ConstantExpr | ValueKind::ConstantAggregate) => {
                        parts.extend(part.operands());
                    }
                    None => {}
                }
            }
        }
        ValueKind::ConstantExpr => {
            operand.operands().for_each(|part| add_global(part, hash, seen));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_ir::llvm::owned::OwnedModule;

    fn module(text: &str) -> OwnedModule {
        OwnedModule::from_text(&format!("target triple = \"nvptx64-nvidia-cuda\"\n{text}"), "test").unwrap()
    }

    fn hash(text: &str) -> u64 {
        let module = module(text);
        hash_of(module.handle().function("k").unwrap(), &Settings::default())
    }

    const KERNEL: &str = "%s = type { i32, i64 }\ndefine ptx_kernel void @k(ptr %p, i64 %i) #0 {\nentry:\n\
        %q = getelementptr %s, ptr %p, i64 %i\n%v = call i32 @f(i32 1)\nstore i32 %v, ptr %q, align 4, !tbaa !0\n\
        ret void\n}\ndefine i32 @f(i32 %a) { \n%b = add i32 %a, 5\nret i32 %b\n}\n\
        attributes #0 = { \"target-cpu\"=\"sm_90\" }\n!0 = !{!1, !1, i64 0}\n!1 = !{!\"int\", !2}\n!2 = !{!\"root\"}\n";

    #[test]
    fn the_hash_is_of_what_the_kernel_runs() {
        let first = hash(KERNEL);
        for same in [
            format!(
                "@other = global i32 0\ndefine void @before() #1 {{ ret void }}\nattributes #1 = {{ nounwind }}\n{KERNEL}"
            ),
            KERNEL.replace("!0", "!7").replace("!2", "!9"),
            KERNEL.replace("#0", "#5"),
        ] {
            assert_eq!(hash(&same), first, "{same}");
        }
        for (from, to) in [
            ("align 4", "align 8"),
            ("%a, 5", "%a, 6"),
            ("i32, i64 }", "i32, i8 }"),
            ("sm_90", "sm_80"),
            ("i32 1)", "i32 2)"),
        ] {
            assert_ne!(hash(&KERNEL.replace(from, to)), first, "{to}");
        }
        let other = Settings { regs: Some(32), ..Settings::default() };
        assert_ne!(hash_of(module(KERNEL).handle().function("k").unwrap(), &other), first);
    }

    #[test]
    fn constant_tables_count_with_their_contents() {
        let table = |table: &str| {
            hash(&format!(
                "@t = addrspace(4) {table}\n\
                 define ptx_kernel void @k(ptr %p, i32 %i) {{\n\
                 %at = getelementptr [2 x i32], ptr addrspace(4) @t, i32 0, i32 %i\n\
                 %v = load i32, ptr addrspace(4) %at, align 4\nstore i32 %v, ptr %p, align 4\nret void\n}}\n"
            ))
        };
        let first = table("constant [2 x i32] [i32 1, i32 2]");
        assert_ne!(first, table("constant [2 x i32] [i32 1, i32 3]"));
        // what the host may write is data
        let written = |contents: &str| table(&format!("externally_initialized constant [2 x i32] {contents}"));
        assert_eq!(written("[i32 1, i32 2]"), written("[i32 1, i32 3]"));
        assert_eq!(table("global [2 x i32] [i32 1, i32 2]"), table("global [2 x i32] [i32 1, i32 3]"));
        let called = |number: u32| {
            hash(&format!(
                "@t = constant [1 x ptr] [ptr @f]\ndefine internal i32 @f() {{ ret i32 {number} }}\n\
                 define ptx_kernel void @k(ptr %p, i32 %i) {{\n\
                 %at = getelementptr [1 x ptr], ptr @t, i32 0, i32 %i\n%f = load ptr, ptr %at, align 8\n\
                 %v = call i32 %f()\nstore i32 %v, ptr %p, align 4\nret void\n}}\n"
            ))
        };
        assert_ne!(called(1), called(2));
    }

    #[test]
    fn texts_have_no_numbers_of_the_module() {
        let line = |text: &str| {
            let mut out = String::new();
            add_without_numbers(text, &mut out);
            out
        };
        assert_eq!(
            line("%x = load i32, ptr %p, align 4, !dbg !17, !tbaa !3"),
            "%x = load i32, ptr %p, align 4, !tbaa !"
        );
        assert_eq!(line("br label %b, !warpwise.uniform !1, !warpwise.other !2"), "br label %b, !warpwise.other !");
        assert_eq!(line("call void @f() #12, !dbg !5"), "call void @f() #");
        assert_eq!(line("define void @f() #0 !dbg !5 {"), "define void @f() # {");
        assert_eq!(without_name("void @k(ptr %p)"), "void @(ptr %p)");
        assert_eq!(without_name("void @\"k$t1\"(ptr %p)"), "void @(ptr %p)");
    }
}
