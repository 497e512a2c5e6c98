//! What does an odd module look like? Globals, device functions, kernels; flow of control that no front end writes.
//!
//! Uses come after definitions by construction: a block uses what it has made itself, what the entry block has made, and
//! its phis, whose entries come from the predecessors.

use super::super::rng::Rng;
use super::inst::{Callee, Writer};
use super::types::{I1, I32, PTR, Ty};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const LAYOUT: &str = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

/// How a block ends.
enum End {
    Return,
    Unreachable,
    Jump(usize),
    Branch([usize; 2]),
    /// Default, width, cases.
    Switch(usize, u32, Vec<usize>),
    /// A function that may throw, where to go if it does not; what catches is a block of its own.
    Invoke(usize),
    Indirect(Vec<usize>),
    /// To the function itself.
    TailCall,
}

impl End {
    fn targets(&self) -> Vec<usize> {
        match self {
            End::Return | End::Unreachable | End::TailCall => Vec::new(),
            End::Jump(to) | End::Invoke(to) => vec![*to],
            End::Branch(to) => to.to_vec(),
            End::Switch(default, _, cases) => std::iter::once(default).chain(cases).copied().collect(),
            End::Indirect(to) => to.clone(),
        }
    }
}

/// A phi: type and name; its entries are chosen when every block is written.
struct Phi(Ty, String);

/// Writes a module.
pub(super) fn generate(rng: &mut Rng) -> String {
    let mut text = String::new();
    if rng.chance(85) {
        let _ = writeln!(text, "target datalayout = \"{LAYOUT}\"");
    }
    text.push_str("target triple = \"nvptx64-nvidia-cuda\"\n\n");
    let globals = globals(rng, &mut text);
    let callees: Vec<Callee> = (0..rng.below(4))
        .map(|number| Callee {
            name: format!("device{number}"),
            result: rng.chance(70).then(|| Ty::any(rng)),
            params: (0..rng.below(5)).map(|_| Ty::any(rng)).collect(),
        })
        .collect();
    let mut declarations = BTreeSet::new();
    let debug = rng.chance(30);
    let mut scopes = 0;
    let mut function = |rng: &mut Rng, callee: &Callee, is_kernel: bool| {
        let scope = debug.then_some(10 + 3 * scopes);
        scopes += 1;
        let code = one_function(rng, callee, is_kernel, (&globals, &callees), scope, &mut declarations);
        text.push_str(&code);
    };
    for callee in &callees {
        function(rng, callee, false);
    }
    for number in 0..rng.range(1, 2) {
        let params = (0..rng.below(6)).map(|_| Ty::any(rng)).collect();
        let kernel = Callee { name: format!("kernel{number}"), result: None, params };
        function(rng, &kernel, true);
    }
    for declaration in &declarations {
        let _ = writeln!(text, "{declaration}");
    }
    text.push_str(
        "declare i32 @__gxx_personality_v0(...)\ndeclare void @may_throw(i32)\nattributes #0 = { convergent }\n",
    );
    if debug {
        debug_information(scopes, &mut text);
    }
    text
}

fn globals(rng: &mut Rng, text: &mut String) -> Vec<(Ty, String)> {
    let mut globals = Vec::new();
    for number in 0..rng.below(5) {
        let ty = Ty::any(rng);
        if ty.is_scalable() || !ty.is_sized() || matches!(ty, Ty::Ext(_)) {
            continue;
        }
        let space = rng.pick(&[0, 1, 1, 3, 3, 4]);
        let name = format!("@global{number}");
        let start = match (space, rng.below(3)) {
            (3, _) => format!("internal addrspace(3) global {ty} undef"),
            (_, 0) => format!("external addrspace({space}) global {ty}"),
            (4, _) => format!("internal addrspace(4) constant {ty} {}", ty.constant(rng)),
            _ => format!("internal addrspace({space}) global {ty} {}", ty.constant(rng)),
        };
        let _ = writeln!(text, "{name} = {start}, align {}", 1 << rng.below(5));
        globals.push((Ty::Ptr(space), name));
    }
    globals
}

fn one_function(
    rng: &mut Rng,
    callee: &Callee,
    is_kernel: bool,
    (globals, callees): (&[(Ty, String)], &[Callee]),
    scope: Option<u32>,
    declarations: &mut BTreeSet<String>,
) -> String {
    let count = if rng.chance(15) { 1 } else { rng.range(2, 14) as usize };
    let ends: Vec<End> = (0..count).map(|_| end(rng, count, is_kernel)).collect();
    let mut preds = vec![Vec::new(); count];
    for (from, end) in ends.iter().enumerate() {
        for to in end.targets() {
            preds[to].push(from);
        }
    }
    let params: Vec<(Ty, String)> =
        callee.params.iter().enumerate().map(|(number, ty)| (ty.clone(), format!("%arg{number}"))).collect();
    let mut everywhere = params.clone();
    everywhere.extend_from_slice(globals);
    let dbg = scope.map_or(String::new(), |scope| format!(", !dbg !{}", scope + 2));
    let variable = scope.map_or(0, |scope| scope + 1);
    let mut w = Writer {
        rng,
        out: String::new(),
        everywhere,
        local: Vec::new(),
        next: 0,
        declarations,
        callees,
        dbg,
        variable,
    };
    let mut bodies = Vec::new();
    let mut values: Vec<Vec<(Ty, String)>> = Vec::new();
    let mut phis: Vec<Vec<Phi>> = Vec::new();
    for block in 0..count {
        let how_many = if preds[block].is_empty() { 0 } else { w.rng.below(5) };
        let own: Vec<Phi> = (0..how_many).map(|_| Phi(Ty::any(w.rng), w.name())).collect();
        w.local = own.iter().map(|Phi(ty, name)| (ty.clone(), name.clone())).collect();
        let length = if w.rng.chance(2) { 400 } else { w.rng.below(14) };
        for _ in 0..length {
            w.inst();
        }
        finish(&mut w, &ends[block], callee, block);
        bodies.push(std::mem::take(&mut w.out));
        if block == 0 {
            w.everywhere.extend(std::mem::take(&mut w.local));
        }
        values.push(std::mem::take(&mut w.local));
        phis.push(own);
    }
    let mut text = head(w.rng, callee, &params, is_kernel, scope);
    for (block, body) in bodies.iter().enumerate() {
        let _ = writeln!(text, "b{block}:");
        for Phi(ty, name) in &phis[block] {
            let mut chosen = std::collections::BTreeMap::new();
            let entries: Vec<String> = preds[block]
                .iter()
                .map(|&pred| {
                    let value = chosen.entry(pred).or_insert_with(|| {
                        w.local.clone_from(&values[pred]);
                        w.value(ty)
                    });
                    format!("[ {value}, %b{pred} ]")
                })
                .collect();
            let _ = writeln!(text, "  {name} = phi {ty} {}", entries.join(", "));
        }
        text.push_str(body);
    }
    text.push_str("}\n\n");
    text
}

fn head(rng: &mut Rng, callee: &Callee, params: &[(Ty, String)], is_kernel: bool, scope: Option<u32>) -> String {
    let list: Vec<String> = params
        .iter()
        .map(|(ty, name)| match ty {
            Ty::Ptr(0) if is_kernel && rng.chance(25) => format!("ptr byval([{} x i32]) align 4 {name}", rng.below(40)),
            Ty::Ptr(_) if rng.chance(25) => format!("{ty} noalias readonly {name}"),
            _ => format!("{ty} {name}"),
        })
        .collect();
    let convention = if is_kernel { "ptx_kernel " } else { "" };
    let linkage = if !is_kernel && rng.chance(50) { "internal " } else { "" };
    let result = callee.result.as_ref().map_or("void".to_owned(), Ty::to_string);
    let attributes = match rng.below(6) {
        0 if is_kernel => " \"nvvm.maxntid\"=\"128\"",
        1 if is_kernel => " \"nvvm.reqntid\"=\"32,4,1\"",
        2 => " convergent",
        3 => " nounwind willreturn",
        _ => "",
    };
    let dbg = scope.map_or(String::new(), |scope| format!(" !dbg !{scope}"));
    format!(
        "define {linkage}{convention}{result} @{}({}){attributes} personality ptr @__gxx_personality_v0{dbg} {{\n",
        callee.name,
        list.join(", ")
    )
}

fn end(rng: &mut Rng, count: usize, is_kernel: bool) -> End {
    if count == 1 {
        return if rng.chance(90) { End::Return } else { End::Unreachable };
    }
    let target = |rng: &mut Rng| 1 + rng.below(count - 1);
    match rng.below(40) {
        0..6 => End::Return,
        6 => End::Unreachable,
        7..15 => End::Jump(target(rng)),
        15..33 => End::Branch([target(rng), target(rng)]),
        33..37 => {
            let width = rng.pick(&[1, 8, 32, 32, 32, 64, 128]);
            let most = if rng.chance(5) { 500 } else { 9 };
            let cases = rng.below(if width == 1 { 3 } else { most.min(200) });
            End::Switch(target(rng), width, (0..cases).map(|_| target(rng)).collect())
        }
        37 => End::Invoke(target(rng)),
        38 => End::Indirect((0..rng.range(1, 4)).map(|_| target(rng)).collect()),
        _ if is_kernel => End::Return,
        _ => End::TailCall,
    }
}

fn finish(w: &mut Writer<'_>, end: &End, callee: &Callee, block: usize) {
    let dbg = w.dbg.clone();
    let result = callee.result.clone();
    let text = match end {
        End::Return => match &result {
            Some(ty) => format!("ret {ty} {}", w.value(ty)),
            None => "ret void".to_owned(),
        },
        End::Unreachable => "unreachable".to_owned(),
        End::Jump(to) => format!("br label %b{to}"),
        End::Branch([a, b]) => {
            let mark =
                w.rng.pick(&["", "", "", ", !unpredictable !{}", ", !prof !{!\"branch_weights\", i32 1, i32 9}"]);
            format!("br i1 {}, label %b{a}, label %b{b}{mark}", w.value(&I1))
        }
        End::Switch(default, width, cases) => {
            let ty = Ty::Int(*width);
            let list: Vec<String> =
                cases.iter().enumerate().map(|(number, to)| format!("{ty} {number}, label %b{to}")).collect();
            format!("switch {ty} {}, label %b{default} [ {} ]", w.value(&ty), list.join(" "))
        }
        End::Invoke(to) => {
            let word = w.value(&I32);
            let _ =
                writeln!(w.out, "  invoke void @may_throw(i32 {word}) to label %b{to} unwind label %catch{block}{dbg}");
            let pad = w.name();
            let _ = writeln!(w.out, "catch{block}:\n  {pad} = landingpad {{ ptr, i32 }} cleanup{dbg}");
            format!("resume {{ ptr, i32 }} {pad}")
        }
        End::Indirect(to) => {
            let list: Vec<String> = to.iter().map(|to| format!("label %b{to}")).collect();
            let address = match w.rng.chance(50) {
                true => format!("blockaddress(@{}, %b{})", callee.name, to[0]),
                false => w.value(&PTR),
            };
            format!("indirectbr ptr {address}, [{}]", list.join(", "))
        }
        End::TailCall => {
            let list: Vec<String> = callee.params.iter().map(|ty| format!("{ty} {}", w.value(ty))).collect();
            let shown = result.as_ref().map_or("void".to_owned(), Ty::to_string);
            let name = w.name();
            let into = if result.is_some() { format!("{name} = ") } else { String::new() };
            let _ = writeln!(w.out, "  {into}musttail call {shown} @{}({}){dbg}", callee.name, list.join(", "));
            if result.is_some() { format!("ret {shown} {name}") } else { "ret void".to_owned() }
        }
    };
    let _ = writeln!(w.out, "  {text}{dbg}");
}

fn debug_information(functions: u32, text: &mut String) {
    text.push_str(
        "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !2, emissionKind: FullDebug)\n\
         !1 = !{i32 2, !\"Debug Info Version\", i32 3}\n!2 = !DIFile(filename: \"odd.cu\", directory: \"/\")\n\
         !3 = !DISubroutineType(types: !4)\n!4 = !{null}\n\
         !5 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n",
    );
    for function in 0..functions {
        let scope = 10 + 3 * function;
        let _ = writeln!(
            text,
            "!{scope} = distinct !DISubprogram(name: \"f{function}\", scope: !2, file: !2, line: 1, type: !3, \
             unit: !0, spFlags: DISPFlagDefinition)\n\
             !{} = !DILocalVariable(name: \"v\", scope: !{scope}, file: !2, line: 2, type: !5)\n\
             !{} = !DILocation(line: 3, column: 5, scope: !{scope})",
            scope + 1,
            scope + 2
        );
    }
}
