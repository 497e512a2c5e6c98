//! What is planned for the branches of small kernels, and why are others left as they are?

use super::plan::Numbers;
use super::*;
use crate::analyses::testing::kernel;
use crate::llvm::remark::{Remark, Said};
use std::cell::RefCell;

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
fn planned(options: &Options, body: &str) -> (Vec<FusePlan>, Vec<FuseReject>) {
    let module = kernel("", body);
    let (list, said) = (RefCell::new(Vec::<Remark>::new()), Said::default());
    // somebody listens, so refusals are wanted too
    let host = Host::collecting(&list, &said);
    let module = module.handle();
    let kinds = &Kinds::new();
    let mut driver = Driver { module, options, kinds, host: &host, reshapes: false, analysis: None };
    let work = driver.look(module.function("k").unwrap(), false).unwrap().work;
    (work.plans, work.rejects.into_iter().map(|(_, reject)| reject).collect())
}

fn refused(body: &str) -> FuseReject {
    let (plans, rejects) = planned(&Options::default(), body);
    assert!(plans.is_empty(), "{}", plans[0].numbers);
    assert_eq!(rejects.len(), 1);
    rejects[0]
}

#[test]
fn alike_sides_of_a_branch_that_splits_are_melded() {
    let body = diamond(ODD, &products("yes", "%n", 12), &products("other", "%n", 12));
    let (plans, rejects) = planned(&Options::default(), &body);
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
    let (plans, rejects) = planned(&Options::default(), &body);
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

#[test]
fn whatever_can_be_melded_is_on_demand() {
    let options = Options { always: true, ..Options::default() };
    let body = diamond(ODD, &products("yes", "%n", 1), &products("other", "%tid", 1));
    assert_eq!(planned(&options, &body).0.len(), 1);
}
