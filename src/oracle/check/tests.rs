//! Is every kind of claim really compared? True claims must pass, and a claim that is stronger than the truth must be
//! reported.

use super::claims::{BranchCheck, Expected, FunctionClaims, Reading};
use super::{CheckReport, Checker, ViolationKind};
use crate::simt::{Arg, Inputs, LaunchConfig, Scheduler};
use warpwise_analysis::affine::Scope;
use warpwise_ir::llvm::image::import;
use warpwise_ir::llvm::owned::OwnedModule;

/// A kernel with a loop that lanes leave in different iterations, a guard, a call, and values of every class.
const KERNEL: &str = r#"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

define internal i32 @twice(i32 %x) noinline {
  %y = shl i32 %x, 1
  ret i32 %y
}

define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul i32 %b, %n
  %i = mul i32 %t, %b
  %j = add i32 %i, %row
  %d = call i32 @twice(i32 %b)
  %small = icmp ult i32 %t, 40
  br i1 %small, label %body, label %exit
body:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %next = add nuw nsw i32 %k, 1
  %limit = and i32 %t, 3
  %more = icmp ult i32 %k, %limit
  br i1 %more, label %body, label %after
after:
  %sum = add i32 %k, %j
  %even = icmp eq i32 %d, 2
  br i1 %even, label %yes, label %exit
yes:
  %at = getelementptr i32, ptr %out, i32 %t
  store i32 %sum, ptr %at
  br label %exit
exit:
  ret void
}
"#;

/// Runs the kernel after altering the claims about one function.
fn run(scheduler: Scheduler, function: &str, alter: impl FnOnce(&mut FunctionClaims)) -> CheckReport {
    let module = OwnedModule::from_text(KERNEL, "test").unwrap();
    let image = import(module.handle(), "test");
    let checker = Checker::new(module.handle(), &image);
    let config = LaunchConfig { scheduler, ..LaunchConfig::new([2, 1, 1], [64, 1, 1]) };
    let inputs = Inputs { args: vec![Arg::Buffer(vec![0; 256]), Arg::Value(vec![7, 0, 0, 0])], ..Inputs::default() };
    let (names, mut claims) = checker.claims(&config, &inputs).unwrap();
    alter(claims[image.function(function).unwrap().index()].as_mut().unwrap());
    checker.watch(Some("k"), &config, &inputs, &names, &claims).unwrap()
}

/// The kind of the only violation.
fn kind(report: &CheckReport) -> ViolationKind {
    let kinds: Vec<ViolationKind> = report.violations.iter().map(|v| v.kind).collect();
    assert!(!kinds.is_empty() && kinds.iter().all(|&kind| kind == kinds[0]), "{report}");
    kinds[0]
}

#[test]
fn true_claims_hold_under_both_schedulers() {
    for scheduler in [Scheduler::Lockstep, Scheduler::Independent(1), Scheduler::Independent(2)] {
        let report = run(scheduler, "k", |_| {});
        assert!(report.is_clean(), "{report}");
        assert!(report.compared > 50, "{report}"); // the kernel makes some ninety claims
    }
}

#[test]
fn a_wider_scope_is_told() {
    let report = run(Scheduler::Lockstep, "k", |claims| {
        for check in &mut claims.checks {
            if check.terms.is_empty() && check.expected == (Expected::Same { scope: Scope::Block, align: 0 }) {
                check.expected = Expected::Same { scope: Scope::Grid, align: 0 };
            }
        }
    });
    assert!(report.to_string().contains("uniform grid"), "{report}");
    assert!(report.to_string().contains("block number"), "{report}");
}

#[test]
fn a_wrong_coefficient_number_or_alignment_is_told() {
    let symbolic = run(Scheduler::Lockstep, "k", |claims| {
        let check = claims.checks.iter_mut().find(|c| c.terms.iter().any(|t| !t.symbols.is_empty())).unwrap();
        check.terms[0].coefficient += 1;
    });
    assert_eq!(kind(&symbolic), ViolationKind::Value);
    let number = run(Scheduler::Lockstep, "k", |claims| {
        let check = claims.checks.iter_mut().find(|c| matches!(c.expected, Expected::Number(0))).unwrap();
        check.expected = Expected::Number(1);
    });
    assert_eq!(kind(&number), ViolationKind::Value);
    let align = run(Scheduler::Lockstep, "twice", |claims| {
        for check in &mut claims.checks {
            if let Expected::Same { align, .. } = &mut check.expected {
                *align = 4;
            }
        }
    });
    assert!(align.to_string().contains("low 4 bits not zero"), "{align}");
}

#[test]
fn exactness_is_over_the_integers() {
    // tid.x − 5 is exact only in the signed reading
    let report = run(Scheduler::Lockstep, "k", |claims| {
        let mut check = claims.checks.iter().find(|c| c.reading == Reading::Signed).unwrap().clone();
        assert_eq!(check.terms[0].coefficient, 1);
        check.terms[0].coefficient = 1 - (1 << 32);
        let of_tid = claims.checks.iter_mut().find(|c| c.reading == Reading::Signed).unwrap();
        *of_tid = check;
    });
    assert_eq!(kind(&report), ViolationKind::Value);
}

#[test]
fn arguments_branches_and_blocks_are_compared() {
    let argument = run(Scheduler::Lockstep, "twice", |claims| {
        let range = claims.params[0].checks.clone();
        assert!(!range.is_empty());
        for check in &mut claims.checks[range] {
            check.expected = Expected::Same { scope: Scope::Grid, align: 0 };
        }
    });
    assert_eq!(kind(&argument), ViolationKind::Argument);
    let branch = run(Scheduler::Lockstep, "k", |claims| {
        for branch in &mut claims.branches {
            *branch = BranchCheck { scope: Scope::Grid, ..*branch };
        }
    });
    assert_eq!(kind(&branch), ViolationKind::Branch);
    let convergence = run(Scheduler::Lockstep, "k", |claims| {
        for convergent in &mut claims.convergent {
            convergent.blocks.fill(true);
        }
    });
    assert_eq!(kind(&convergence), ViolationKind::Convergence);
    let unreached = run(Scheduler::Lockstep, "twice", |claims| claims.unreached[0] = 1);
    assert_eq!(kind(&unreached), ViolationKind::Unreached);
}
