//! Which errors in a kernel are faults, and of which kind? Under both schedulers.

use super::{SCHEDULERS, as_ints, ir, run};
use warpwise_oracle::simt::{Arg, FaultKind, LaunchConfig, LaunchError, Scheduler};

/// Runs a kernel with one pointer argument on a buffer of 64 ints and returns its fault.
pub fn fault(body: &str, threads: u32, scheduler: Scheduler) -> FaultKind {
    let image = ir(body);
    let mut config = LaunchConfig::new([1, 1, 1], [threads, 1, 1]);
    config.scheduler = scheduler;
    config.limits.steps = 100_000;
    config.races.shared = true;
    match run(&image, &config, vec![Arg::Buffer(vec![0; 256])]) {
        Err(LaunchError::Fault(fault)) => fault.kind,
        other => panic!("a fault was expected, not {other:?}"),
    }
}

pub const TID: &str = "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%p = getelementptr i32, ptr %out, i32 %t\n";

pub fn kernel(body: &str) -> String {
    format!("define ptx_kernel void @k(ptr %out) {{\n{TID}{body}\n}}\n")
}

#[test]
fn faults_are_typed() {
    let both = [Scheduler::Lockstep, Scheduler::Independent(1)];
    for scheduler in both {
        let of = |text: &str, threads| fault(text, threads, scheduler);
        assert!(matches!(of(&kernel("store i32 1, ptr %p\nret void"), 65), FaultKind::OutOfBounds { size: 4, .. }));
        assert!(matches!(of(&kernel("store i32 1, ptr null\nret void"), 1), FaultKind::OutOfBounds { .. }));
        let off = "%q = getelementptr i8, ptr %out, i32 %t\nstore i32 1, ptr %q, align 4\nret void";
        assert!(matches!(of(&kernel(off), 2), FaultKind::Misaligned { align: 4, .. }));
        assert_eq!(of(&kernel("%x = udiv i32 7, %t\nret void"), 3), FaultKind::DivisionByZero);
        let least = "%y = sub i32 %t, 1\n%x = sdiv i32 -2147483648, %y\nret void";
        assert_eq!(of(&kernel(least), 1), FaultKind::DivisionOverflow);
        let poison = "%x = add nuw i32 %t, -1\n%c = icmp ugt i32 %x, 3\nbr i1 %c, label %a, label %a\na:\nret void";
        assert_eq!(of(&kernel(poison), 2), FaultKind::Undef { usage: "a branch condition" });
        let uninitialised =
            "%v = alloca i64\n%a = load i64, ptr %v\n%q = inttoptr i64 %a to ptr\nstore i32 1, ptr %q\nret void";
        assert_eq!(of(&kernel(uninitialised), 1), FaultKind::Undef { usage: "an address" });
        assert_eq!(of(&kernel("br label %l\nl:\nbr label %l"), 1), FaultKind::StepLimit { limit: 100_000 });
        assert_eq!(of(&kernel("unreachable"), 1), FaultKind::Unreachable);
        let dead = "%v = alloca i32\ncall void @llvm.lifetime.start.p0(ptr %v)\nstore i32 1, ptr %v\n\
                    call void @llvm.lifetime.end.p0(ptr %v)\nstore i32 2, ptr %v\nret void";
        let declares = "declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)\n";
        assert!(matches!(of(&format!("{declares}{}", kernel(dead)), 1), FaultKind::UseAfterScope { .. }));
        let overrun = "%v = alloca [4 x i32]\n%q = getelementptr i32, ptr %v, i32 4\nstore i32 1, ptr %q\nret void";
        assert!(matches!(of(&kernel(overrun), 1), FaultKind::OutOfBounds { .. } | FaultKind::UseAfterScope { .. }));
        let constant = format!("@c = constant i32 5\n{}", kernel("store i32 1, ptr @c\nret void"));
        assert!(matches!(of(&constant, 1), FaultKind::WriteToConstant { .. }));
        let unknown = format!("declare void @elsewhere()\n{}", kernel("call void @elsewhere()\nret void"));
        assert_eq!(of(&unknown, 1), FaultKind::Unknown { name: "a call of @elsewhere, which has no body here".into() });
        let endless =
            format!("define void @f() {{\ncall void @f()\nret void\n}}\n{}", kernel("call void @f()\nret void"));
        assert_eq!(of(&endless, 1), FaultKind::RecursionLimit { limit: 256 });
        let own = "%r = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 1, i32 %t, i32 0, i32 31)\nret void";
        assert_eq!(of(&kernel(own), 2), FaultKind::SyncNotInMask { lane: 1, mask: 1 });
    }
}

#[test]
fn races_on_shared_memory() {
    let body = |sync: &str| {
        format!(
            "@s = internal addrspace(3) global [64 x i32] undef\n{}",
            kernel(&format!(
                "%a = getelementptr i32, ptr addrspace(3) @s, i32 %t\nstore i32 %t, ptr addrspace(3) %a\n{sync}\n\
                 %u = xor i32 %t, 1\n%b = getelementptr i32, ptr addrspace(3) @s, i32 %u\n\
                 %v = load i32, ptr addrspace(3) %b\nstore i32 %v, ptr %p\nret void"
            ))
        )
    };
    assert!(matches!(fault(&body(""), 64, Scheduler::Lockstep), FaultKind::Race { space: "shared", .. }));
    for sync in
        ["call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", "call void @llvm.nvvm.bar.warp.sync(i32 -1)"]
    {
        let image = ir(&body(sync));
        for scheduler in SCHEDULERS {
            let mut config = LaunchConfig::new([1, 1, 1], [64, 1, 1]);
            config.scheduler = scheduler;
            config.races.shared = true;
            let report = run(&image, &config, vec![Arg::Buffer(vec![0; 256])]).unwrap();
            assert_eq!(as_ints(&report, 0), (0..64).map(|t| t ^ 1).collect::<Vec<_>>());
        }
    }
}

#[test]
fn divergent_barriers_and_absent_lanes() {
    let half = |then: &str| {
        kernel(&format!(
            "%c = icmp ult i32 %t, 16\nbr i1 %c, label %a, label %b\na:\n{then}\nbr label %b\nb:\nstore i32 1, ptr %p\n\
             call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)\nret void"
        ))
    };
    let barrier = half("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)");
    assert_eq!(
        fault(&barrier, 32, Scheduler::Lockstep),
        FaultKind::BarrierDivergence { id: 0, warp: 0, arrived: 0xffff, missing: 0xffff_0000 }
    );
    assert!(matches!(fault(&barrier, 32, Scheduler::Independent(3)), FaultKind::Deadlock { .. }));
    let shuffle = half("%r = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 0, i32 31)");
    let absent = FaultKind::SyncAbsentLane { mask: u32::MAX, absent: 0xffff_0000 };
    assert_eq!(fault(&shuffle, 32, Scheduler::Lockstep), absent);
    assert_eq!(fault(&shuffle, 32, Scheduler::Independent(3)), absent);
    // lanes that have returned are not waited for
    let guard = kernel(
        "%c = icmp ult i32 %t, 16\nbr i1 %c, label %a, label %b\na:\n\
         %r = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 3, i32 31)\nstore i32 %r, ptr %p\n\
         call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\nbr label %b\nb:\nret void",
    );
    let image = ir(&guard);
    for scheduler in SCHEDULERS {
        let config = LaunchConfig { scheduler, ..LaunchConfig::new([1, 1, 1], [32, 1, 1]) };
        let report = run(&image, &config, vec![Arg::Buffer(vec![0; 256])]).unwrap();
        assert_eq!(as_ints(&report, 0)[..17], [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0]);
    }
}

#[test]
fn a_fault_says_where() {
    let image = ir(&kernel("%x = udiv i32 7, %t\nret void"));
    let config = LaunchConfig::new([1, 1, 1], [3, 1, 1]);
    let text = run(&image, &config, vec![Arg::Buffer(vec![0; 256])]).unwrap_err().to_string();
    assert_eq!(text, "division by zero\n  kernel k, block (0,0,0), thread (0,0,0)\n  in k: %x = udiv i32 7, %t");
}

#[test]
fn code_that_relies_on_lockstep_is_caught() {
    // each lane stores, then reads its neighbour without synchronising, which is correct in lockstep only
    let image = ir(&kernel(
        "store volatile i32 %t, ptr %p\n%u = xor i32 %t, 1\n%q = getelementptr i32, ptr %out, i32 %u\n\
         %v = load volatile i32, ptr %q\n%w = add i32 %v, 100\n\
         %r = getelementptr i32, ptr %p, i32 32\nstore i32 %w, ptr %r\nret void",
    ));
    let want: Vec<i32> = (0..32).map(|t| (t ^ 1) + 100).collect();
    let result = |scheduler| {
        let config = LaunchConfig { scheduler, ..LaunchConfig::new([1, 1, 1], [32, 1, 1]) };
        as_ints(&run(&image, &config, vec![Arg::Buffer(vec![0xff; 256])]).unwrap(), 0)[32..].to_vec()
    };
    assert_eq!(result(Scheduler::Lockstep), want);
    assert!((0..4).any(|seed| result(Scheduler::Independent(seed)) != want));
}
