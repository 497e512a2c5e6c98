//! Does a report of a whole project survive bad files, continue where it stopped, and depend on its inputs only?

use crate::common::{cuda_tree, stderr, stdout, warpwise};
use std::fs;
use std::path::Path;

const HEADER: &str = "__device__ inline float weight(int i) { return i % 3; }\n";
const ROWS: &str = "\
#include \"weight.h\"
__global__ void rows(float *p, const int *k, int n) {
  float last[8];
  for (int i = 0; i < 8; ++i)
    last[i] = p[threadIdx.x + i];
  if (threadIdx.x < n)
    p[4 * threadIdx.x] = last[k[threadIdx.x] & 7] * weight(n);
}
";
const FINE: &str = "template <int N> __global__ void fine(float *p) { p[threadIdx.x] = N; }\n__global__ void less(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 0; }\ntemplate __global__ void fine<1>(float *);\n";

fn project(folder: &Path) {
    for (name, text) in
        [("weight.h", HEADER), ("rows.cu", ROWS), ("fine.cu", FINE), ("bad.cu", "__global__ void bad( {\n")]
    {
        fs::write(folder.join(name), text).unwrap();
    }
    let entry = |file: &str, command: &str| serde_json::json!({"directory": folder, "file": file, "command": command});
    let commands = serde_json::json!([
        entry("rows.cu", "nvcc -gencode arch=compute_90,code=sm_90 -O3 -I. -Xcompiler -Wall -c rows.cu -o rows.o"),
        entry("bad.cu", "clang++ -x cuda --cuda-gpu-arch=sm_90 -c bad.cu"),
        entry("fine.cu", "clang++ --cuda-gpu-arch=sm_80 -O2 -mllvm -warpwise-block=64 -c fine.cu -o fine.o"),
        entry("host.cpp", "c++ -c host.cpp"),
    ]);
    fs::write(folder.join("compile_commands.json"), commands.to_string()).unwrap();
}

fn report(folder: &Path, arguments: &[&str]) -> String {
    let mut command = warpwise();
    command.current_dir(folder).env("WARPWISE_CUDA", cuda_tree());
    let output = command.args(["report", "--project", "compile_commands.json"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn a_folder_that_cannot_be_written_is_answered_with_the_option_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("compile_commands.json"), "[]").unwrap();
    // a file where the folder would be: root may write anywhere
    fs::write(place.join(".warpwise"), "").unwrap();
    let output = warpwise().args(["report", "--project"]).arg(place).output().unwrap();
    assert!(!output.status.success() && stderr(&output).contains("--cache DIR keeps them elsewhere"), "{output:?}");
}

#[test]
fn a_project_is_ranked_and_bad_files_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    let first = report(folder.path(), &["--jobs", "2", "--html", "pages"]);
    assert!(first.starts_with("compile_commands.json: 3 kernels in 2 files\n"), "{first}");
    assert!(first.contains("1 file could not be looked at:\n  bad.cu: clang cannot compile"), "{first}");
    let page = fs::read_to_string(folder.path().join("pages/index.html")).unwrap();
    let index = document(&page, "index");
    let names: Vec<_> = index["index"]["kernels"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["rows", "less", "fine<1>"]);
    assert!(!page.contains("fine<1>") && index["index"]["failures"][0]["file"] == "bad.cu", "names are no markup");
    let kernel = &index["index"]["kernels"][0];
    assert!(kernel["page"] == "files/0001.html" && kernel["place"]["line"] == 2, "{kernel}");
    assert!(kernel["machine"][1]["registers"].as_u64().unwrap() > 0, "{kernel}");
    let cycles = |at: usize, what: &str| kernel["costs"][at][what].as_f64().unwrap();
    assert!(cycles(0, "sectors") > 0.0 && cycles(0, "local") > 0.0 && cycles(0, "cycles") > cycles(0, "sectors"));
    assert!(cycles(1, "cycles") > 0.0, "with the plugin: {kernel}");
    let statements = kernel["statements"].as_array().unwrap();
    let bound =
        statements.iter().find(|one| one["when"] == "blockDim.x <= n").unwrap_or_else(|| panic!("{statements:?}"));
    assert!(bound["places"][0]["line"] == 6, "{bound}");
    assert_eq!(index["legend"]["NotFusedOneSided"][0], "fuse-branches");
    assert!(page.contains("prefers-color-scheme: dark"));
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http"), "no network: {page}");
    // what the script of a file's page shows
    let page = fs::read_to_string(folder.path().join("pages/files/0001.html")).unwrap();
    let data = document(&page, "files/0001.html");
    assert_eq!(document(&page, "index")["up"], "../index.html");
    let lines = data["functions"][0]["lines"]["rows.cu"].as_array().unwrap();
    let line = lines.iter().find(|line| line["line"] == 7).unwrap();
    assert!(line["request"] == serde_json::json!([4, 16]) && line["registers"].as_u64().unwrap() > 0, "{line}");
    assert!(line["cycles"].as_f64().unwrap() > 0.0 && line["copies"].as_u64().unwrap() > 0, "{line}");
    assert!(data["counts"].is_null(), "nothing was counted");
    assert_eq!(data["files"]["rows.cu"][1], "__global__ void rows(float *p, const int *k, int n) {");
    let details = &data["details"];
    let costly = details["accesses"].as_array().unwrap().iter().find(|access| access["is_costly"] == true).unwrap();
    assert!(costly["sectors"] == 16 && costly["ideal"] == 4 && costly["place"]["line"] == 7, "{costly}");
    assert_eq!(details["locals"][0]["name"], "last");
    let deeds = details["deeds"].as_array().unwrap();
    assert!(deeds.iter().any(|deed| deed["remark"] == "NotFusedOneSided" && deed["place"]["line"] == 6), "{deeds:?}");
    // repeated: with one job, from the cached results, and without them
    assert_eq!(report(folder.path(), &["--jobs", "1"]), first);
    assert_eq!(report(folder.path(), &["--cache", "elsewhere", "--jobs", "1"]), first);
}

/// A document of a page.
fn document(page: &str, id: &str) -> serde_json::Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let text = page.split_once(&start).unwrap_or_else(|| panic!("no {id}: {page}")).1;
    serde_json::from_str(text.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn one_page_holds_all_and_a_build_is_compared_with_another() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    let run = |arguments: &[&str]| {
        let mut command = warpwise();
        command.current_dir(folder.path()).env("WARPWISE_CUDA", cuda_tree()).arg("report").args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    run(&["--project", ".", "--html", "all.html", "--single"]);
    let page = fs::read_to_string(folder.path().join("all.html")).unwrap();
    for (number, file) in ["fine.cu", "rows.cu"].into_iter().enumerate() {
        assert_eq!(document(&page, &format!("files/{number:04}.html"))["title"], file);
    }
    // a line like another and a comment stand above, and one line is rewritten
    let better = ROWS.replace("  float last", "  p[threadIdx.x] = 0;\n  // better\n  float last");
    let better = better.replace("4 * threadIdx.x", "threadIdx.x");
    fs::write(folder.path().join("better.cu"), &better).unwrap();
    let text = run(&["better.cu", "--against", "rows.cu", "--html", "changes.html"]);
    let page = fs::read_to_string(folder.path().join("changes.html")).unwrap();
    let changes = document(&page, "index")["index"]["changes"].as_array().unwrap().clone();
    assert!(text.starts_with("rows  cycles ") && text.lines().count() == changes.len(), "{text}");
    let of = |line: u64| changes.iter().find(|change| change["place"]["line"] == line);
    let cycles = |line: u64| of(line).map(|change| change["figures"][0][1].clone());
    let [rewritten, new] = [9, 3].map(|line| cycles(line).unwrap_or_else(|| panic!("line {line}: {text}")));
    assert!(rewritten[0].as_f64() > rewritten[1].as_f64() && new[0].is_null(), "{text}");
    for change in &changes[1..] {
        // whatever else differs was before where it is now, by its text
        let line = change["place"]["line"].as_u64().unwrap() as usize;
        assert_eq!(change["text"], better.lines().nth(line - 1).unwrap().trim());
    }
    assert_eq!(run(&["rows.cu", "--against", "rows.cu"]), "nothing changed\n");
    let times = r#"{"format": "warpwise-times", "kernels": [{"mangled": "_Z4rowsPfPKii", "total_ns": 2e6}]}"#;
    fs::write(folder.path().join("t.json"), times).unwrap();
    assert!(run(&["rows.cu", "--against", "t.json"]).starts_with("rows  ms 2 → –"));
}

#[test]
fn kept_answers_hold_until_a_header_changes() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    let first = report(folder.path(), &["--json"]);
    let kept = || {
        let files = fs::read_dir(folder.path().join(".warpwise")).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = files.map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
        files.sort();
        files
    };
    let before = kept();
    assert_eq!(before.len(), 2, "an answer for each file that compiles");
    // a cached result is used without looking at the file again
    let (place, bytes) = before.iter().find(|(_, bytes)| String::from_utf8_lossy(bytes).contains("\"less\"")).unwrap();
    fs::write(place, String::from_utf8_lossy(bytes).replace("\"less\"", "\"kept\"")).unwrap();
    assert!(report(folder.path(), &["--json"]).contains("\"kept\""));
    fs::write(place, "broken").unwrap();
    assert_eq!(report(folder.path(), &["--json"]), first, "a broken answer is none");
    fs::write(folder.path().join("weight.h"), HEADER.replace("i % 3", "threadIdx.x < 5 ? i : 0.5f")).unwrap();
    report(folder.path(), &["--json"]);
    assert_ne!(kept(), before, "what depends on the header was looked at again");
}

const PARTED: &str = "\
__global__ void parted(float *p, int n) {
  float v = p[threadIdx.x];
  if (threadIdx.x & 1)
    p[threadIdx.x * 2] = sqrtf(v) / (v + 1);
  else
    p[threadIdx.x * 2] = sqrtf(v + 2) / (v + 3);
  for (int k = 0; k < n; k++)
    p[k * 16 + n] += 1;
}
";

/// What the build does, with its level and its options of the plugin, and nothing else.
#[test]
fn a_report_is_true_to_the_build() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("parted.cu"), PARTED).unwrap();
    fs::write(folder.path().join("k.rsp"), "-gencode arch=compute_90,code=sm_90").unwrap();
    let of = |command: &str| {
        let entry = serde_json::json!([{"directory": folder.path(), "file": "parted.cu", "command": command}]);
        fs::write(folder.path().join("compile_commands.json"), entry.to_string()).unwrap();
        let index: serde_json::Value = serde_json::from_str(&report(folder.path(), &["--json"])).unwrap();
        index["kernels"][0].clone()
    };
    let fused = serde_json::json!({"remark": "BranchFused", "count": 1});
    let is_fused = |command: &str| of(command)["done"].as_array().unwrap().contains(&fused);
    assert!(is_fused("clang++ --cuda-gpu-arch=sm_90 -O3 -c parted.cu"));
    assert!(is_fused("nvcc --options-file k.rsp -O0 -c parted.cu"));
    assert!(!is_fused("clang++ --cuda-gpu-arch=sm_90 -O3 -mllvm -warpwise-fuse=0 -c parted.cu"));
    // what `warpwise nvcc` compiles, clang alone would not
    let source = "__global__ void k(int *p) { p[N] = __nv_atomic_load_n(p, __NV_ATOMIC_RELAXED); }\n";
    fs::write(folder.path().join("parted.cu"), source).unwrap();
    assert_eq!(of("nvcc -arch=sm_90 -DN=3 -c parted.cu")["name"], "k");
    fs::write(folder.path().join("parted.cu"), PARTED).unwrap();
    let kernel = of("clang++ --cuda-gpu-arch=sm_90 -c parted.cu");
    let refused = serde_json::json!([{"remark": "Unoptimised", "count": 1}]);
    assert!(kernel["done"].as_array().unwrap().is_empty() && kernel["refused"] == refused, "{kernel}");
}

#[test]
fn what_cannot_be_looked_at_is_listed_and_nothing_at_all_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("fine.cu"), FINE).unwrap();
    let entry = |command: &str| serde_json::json!({"directory": folder.path(), "file": "fine.cu", "command": command});
    let run = |entries: &[serde_json::Value]| {
        fs::write(folder.path().join("compile_commands.json"), serde_json::json!(entries).to_string()).unwrap();
        // the folder will do
        let mut command = warpwise();
        command.env("WARPWISE_CUDA", cuda_tree()).args(["report", "--project"]).arg(folder.path()).output().unwrap()
    };
    let wrong = entry("nvcc --frobnicate -c fine.cu");
    let both = run(&[wrong.clone(), entry("clang++ -O2 --cuda-gpu-arch=sm_90 -c fine.cu")]);
    assert!(both.status.success() && stdout(&both).contains("nvcc has no flag '--frobnicate'"), "{}", stdout(&both));
    let none = run(&[wrong]);
    assert!(!none.status.success() && stderr(&none).contains("no source of"), "{}", stderr(&none));
    let option = run(&[entry("clang++ -O2 --cuda-gpu-arch=sm_90 -mllvm -warpwise-frob -c fine.cu")]);
    assert!(!option.status.success() && stdout(&option).contains("there is no option -warpwise-frob"));
}

#[test]
fn counts_of_a_map_and_times_of_another_tool_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let source = "__global__ void k(float *p, const int *c, int n) {\n  if (c[threadIdx.x] > n)\n    p[threadIdx.x] = sinf(p[n]);\n  \
                  if (c[threadIdx.x + 32] > 5)\n    p[threadIdx.x] = 2;\n}\n";
    fs::write(place.join("k.cu"), source).unwrap();
    let entry =
        serde_json::json!({"directory": place, "file": "k.cu", "command": "clang++ -O3 --cuda-gpu-arch=sm_90 -c k.cu"});
    fs::write(place.join("compile_commands.json"), serde_json::json!([entry]).to_string()).unwrap();
    // the first branch splits, the second never does
    let run = |arguments: &[&str]| {
        let output = warpwise().current_dir(place).env("WARPWISE_CUDA", cuda_tree()).args(arguments).output().unwrap();
        (output.status.success(), stdout(&output), stderr(&output))
    };
    let counted =
        run(&["simt", "k.cu", "-a", "f32[64]:zero", "-a", "i32[64]:iota", "-a", "i32:7", "--save-map", "k.map"]);
    assert!(counted.0, "{}", counted.2);
    fs::write(
        place.join("ncu.csv"),
        "==PROF== Connected\n\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"us\"\n\
         \"0\",\"k(float *, const int *, int)\",\"1,500\"\n",
    )
    .unwrap();
    let text = report(place, &["--map", "k.map", "--times", "ncu.csv", "--html", "pages"]);
    assert!(!text.contains("k.cu:4  "), "a branch that never split is no advice: {text}");
    let index = document(&fs::read_to_string(place.join("pages/index.html")).unwrap(), "index");
    let kernel = &index["index"]["kernels"][0];
    assert!(kernel["milliseconds"] == 1.5 && kernel["seen"]["never_split"] == 1, "{kernel}");
    let seen = &kernel["seen"];
    assert!(
        seen["reached"] == 2 && seen["places"][0] == "k.cu:4" && seen["splits"] == 1 && seen["visits"] == 2,
        "{seen}"
    );
    assert!(kernel["statements"].to_string().contains("never split in the runs"), "{kernel}");
    let lines = run(&["simt", "k.cu", "-a", "f32[64]:zero", "-a", "i32[64]:iota", "-a", "i32:7", "--lines", "k.csv"]);
    assert!(lines.0, "{}", lines.2);
    assert!(run(&["report", "k.cu", "--map", "k.map", "--lines", "k.csv", "--html", "k.html"]).0);
    let counts =
        &document(&fs::read_to_string(place.join("k.html")).unwrap(), "files/0000.html")["counts"]["_Z1kPfPKii"];
    let branches = counts["branches"].as_object().unwrap();
    assert!(branches.iter().any(|(key, counts)| key.starts_with("k.cu:2:") && counts["splits"] == 1), "{branches:?}");
    let line = &counts["lines"]["k.cu:3"];
    assert!(line["lanes"].as_f64() < Some(32.0 * line["instructions"].as_f64().unwrap()), "{line}");
    assert!(line["sectors"][0].as_f64() > Some(0.0) && line["phases"].is_null(), "{line}");
    for (arguments, part) in
        [(["--map", "ncu.csv"], "ncu.csv"), (["--times", "k.cu"], "neither times that `warpwise time")]
    {
        let (is_good, _, said) = run(&[["report", "--project", "."].as_slice(), &arguments].concat());
        assert!(!is_good && said.contains(part) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn mistakes_are_answered_with_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("none.json"), "[]").unwrap();
    fs::write(folder.path().join("bad.json"), "{").unwrap();
    for (file, part) in [
        ("none.json", "no CUDA source"),
        ("bad.json", "no compilation database"),
        ("x.json", "CMAKE_EXPORT_COMPILE_COMMANDS"),
    ] {
        let output = warpwise().current_dir(folder.path()).args(["report", "--project", file]).output().unwrap();
        assert!(!output.status.success() && stderr(&output).contains(part), "{}", stderr(&output));
    }
}
