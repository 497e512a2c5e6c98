//! Is each module compiled independently of others in the same process, as docs/MAINTAINING.md says?

use std::cell::RefCell;
use warpwise::pipeline::Session;
use warpwise::registry::Pass;
use warpwise::settings::Settings;
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_ir::llvm::remark::{PassManager, Remark};

/// A branch with one side, with a source position.
const KERNEL: &str = "
target triple = \"nvptx64-nvidia-cuda\"

define ptx_kernel void @k(ptr %p) !dbg !4 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !7
  %c = icmp ult i32 %t, 7, !dbg !7
  br i1 %c, label %side, label %join, !dbg !7

side:
  store i32 %t, ptr %p, align 4, !dbg !7
  br label %join, !dbg !7

join:
  ret void, !dbg !7
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: \"clang\", emissionKind: LineTablesOnly)
!1 = !DIFile(filename: \"a.cu\", directory: \"/\")
!3 = !{i32 2, !\"Debug Info Version\", i32 3}
!4 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 1, type: !5, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, column: 1, scope: !4)
";

fn session(options: &[(&str, &str)]) -> Session {
    let mut settings = Settings::default();
    settings.set_option("remarks", "all").expect("a good option");
    for (name, value) in options {
        settings.set_option(name, value).expect("a good option");
    }
    Session::new(settings)
}

/// The remarks of a pass about the kernel, and the resulting IR.
fn run(pass: &str, module: &OwnedModule, session: &Session) -> (Vec<String>, String) {
    let said = RefCell::new(Vec::<Remark>::new());
    let pass = Pass::of_name(pass).expect("a pass");
    let manager = PassManager::collecting(&said, session.said());
    pass.run(module.handle(), "", session, &manager).expect("good parameters");
    let names = said.into_inner().into_iter().map(|remark| remark.name).collect();
    (names, module.handle().print())
}

fn kernel() -> OwnedModule {
    OwnedModule::from_text(KERNEL, "kernel").expect("good IR")
}

#[test]
fn a_second_module_is_told_what_the_first_was() {
    for _ in 0..2 {
        let (names, _) = run("fuse-branches", &kernel(), &session(&[("map", "/no/such/map")]));
        assert_eq!(names, ["MapFile", "NotFusedOneSided"]);
    }
}

#[test]
fn one_module_is_told_once() {
    let (module, session) = (kernel(), session(&[("map", "/no/such/map")]));
    assert_eq!(run("fuse-branches", &module, &session).0.len(), 2);
    assert_eq!(run("fuse-branches", &module, &session).0, Vec::<String>::new());
}

#[test]
fn modules_of_several_threads_keep_apart() {
    let options = |number: usize| match number % 3 {
        0 => vec![("divergence-map", "1"), ("map-name", "a")],
        1 => vec![("off", "")],
        _ => vec![("block", "64"), ("divergence-map", "1"), ("map-name", "b"), ("map-all", "1")],
    };
    let alone: Vec<_> = (0..3).map(|number| run("warpwise", &kernel(), &session(&options(number)))).collect();
    assert!(alone[0] != alone[1] && alone[1] != alone[2] && alone[0] != alone[2]);
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..9).map(|number| scope.spawn(move || run("warpwise", &kernel(), &session(&options(number))))).collect();
        for (number, thread) in threads.into_iter().enumerate() {
            assert_eq!(thread.join().expect("no panic"), alone[number % 3], "thread {number}");
        }
    });
}
