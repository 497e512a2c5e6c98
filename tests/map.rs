//! Do the counters of divergence-map agree with the lockstep machine, do kernels compute the same with them, does a
//! program write them to a map, and does the HTML page work in a browser?
//!
//! CUDA tests need clang 22 and a CUDA tree; the test of the page needs a headless Chromium. Without them a test is
//! skipped (see [`skip`]).

use crate::common::benchmarks::{has_cuda, inputs_of, plain_kernel};
use crate::common::{
    clang_cuda, cuda_tree, is_installed, llvm_tool, plugin, plugin_flag, root, skip, stderr, stdout, warpwise,
};
use std::path::Path;
use warpwise::pipeline::Session;
use warpwise::registry::Pass;
use warpwise_cli::command::cuda;
use warpwise_ir::llvm::image;
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_ir::llvm::remark::PassManager;
use warpwise_oracle::check::recount;
use warpwise_oracle::simt::{
    Arg, DivergenceMap, Inputs, LaunchConfig, LaunchReport, Machine, Scheduler, Tolerance, compare,
};

/// Runs the pass on a copy of the module.
fn counted(module: &OwnedModule, parameters: &str) -> OwnedModule {
    let copy = OwnedModule::from_text(&module.handle().print(), "counted").expect("printed IR parses");
    let pass = Pass::of_name("divergence-map").expect("the pass exists");
    assert_eq!(pass.run(copy.handle(), parameters, &Session::default(), &PassManager::silent()), Ok(true));
    copy.inkwell().verify().unwrap_or_else(|message| panic!("{}", message.to_string_lossy()));
    copy
}

/// Checks that the counted module computes what the original does, and counts what the machine observes.
fn check(name: &str, module: &OwnedModule, kernel: &str, config: &LaunchConfig, inputs: &Inputs, parameters: &str) {
    let plain = image::import(module.handle(), name);
    let after = counted(module, parameters);
    let after = image::import(after.handle(), name);
    let configs: Vec<LaunchConfig> = [Scheduler::Lockstep, Scheduler::Independent(0), Scheduler::Independent(7)]
        .map(|scheduler| LaunchConfig { scheduler, ..*config })
        .to_vec();
    let exact = Tolerance { relative: 0.0, absolute: 0.0 };
    compare(&plain, &after, Some(kernel), &configs, inputs, &[], exact).unwrap_or_else(|e| panic!("{name}: {e}"));
    for config in &configs {
        let machine = Machine::new(&after);
        let mut map = DivergenceMap::default();
        let report: LaunchReport = machine
            .launch(machine.kernel(Some(kernel)).unwrap_or_else(|e| panic!("{name}: {e}")), config, inputs, &mut map)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        recount::compare(&after, &map, &recount::launch_of(config, inputs), &report)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

/// All kernels that differ in their control flow, or one in so many.
fn benchmark_kernels_count(one_in: usize) {
    if !has_cuda() {
        return;
    }
    let root = root().join("benches/gpu/kernels");
    let kernels = warpwise_bench::bundle::descriptions(&root).expect("descriptions are whole");
    // the others differ in their memory
    let of_map = kernels.iter().filter(|(_, d)| d.also.iter().any(|section| section == "map"));
    for (name, description) in of_map.step_by(one_in) {
        let (_folder, ir) = cuda::compile_device_ir(&root.join(format!("{name}.cu")), &[]).expect("clang compiles it");
        let module = OwnedModule::from_file(&ir).expect("clang writes IR");
        let launch = &description.small;
        let mut config = LaunchConfig::new([1, 1, 1], launch.block);
        config.dynamic_shared = launch.shared;
        let kernel = plain_kernel(name);
        check(name, &module, &kernel, &config, &inputs_of(launch), "name=test");
    }
}

#[test]
fn benchmark_kernels_count_what_the_machine_sees() {
    benchmark_kernels_count(8);
}

#[test]
#[ignore = "long"]
fn all_benchmark_kernels_count_what_the_machine_sees() {
    benchmark_kernels_count(1);
}

/// Nested divergence, a loop that lanes leave one by one, a `switch`, early returns, a device function.
const SHAPES: &str = r#"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define internal i32 @helper(i32 %x) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %x
  br i1 %more, label %loop, label %done
done:
  %odd = and i32 %x, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %even, label %out
even:
  ret i32 %i
out:
  ret i32 %x
}
define ptx_kernel void @shapes(ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %row = mul i32 %y, %w
  %t = add i32 %row, %x
  %p = getelementptr i32, ptr %out, i32 %t
  %in = icmp slt i32 %t, %n
  br i1 %in, label %body, label %end
body:
  %turns = and i32 %t, 7
  br label %loop
loop:
  %i = phi i32 [ 0, %body ], [ %next, %latch ]
  %s = phi i32 [ 1, %body ], [ %sum, %latch ]
  %bit = and i32 %s, 3
  switch i32 %bit, label %other [ i32 0, label %zero
                                  i32 1, label %one
                                  i32 2, label %zero ]
zero:
  %z = add i32 %s, 5
  br label %join
one:
  %even = and i32 %t, 2
  %q = icmp eq i32 %even, 0
  br i1 %q, label %left, label %right
left:
  %l = mul i32 %s, 3
  br label %join
right:
  %h = call i32 @helper(i32 %bit)
  %r = add i32 %h, %i
  br label %join
other:
  %leaves = icmp sgt i32 %i, 4
  br i1 %leaves, label %early, label %join
join:
  %sum = phi i32 [ %z, %zero ], [ %l, %left ], [ %r, %right ], [ %s, %other ]
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp ule i32 %next, %turns
  br i1 %more, label %loop, label %after
early:
  store i32 -1, ptr %p
  ret void
after:
  store i32 %sum, ptr %p
  br label %end
end:
  ret void
}
"#;

/// What gives a kernel of these shapes lines.
const LINES_OF_SHAPES: &str = r#"
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !3, emissionKind: FullDebug)
!2 = distinct !DISubprogram(name: "shapes", file: !3, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!3 = !DIFile(filename: "shapes.cu", directory: "")
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 2, scope: !2)
!6 = !DILocation(line: 3, scope: !2)
"#;

/// With few visits between flushes, flushes happen in every loop.
const PARAMETERS: [&str; 4] = ["name=test", "name=test;all", "name=test;flush-after=3", "name=test;flush-after=1;all"];

/// Calls `check_shapes` with every shape of a block and every number of lanes that have work.
fn of_awkward_shapes(mut check_shapes: impl FnMut(&OwnedModule, &LaunchConfig, &Inputs)) {
    let module = OwnedModule::from_text(SHAPES, "shapes").expect("valid IR");
    for block in [[32, 1, 1], [1, 1, 1], [3, 1, 1], [50, 1, 1], [65, 2, 1], [16, 16, 1]] {
        let threads: usize = block.iter().map(|&extent| extent as usize).product();
        for n in [0, 1, 30, 64, threads as u64] {
            let out = Arg::Buffer(vec![0; 4 * threads.max(256)]);
            let inputs = Inputs { args: vec![out, Arg::Value((n as i32).to_le_bytes().to_vec())], globals: Vec::new() };
            check_shapes(&module, &LaunchConfig::new([2, 1, 1], block), &inputs);
        }
    }
}

#[test]
fn awkward_shapes_count_what_the_machine_sees() {
    // one after the other, so that each meets every shape and every number of lanes
    let mut parameters = PARAMETERS.iter().cycle();
    of_awkward_shapes(|module, config, inputs| {
        check("shapes", module, "shapes", config, inputs, parameters.next().expect("there is no end"));
    });
}

#[test]
#[ignore = "long"]
fn awkward_shapes_count_what_the_machine_sees_with_all_parameters() {
    of_awkward_shapes(|module, config, inputs| {
        for parameters in PARAMETERS {
            check("shapes", module, "shapes", config, inputs, parameters);
        }
    });
}

/// A CUDA runtime and driver for a GPU whose memory is the host's, and on which the value of every counter is its own
/// number.
const FAKE_RUNTIME: &str = r#"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static struct { const void *host; const char *name; } vars[16];
static int count;
static uint64_t counters[2 * 16], indexes[4];
static char table[64];
void **__cudaRegisterFatBinary(void *x) { static void *handle; return &handle; }
void __cudaRegisterFatBinaryEnd(void **h) {}
void __cudaUnregisterFatBinary(void **h) { count = 0; }
int __cudaRegisterFunction(void **h, const char *f, char *d, const char *n, int l, void *a, void *b, void *c, void *e,
                           int *w) { return 0; }
void __cudaRegisterVar(void **h, char *host, char *address, const char *name, int e, uint64_t size, int k, int g) {
  if (size != 32 || strncmp(name, "__warpwise_map_", 15)) return;
  vars[count].host = host;
  vars[count++].name = name;
}
int cudaGetSymbolAddress(void **out, const void *symbol) {
  for (int i = 0; i < count; i++)
    if (vars[i].host == symbol) {
      memcpy(table, "WARPTBL3", 8);
      *(uint32_t *)(table + 16) = 2;
      *(uint32_t *)(table + 20) = 16;
      for (int j = 0; j < 32; j++) counters[j] = j;
      indexes[0] = (uint64_t)counters; indexes[1] = (uint64_t)table;
      indexes[2] = sizeof counters; indexes[3] = sizeof table;
      *out = indexes;
      return 0;
    }
  return 13;
}
int cudaDeviceReset(void) { return 0; }
int __cudaPopCallConfiguration(void *a, void *b, void *c, void *d) { return 0; }
int __cudaPushCallConfiguration(void) { return 0; }
/* as the real one: taken down by a handler that is left at the first use */
static void down(void) { count = 0; }
int cudaLaunchKernel(void) { static int used; if (!used++) atexit(down); return 0; }
"#;
const FAKE_DRIVER: &str = r#"
#include <stddef.h>
#include <stdint.h>
#include <string.h>
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d, int n) { *d = n; return 0; }
int cuDevicePrimaryCtxGetState(int d, unsigned *f, int *a) { *f = 0; *a = 1; return 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = c; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { return 0; }
int cuCtxPushCurrent_v2(void *c) { return 0; }
int cuCtxPopCurrent_v2(void **c) { return 0; }
int cuCtxGetDevice(int *d) { *d = 0; return 0; }
int cuCtxSynchronize(void) { return 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) { memcpy(to, (void *)from, n); return 0; }
int cuGetErrorName(int e, const char **n) { *n = "CUDA_ERROR_FAKE"; return 0; }
"#;
const PROGRAM: &str = r#"
extern "C" int warpwise_map_write();
__global__ void k(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= 2; else p[0] = 1; }
int main(int argc, char **) {
  k<<<1, 32>>>(nullptr, 7);
  switch (argc) {
  case 2: __builtin_trap();
  case 3: return warpwise_map_write();
  }
  return 0;
}
"#;

#[test]
fn a_program_brings_its_counters_home() {
    if !has_cuda() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it can be written");
    write("runtime.c", FAKE_RUNTIME);
    write("driver.c", FAKE_DRIVER);
    write("k.cu", PROGRAM);
    write("other.cu", "__global__ void other(int *p) { if (threadIdx.x & 1) p[0] = 1; }");
    let here = |mut command: assert_cmd::Command| {
        command.current_dir(folder.path());
        command
    };
    here(llvm_tool("clang")).args(["-w", "-c", "runtime.c"]).assert().success();
    here(llvm_tool("clang")).args(["-shared", "-fPIC", "driver.c", "-o", "libcuda.so.1"]).assert().success();
    for source in ["k.cu", "other.cu"] {
        let map = ["-mllvm", "-warpwise-profile-generate"];
        here(clang_cuda()).arg(source).arg("-c").arg(plugin_flag()).args(map).assert().success();
    }
    let libraries = plugin().parent().expect("it lies in a folder").to_owned();
    if !libraries.join("libwarpwise_rt.a").is_file() {
        return skip("libwarpwise_rt.a is not built");
    }
    let link = ["k.o", "other.o", "runtime.o", "-lwarpwise_rt", "-o", "app", "-L"];
    here(llvm_tool("clang++")).args(link).arg(&libraries).assert().success();
    let app = |arguments: &[&str], name: &str| {
        let mut app = here(assert_cmd::Command::new(folder.path().join("app")));
        app.args(arguments).env("WARPWISE_MAP", name).env("LD_LIBRARY_PATH", folder.path());
        app.assert()
    };
    let read = |name: &str| {
        let bytes = std::fs::read(folder.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        warpwise_rt::format::Map::decode(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let expected: Vec<u64> = (0..16).map(|word| 2 * (2 * word + 16)).collect();
    app(&[], "end.map").success();
    let map = read("end.map");
    // both units have the same fake table, so their counts are added up
    assert_eq!(map.modules.len(), 1);
    assert_eq!(map.modules[0].counts, expected);
    assert!(map.runs[0].contains("program="));
    app(&["a", "b"], "asked.map").success();
    assert_eq!(read("asked.map").modules, map.modules);
    assert_eq!(read("asked.map.1").modules, map.modules, "the one at the end does not overwrite the first");
    app(&["a"], "trap.map").failure();
    assert_eq!(read("trap.map").modules, map.modules, "a signal's handler writes it too");
    app(&[], "").success();
    // without a driver: a message, and the program's own result
    let output = here(assert_cmd::Command::new(folder.path().join("app"))).output().expect("it runs");
    assert!(output.status.success());
    assert!(stderr(&output).contains("cannot be read from the GPU"), "{}", stderr(&output));
}

#[test]
fn separately_compiled_units_register_too() {
    if !has_cuda() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernel = folder.path().join("k.cu");
    std::fs::write(&kernel, PROGRAM).expect("it can be written");
    let device = folder.path().join("device.cu");
    let text = "__device__ int twice(int x) { if (x & 1) return x; return 2 * x; }";
    std::fs::write(&device, text).expect("it can be written");
    for driver in ["--no-offload-new-driver", "--offload-new-driver"] {
        for source in [&kernel, &device] {
            let mut clang = clang_cuda();
            clang.arg(source).args(["-fgpu-rdc", driver, "-c", "-o"]).arg(source.with_extension("o"));
            clang.arg(plugin_flag()).args(["-mllvm", "-warpwise-profile-generate"]).assert().success();
            let output = llvm_tool("llvm-nm").arg(source.with_extension("o")).output().expect("llvm-nm runs");
            assert!(stdout(&output).contains("__warpwise_map_register"), "{driver}, {}", source.display());
        }
    }
    let _ = cuda_tree();
}

/// A map of the awkward kernels, as a run with counters leaves it.
fn sample_map(folder: &Path, text: &str) -> std::path::PathBuf {
    let module = OwnedModule::from_text(text, "shapes").expect("valid IR");
    let path = folder.join("counted.ll");
    std::fs::write(&path, counted(&module, "name=test").handle().print()).expect("it can be written");
    let map = folder.join("shapes.map");
    let mut simt = warpwise();
    simt.arg("simt").arg(&path).args(["-k", "shapes", "--grid", "2", "--block", "65,2", "-a", "i32[256]:zero"]);
    simt.args(["-a", "i32:100", "--recount", "--save-map"]).arg(&map).assert().success();
    map
}

#[test]
fn maps_are_shown_added_up_and_compared() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let map = sample_map(folder.path(), SHAPES);
    let run = |arguments: &[&str]| {
        let mut command = warpwise();
        command.current_dir(folder.path()).arg("map").args(arguments);
        command.output().expect("it runs")
    };
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&stdout(&run(arguments))).expect("valid JSON")
    };
    let shown = stdout(&run(&["show", "shapes.map"]));
    assert!(shown.contains("shapes") && shown.contains("of all splits"), "{shown}");
    assert!(run(&["merge", "shapes.map", "shapes.map", "-o", "two.map"]).status.success());
    let (one, two) = (json(&["json", "shapes.map"]), json(&["json", "two.map"]));
    assert_eq!(two["branches"][0]["splits"].as_u64(), one["branches"][0]["splits"].as_u64().map(|n| 2 * n));
    assert_eq!(two["runs"].as_array().map(Vec::len), Some(2));
    assert!(stdout(&run(&["diff", "shapes.map", "two.map"])).contains("shapes"));

    // a file that is not a map, or a damaged one, is rejected with a message, and a bad input leaves the output alone
    let bytes = std::fs::read(&map).expect("it was written");
    std::fs::write(folder.path().join("cut.map"), &bytes[..bytes.len() / 2]).expect("it can be written");
    std::fs::write(folder.path().join("foreign.map"), "ELF or so").expect("it can be written");
    let mut mended = warpwise_rt::format::Map::decode(&bytes).expect("a map");
    mended.modules[0].counts.pop();
    std::fs::write(folder.path().join("short.map"), mended.encode()).expect("it can be written");
    std::fs::write(folder.path().join("map.json"), serde_json::to_string_pretty(&one).unwrap())
        .expect("it can be written");
    let sentences = [
        ("cut.map", "cut off"),
        ("foreign.map", "no warpwise map"),
        ("map.json", "it is JSON, which holds less than a map; give the map file that it was made from"),
        ("short.map", "counters"),
        ("gone.map", "read"),
    ];
    for (name, sentence) in sentences {
        let output = run(&["merge", "shapes.map", name, "-o", "two.map"]);
        assert!(!output.status.success() && stderr(&output).contains(sentence), "{name}: {}", stderr(&output));
    }
    assert_eq!(json(&["json", "two.map"]), two);
}

#[test]
fn the_page_works_in_a_browser() {
    let browser = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| is_installed(name));
    let Some(browser) = browser else {
        return skip("there is no Chromium here");
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    // two branches have a line, the others none
    let text = SHAPES.replace("ptr %out, i32 %n) {", "ptr %out, i32 %n) !dbg !2 {");
    let text = text.replace("label %body, label %end", "label %body, label %end, !dbg !5");
    let text = text.replace("label %left, label %right", "label %left, label %right, !dbg !6") + LINES_OF_SHAPES;
    let map = sample_map(folder.path(), &text);
    std::fs::write(folder.path().join("shapes.cu"), "kernel\nfirst\nsecond\n").expect("it can be written");
    let page = folder.path().join("page.html");
    warpwise().current_dir(folder.path()).args(["map", "html"]).arg(&map).arg("-o").arg(&page).assert().success();
    // a second script simulates the user: it clicks, sorts and searches, and records what it sees
    let person = r##"<script>
      const note = (name, value) => { document.documentElement.dataset[name] = String(value); };
      const rows = () => [...document.querySelectorAll("#tables tbody tr")];
      note("bars", document.querySelectorAll("#picture .bars > button").length > 0);
      document.querySelector("#picture .bars > button").click();
      fromAddress();
      note("count", rows().length);
      const head = [...document.querySelectorAll("#tables th")].find(head => head.textContent === "splits");
      const figures = () => rows().map(row => Number(row.children[head.cellIndex].textContent));
      head.click();
      note("descending", figures().every((n, i, all) => !i || all[i - 1] >= n));
      head.click();
      note("ascending", figures().every((n, i, all) => !i || all[i - 1] <= n));
      rows().find(row => !row.textContent.includes("shapes.cu")).click();
      note("block", !!document.querySelector("svg .box.marked"));
      rows().find(row => row.textContent.includes("shapes.cu")).click();
      note("clicked", !!document.querySelector("#source .marked") && !!document.querySelector("svg .box.marked"));
      const heads = [...document.querySelectorAll("#source .cols span")].map(head => head.firstChild.textContent);
      note("columns", ["visits", "split", "lanes"].every(name => heads.includes(name)) && !heads.includes("cycles"));
      const search = document.querySelector("#tables input");
      search.value = "helper"; search.dispatchEvent(new Event("input"));
      note("found", rows().length);
      search.value = "no such branch"; search.dispatchEvent(new Event("input"));
      note("none", rows().length);
    </script>"##;
    let text = std::fs::read_to_string(&page).expect("it was written").replace("</body>", &format!("{person}</body>"));
    std::fs::write(&page, text).expect("it can be written");
    let output = std::process::Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update"])
        .args(["--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    let dom = stdout(&output);
    let expected = [
        ("count", "7"),
        ("descending", "true"),
        ("ascending", "true"),
        ("clicked", "true"),
        ("block", "true"),
        ("bars", "true"),
        ("columns", "true"),
        // two branches of the function, and one that is divergent because of what it returns
        ("found", "3"),
        ("none", "0"),
    ];
    for (name, value) in expected {
        assert!(
            dom.contains(&format!("data-{name}=\"{value}\"")),
            "{name} should be {value}: {}",
            &dom[..400.min(dom.len())]
        );
    }
}
