//! What is planned for the branches of small kernels, and why are others left as they are?

use super::plan::Numbers;
use super::*;
use crate::analyses::testing::kernel;
use std::cell::RefCell;
use warpwise_ir::llvm::remark::{Remark, Said};

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
    let module = kernel("", body);
    let (list, said) = (RefCell::new(Vec::<Remark>::new()), Said::default());
    // somebody listens, so refusals are wanted too
    let host = Host::collecting(&list, &said);
    let module = module.handle();
    let fuse = Fuse::new(settings, None, &host);
    let mut analyses = Analyses::new(module, settings.analysis());
    let work = fuse.look(analyses.of(module.function("k").unwrap()), true).unwrap();
    (work.plans, work.rejects.into_iter().map(|(_, reject)| reject).collect())
}

fn refused(body: &str) -> FuseReject {
    let (plans, rejects) = planned(&Settings::default(), body);
    assert!(plans.is_empty(), "{}", plans[0].numbers);
    assert_eq!(rejects.len(), 1);
    rejects[0]
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

#[test]
fn uniform_branches_are_no_candidates() {
    let condition = "%c = icmp eq i32 %n, 0";
    let body = diamond(condition, &products("yes", "%n", 12), &products("other", "%n", 12));
    let (plans, rejects) = planned(&Settings::default(), &body);
    assert!(plans.is_empty() && rejects.is_empty());
}

#[test]
fn sides_without_a_common_instruction() {
    let other = "other:\n%other.last = load i32, ptr %mine\nbr label %join\n";
    let yes = "yes:\n%yes.last = mul i32 %tid, %n\nbr label %join\n";
    assert_eq!(refused(&diamond(ODD, yes, other)), FuseReject::NothingAlike([1, 1]));
}

#[test]
fn one_side_alone() {
    let yes = products("yes", "%n", 12);
    let join = "join:\n%r = phi i32 [ %yes.last, %yes ], [ 0, %entry ]\nstore i32 %r, ptr %out\nret void";
    assert_eq!(refused(&format!("{ODD}\nbr i1 %c, label %yes, label %join\n{yes}{join}")), FuseReject::OneSided);
}

#[test]
fn barriers_are_obstacles() {
    let waits = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\nbr label %join\n";
    let sides = ["yes", "other"].map(|name| products(name, "%n", 12).replace("br label %join\n", waits));
    let found = refused(&diamond(ODD, &sides[0], &sides[1]));
    assert!(matches!(found, FuseReject::Obstacle(_, legality::Obstacle::Convergent)), "{found:?}");
}

#[test]
fn few_alike_instructions_do_not_pay() {
    let found = refused(&diamond(ODD, &products("yes", "%n", 1), &products("other", "%tid", 1)));
    assert!(matches!(found, FuseReject::Unprofitable(_) | FuseReject::Risky(_)), "{found:?}");
}

#[test]
fn a_threshold_splits_one_warp_of_a_block() {
    let [yes, other] = ["yes", "other"].map(|name| products(name, "%n", 12).replace("%mine", "%in"));
    // what the other side would have to execute too makes a warp that does not split pay
    let yes = yes.replace("%yes.last = add", "%yes.more = udiv i32 %yes.1, %tid\n%yes.last = add");
    let found = refused(&diamond("%c = icmp ult i32 %tid, %n", &yes, &other));
    assert!(matches!(found, FuseReject::RarelySplits(..)), "{found:?}");
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

#[test]
fn whatever_can_be_melded_is_on_demand() {
    let settings = Settings { always: true, ..Settings::default() };
    let body = diamond(ODD, &products("yes", "%n", 1), &products("other", "%tid", 1));
    assert_eq!(planned(&settings, &body).0.len(), 1);
}
