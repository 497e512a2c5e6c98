//! Which numbers has the plan of a branch? What is refused, and why, is said by `llvm-tests/fuse`.

use super::plan::Numbers;
use super::*;
use std::cell::RefCell;
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_ir::llvm::remark::{Remark, Said};

/// A module with a kernel `k`, whose body finds the thread's index in `%tid`, and `%in` at that index in `%mine`.
fn kernel(body: &str) -> OwnedModule {
    let text = format!(
        "target datalayout = \"e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n\
         target triple = \"nvptx64-nvidia-cuda\"\n\
         define ptx_kernel void @k(ptr noalias readonly %in, ptr noalias %out, i32 %n) {{\nentry:\n\
         %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
         %mine = getelementptr i32, ptr %in, i32 %tid\n{body}\n}}\n\
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    );
    OwnedModule::from_text(&text, "k").unwrap()
}

/// The text of a side: it loads a value and multiplies it this often by another, the last product is `%name`.
fn products(name: &str, factor: &str, count: usize) -> String {
    let mut text = format!("{name}:\n%{name}.p = getelementptr i32, ptr %mine, i32 {}\n", name.len());
    text += &format!("%{name}.0 = load i32, ptr %{name}.p\n");
    for step in 1..=count {
        text += &format!("%{name}.{step} = mul i32 %{name}.{}, {factor}\n", step - 1);
    }
    text + &format!("%{name}.last = add i32 %{name}.{count}, {step}\nbr label %join\n", step = count)
}

const JOIN: &str = "join:\n%r = phi i32 [ %yes.last, %yes ], [ %other.last, %other ]\nstore i32 %r, ptr %out\nret void";

/// A branch on a condition, made by some instructions, between two sides that end in `join`.
fn diamond(condition: &str, yes: &str, other: &str) -> String {
    format!("{condition}\nbr i1 %c, label %yes, label %other\n{yes}{other}{JOIN}")
}

const ODD: &str = "%bit = and i32 %tid, 1\n%c = icmp eq i32 %bit, 0";

/// The plans and refusals for the branches of a kernel.
fn planned(settings: &Settings, body: &str) -> (Vec<FusePlan>, Vec<FuseReject>) {
    let module = kernel(body);
    let (list, said) = (RefCell::new(Vec::<Remark>::new()), Said::default());
    // somebody listens, so refusals are wanted too
    let host = Host::collecting(&list, &said);
    let module = module.handle();
    let fuse = Fuse::new(settings, None, &host);
    let mut analyses = Analyses::new(module, settings.analysis());
    let work = fuse.look(analyses.of(module.function("k").unwrap()), true).unwrap();
    (work.plans, work.rejects.into_iter().map(|(_, reject)| reject).collect())
}

#[test]
fn alike_sides_of_a_branch_that_splits_are_melded() {
    let body = diamond(ODD, &products("yes", "%n", 12), &products("other", "%n", 12));
    let (plans, rejects) = planned(&Settings::default(), &body);
    assert!(rejects.is_empty());
    let [plan] = &plans[..] else { panic!("{} plans", plans.len()) };
    let Numbers { insts, melded, lifted, guards, selects, sides, saved, added, .. } = plan.numbers;
    // load, products and sum of each side; each address is computed for all lanes, and one of them selected
    assert_eq!((insts, melded, lifted, guards, selects), ([15, 15], 14, 2, 0, 1));
    assert_eq!(sides[0], sides[1], "{}", plan.numbers);
    assert!(saved > added && saved <= sides[0] + plan.numbers.branches, "{}", plan.numbers);
}

/// A side with a loop of so many iterations, whose body a lane enters with the probability of a branch with these weights.
fn looping(name: &str, iterations: u32, weights: [u32; 2]) -> String {
    let profile = if weights[0] == weights[1] { "" } else { ", !prof !0" };
    format!(
        "{name}:\nbr label %{name}.loop\n\
         {name}.loop:\n%{name}.i = phi i32 [ 0, %{name} ], [ %{name}.next, %{name}.latch ]\n\
         %{name}.sum = phi i32 [ 0, %{name} ], [ %{name}.last, %{name}.latch ]\n\
         %{name}.p = getelementptr i32, ptr %mine, i32 %{name}.i\n%{name}.v = load i32, ptr %{name}.p\n\
         %{name}.s = icmp sgt i32 %{name}.v, 0\nbr i1 %{name}.s, label %{name}.body, label %{name}.latch{profile}\n\
         {name}.body:\n%{name}.m = mul i32 %{name}.v, %n\n%{name}.d = udiv i32 %{name}.m, %n\n\
         br label %{name}.latch\n\
         {name}.latch:\n%{name}.t = phi i32 [ %{name}.v, %{name}.loop ], [ %{name}.d, %{name}.body ]\n\
         %{name}.last = add i32 %{name}.sum, %{name}.t\n%{name}.next = add i32 %{name}.i, 1\n\
         %{name}.more = icmp ult i32 %{name}.next, {iterations}\n\
         br i1 %{name}.more, label %{name}.loop, label %join\n"
    )
}

/// The numbers of the plan for two sides with loops.
fn looped(iterations: u32, weights: [u32; 2]) -> Numbers {
    let [yes, other] = ["yes", "other"].map(|name| looping(name, iterations, weights));
    let join = JOIN.replace("%yes ]", "%yes.latch ]").replace("%other ]", "%other.latch ]");
    let profile = format!(
        "}}\n!0 = !{{!\"branch_weights\", i32 {}, i32 {}}}\ndefine void @g() {{\nret void",
        weights[0], weights[1]
    );
    let body = format!("{ODD}\nbr i1 %c, label %yes, label %other\n{yes}{other}{join}\n{profile}");
    let (plans, rejects) = planned(&Settings { always: true, ..Settings::default() }, &body);
    assert_eq!(plans.len(), 1, "{rejects:?}");
    plans[0].numbers
}

#[test]
fn code_in_loops_counts_as_often_as_it_runs() {
    let [few, many] = [4, 400].map(|iterations| looped(iterations, [1, 1]));
    assert_eq!((few.melded, few.insts, few.selects), (many.melded, many.insts, many.selects));
    let ratios = [(few.sides[0], many.sides[0]), (few.saved, many.saved)].map(|(few, many)| many / few);
    assert!(ratios.iter().all(|ratio| (80..=100).contains(ratio)), "{few}, {many}");
}

#[test]
fn blocks_that_few_lanes_reach_count_less() {
    let [half, few] = [[1, 1], [1, 999]].map(|weights| looped(400, weights));
    assert!(few.sides[0] < half.sides[0] && few.saved < half.saved, "{half}, {few}");
    // of 16 lanes, one is as good as certain to take a branch that each takes with a probability of a half
    let [often, half] = [[9, 1], [1, 1]].map(|weights| looped(400, weights));
    assert!(often.sides[0] - half.sides[0] <= often.sides[0] / 1000, "{often}, {half}");
}
