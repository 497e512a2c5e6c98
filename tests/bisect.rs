//! Does `scripts/bisect` find the plan that breaks a program, and does it say what is wrong with its input?

use crate::common::{llvm_tool, plugin, root};
use assert_cmd::Command;
use predicates::str::contains;

fn bisect() -> Command {
    Command::new(root().join("scripts/bisect"))
}

/// A command of the shell, given what `scripts/bisect` leaves in its environment.
fn bisect_shell(options: &[&str], line: &str) -> assert_cmd::assert::Assert {
    bisect().args(options).args(["--", "sh", "-c", line]).assert()
}

/// Branches of one kernel; "right" is that the second one is still there.
#[test]
fn the_plan_and_its_remark_are_found() {
    let (opt, plugin) = (llvm_tool("opt"), plugin());
    let file = root().join("llvm-tests/pipeline/limit.ll");
    let file = file.display();
    let line = format!(
        "'{}' '-load-pass-plugin={}' $WARPWISE_OPT -passes='annotate-uniform,fuse-branches<always>' -S '{file}' >\"$0\" && grep -q 'br i1 %div.first' \"$0\"",
        opt.get_program().display(),
        plugin.display()
    );
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.ll");
    let found = bisect().args(["--", "sh", "-c", &line]).arg(&out).assert().success();
    // the first plan annotates, the last branch is fused before the first
    found
        .stdout(contains("plan 3 breaks the program: right with -warpwise-limit=2, wrong with -warpwise-limit=3"))
        .stdout(contains("plan 3 of fuse-branches in kernel two: divergent branch fused:"))
        .stderr(contains("found in"));
}

#[test]
fn a_silent_program_is_searched_too() {
    let found = bisect_shell(&[], "[ $WARPWISE_LIMIT -lt 13 ]").success();
    found.stdout(contains("plan 13 breaks the program")).stdout(contains("showed no remark"));
    bisect_shell(&["--first", "5", "--last=40"], "[ $WARPWISE_LIMIT -lt 13 ]").success().stdout(contains("plan 13"));
}

#[test]
fn bad_input_is_named() {
    for (arguments, sentence) in [
        (&["--first", "x", "true"][..], "--first takes a whole number from 0 to 4294967295, not 'x'"),
        (&["--first"], "--first takes a whole number"),
        (&["--first", "9", "--last", "9", "true"], "--first 9 is not below --last 9"),
        (&["--frob", "true"], "does not know '--frob'"),
        (&["--last", "9"], "no command is given"),
        (&["no-such-command"], "'no-such-command' cannot be started"),
        (&["--", "sh", "-c", "no-such-command"], "the command ends with status 127"),
        (&["false"], "without any plan (limit 0) the program is wrong too"),
        (&["--first", "2", "false"], "with limit 2 the program is wrong already"),
        (&["--last", "2", "true"], "with limit 2 the program is right"),
        (&["true"], "with every plan the program is right"),
    ] {
        bisect().args(arguments).assert().failure().stderr(contains(sentence));
    }
}
