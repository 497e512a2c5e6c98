//! Kernels for unit tests of plans.

use super::{Analyses, FunctionAnalyses};
use warpwise_analysis::divergence::Options;
use warpwise_ir::llvm::owned::OwnedModule;

/// A module with `k`, a kernel of `%in`, `%out` and `%n` with these attributes. Its body finds the thread's index in
/// `%tid`, and `%in` at that index in `%mine`.
pub fn kernel(attributes: &str, body: &str) -> OwnedModule {
    let text = format!(
        "target datalayout = \"e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n\
         target triple = \"nvptx64-nvidia-cuda\"\n\
         define ptx_kernel void @k(ptr noalias readonly %in, ptr noalias %out, i32 %n) {attributes} {{\n\
         entry:\n\
         %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
         %mine = getelementptr i32, ptr %in, i32 %tid\n{body}\n}}\n\
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
         declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
    );
    OwnedModule::from_text(&text, "k").unwrap()
}

/// Runs a test on what is known of such a kernel.
pub fn with_kernel(attributes: &str, body: &str, test: impl FnOnce(&mut FunctionAnalyses<'_>)) {
    let module = kernel(attributes, body);
    let mut analyses = Analyses::new(module.handle(), Options::default());
    test(analyses.of(module.handle().function("k").unwrap()));
}

/// A body that adds up values in a loop, each made by some instructions whose last result is `%v0`, `%v1`, …
pub fn loop_over(values: usize, made: impl Fn(usize) -> String) -> String {
    let before: String = (0..values).map(|index| made(index) + "\n").collect();
    let sums: String = (0..values)
        .map(|index| match index {
            0 => "%s0 = add i32 %sum, %v0\n".to_owned(),
            _ => format!("%s{index} = xor i32 %s{}, %v{index}\n", index - 1),
        })
        .collect();
    format!(
        "{before}br label %loop\n\
         loop:\n%i = phi i32 [ 0, %entry ], [ %next, %loop ]\n%sum = phi i32 [ 0, %entry ], [ %s{}, %loop ]\n{sums}\
         %next = add i32 %i, 1\n%more = icmp slt i32 %next, %n\nbr i1 %more, label %loop, label %done\n\
         done:\nstore i32 %s{}, ptr %out\nret void",
        values - 1,
        values - 1
    )
}
