//! Does `warpwise report` contain what a reader needs, for sources and for IR, as text and as JSON?

use crate::common::{KERNEL, cuda_tree, root, stderr, stdout, warpwise};
use std::path::PathBuf;

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

fn report(arguments: &[&str]) -> (bool, String, String) {
    let output =
        warpwise().env("WARPWISE_CUDA", cuda_tree()).args(["report", "--inventory"]).args(arguments).output().unwrap();
    (output.status.success(), stdout(&output), stderr(&output))
}

#[test]
fn source_lines_are_quoted_with_their_class() {
    let path = example("sum_triangle.cu");
    let (fine, text, said) = report(&[path.to_str().unwrap()]);
    assert!(fine, "{said}");
    let line = |part: &str| text.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}:\n{text}"));
    assert!(text.contains("kernel sumTriangle at"), "{text}");
    assert!(line("if (column < n)").contains("divergent"), "{text}");
    assert!(line("int column = threadIdx.x;").contains("affine"), "{text}");
    assert!(line("if (turn % 2)").contains("uniform"), "{text}");
    assert!(text.contains("branch diverges: `threadIdx.x < n` depends on threadIdx.x"), "{text}");
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let sample = readme.split("why the others do:\n\n```\n").nth(1).and_then(|rest| rest.split("```").next());
    for quoted in sample.expect("a sample of the report in README.md").lines() {
        assert!(
            text.contains(quoted.trim_end_matches(" or if …")),
            "README.md quotes '{quoted}', but the report is\n{text}"
        );
    }
}

#[test]
fn unoptimised_sources_are_shown_in_registers() {
    let path = example("avg_square.cu");
    let (fine, text, said) = report(&[path.to_str().unwrap(), "--", "-O0"]);
    assert!(fine, "{said}");
    assert!(text.starts_with("note: compiled without optimisation"), "{text}");
    assert!(text.contains("2, 1 of them diverges"), "{text}");
}

#[test]
fn ptx_is_left_for_the_architecture_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let ptx = folder.path().join("a.ptx");
    let path = example("avg_square.cu");
    let arguments = [path.to_str().unwrap(), "--ptx", ptx.to_str().unwrap(), "--", "--cuda-gpu-arch=sm_80"];
    let (fine, _, said) = report(&arguments);
    assert!(fine, "{said}");
    let text = std::fs::read_to_string(&ptx).unwrap();
    assert!(text.contains(".target sm_80") && !text.contains("sm_90"), "{text}");
}

#[test]
fn json_holds_the_same() {
    let path = example("avg_square.cu");
    let (fine, text, said) = report(&[path.to_str().unwrap(), "--json", "--block", "128"]);
    assert!(fine, "{said}");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let kernel = &json["functions"][0];
    assert_eq!(kernel["name"], "avgSquare");
    assert_eq!(kernel["block"], "128x1x1");
    assert_eq!(kernel["branches"]["divergent"].as_array().unwrap().len(), 1);
    let lines = kernel["lines"].as_array().unwrap();
    assert!(
        lines.iter().any(|line| line["class"] == "affine" && line["text"].as_str().unwrap().contains("threadIdx.x"))
    );
}

#[test]
fn ir_is_reported_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.ll");
    std::fs::write(&path, KERNEL).unwrap();
    let (fine, text, said) = report(&[path.to_str().unwrap()]);
    assert!(fine, "{said}");
    assert!(text.contains("kernel k, block shape unknown") && text.contains("1 of them diverges"), "{text}");
    assert!(text.contains("no source lines"), "{text}");
    assert!(text.contains("every lane writes the same address"), "{text}");
}

const TWICE: &str = "\
template <typename T> __global__ void axpy(T a, const T *x, T *y, int n) {
  int i = threadIdx.x;
  T own[64];
  for (int k = 0; k < 64; ++k)
    own[k] = x[k * n];
  y[i] = a * own[i & 63];
  y[0] = x[i];
}
template __global__ void axpy<float>(float, const float *, float *, int);
template __global__ void axpy<double>(double, const double *, double *, int);
";

#[test]
fn instantiations_are_told_apart_and_cheap_accesses_are_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twice.cu");
    std::fs::write(&path, TWICE).unwrap();
    let (fine, text, said) = report(&[path.to_str().unwrap(), "--function", "axpy< double >"]);
    assert!(fine, "{said}");
    assert!(text.contains("kernel axpy<double> at") && !text.contains("axpy<float>"), "{text}");
    assert!(!text.contains("line 5") && text.contains("every lane writes the same address"), "{text}");
    let stored = text.lines().find(|line| line.contains("y[0] = x[i]")).unwrap();
    assert!(stored.contains("divergent"), "a line that stores what differs: {stored}");
}

#[test]
fn what_to_do_first_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.cu");
    let source = "\
__global__ void slow(float *p, const int *k, int n) {
  __shared__ float tile[32][32];
  int i = threadIdx.x;
  for (int j = 0; j < n; ++j)
    p[i * 8 + j] += p[k[i] + j];
  tile[i][n & 31] = p[i];
  __syncthreads();
  if (i < n) p[i] = tile[n & 31][i];
  int steps = k[i];
  for (int j = 0; j < steps; ++j)
    p[j * 64 + i] = sqrtf(p[i] + j);
}
__global__ void fine(float *p) { p[threadIdx.x] = 0; }
";
    std::fs::write(&path, source).unwrap();
    let run = |more: &[&str]| {
        let output = warpwise().env("WARPWISE_CUDA", cuda_tree()).arg("report").arg(&path).args(more).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let text = run(&[]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "#      share  place                   what                              do");
    assert!(lines[1].contains(" %  k.cu:5  ") && lines[1].contains("let a warp walk it"), "{text}");
    let has = |line: &str, part: &str| lines.iter().any(|one| one.contains(line) && one.contains(part));
    assert!(has("k.cu:10", "lists of unlike length            sort by length"), "{text}");
    assert!(!text.contains("k.cu:8"), "a limit splits one warp of many: {text}");
    assert!(text.contains("--why N") && text.contains("--inventory") && !text.contains("kernel fine"), "{text}");
    let why = run(&["--why", "1"]);
    assert!(why.contains("k.cu:5, ") && why.contains(" % of slow: global load"), "{why}");
    assert!(why.contains("32 sectors per request instead of 4, if warps lie along x"), "{why}");
    // by measured time, kernels that were not launched come last
    let times = folder.path().join("t.json");
    std::fs::write(
        &times,
        r#"{"format": "warpwise-times", "kernels": [{"mangled": "_Z4slowPfPKii", "total_ns": 2e6}]}"#,
    )
    .unwrap();
    let text = run(&["--times", times.to_str().unwrap()]);
    assert!(text.starts_with("#         ms  place") && text.lines().nth(1).unwrap().contains("k.cu:5"), "{text}");
    assert!(run(&["--times", times.to_str().unwrap(), "--why", "1"]).contains(" ms, "), "{text}");
    let json: serde_json::Value = serde_json::from_str(&run(&["--json"])).unwrap();
    assert!(json["todo"][0]["share"].as_f64().unwrap() > 0.1, "{}", json["todo"]);
}

/// What is wrong lies in a header of the user's, inlined from another function of that header.
const SCALE_H: &str = "struct Item { float weight, more[7]; };
__device__ inline float weight_of(const Item *items, int i) {
  return items[i].weight;
}
__device__ inline float own(const Item *items, const int *kinds, int i) {
  float weight = weight_of(items, i);
  if (kinds[i] == 3)
    for (int k = 0; k < i; k++)
      weight = weight * 1.5f + 1;
  return weight;
}
";
const SCALE: &str = "#include \"scale.h\"
extern \"C\" __global__ void scale(float *out, const Item *items, const int *kinds, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = own(items, kinds, i);
}
";

#[test]
fn lines_of_the_users_own_headers_are_named_as_remarks_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scale.cu");
    std::fs::write(&path, SCALE).unwrap();
    std::fs::write(folder.path().join("scale.h"), SCALE_H).unwrap();
    let path = path.to_str().unwrap();
    let flags = ["--", "-Rpass-analysis=warpwise", "-fno-discard-value-names"];
    let ptx = folder.path().join("a.ptx");
    let (fine, text, said) = report(&[&[path, "--ptx", ptx.to_str().unwrap()], &flags[..]].concat());
    assert!(fine, "{said}");
    for (what, line) in [("lanes 32 bytes apart", "scale.h:3"), ("kinds[…] == 3", "scale.h:7")] {
        let remark = said.lines().find(|remark| remark.contains(what)).unwrap_or_else(|| panic!("{what}:\n{said}"));
        assert!(remark.contains(line), "{remark}");
    }
    let first = text.lines().nth(1).unwrap_or_default();
    assert!(first.contains("scale.h:3 ") && first.contains("one array for each member"), "{text}");
    let header = text.split("  in ").find(|part| part.contains("scale.h:\n")).unwrap_or_else(|| panic!("{text}"));
    assert!(header.contains("! branch diverges") && header.contains("if (kinds[i] == 3)"), "{text}");
}

/// Accesses that one change mends, an index from cooperative groups, and a column that is told by `threadIdx.x % 32`.
const USUAL: &str = "#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct P { float x, y, z; };
extern \"C\" __global__ void members(const P *p, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = p[i].x;
  float y = p[i].y;
  float z = p[i].z;
  out[i] = x * x + y * y + z * z;
}
extern \"C\" __global__ void groups(const float *a, float *b, int n) {
  auto grid = cg::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    b[i] = 2 * a[i];
}
extern \"C\" __global__ void columns(float *a) {
  __shared__ float s[32][32];
  s[threadIdx.x % 32][threadIdx.x / 32] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[threadIdx.x / 32][threadIdx.x % 32];
}
extern \"C\" __global__ void merged(const int *a, int *out, int n) {
  int i = a[threadIdx.x];
  while (i < n) {
    if (a[i + 1] == 7)
      break;
    i += a[i + 2];
  }
  out[threadIdx.x] = i;
}
";

#[test]
fn usual_indices_are_understood_without_the_block() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.cu");
    std::fs::write(&path, USUAL).unwrap();
    let (fine, text, said) = report(&[path.to_str().unwrap()]);
    assert!(fine, "{said}");
    let (_, json, _) = report(&[path.to_str().unwrap(), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let actions: Vec<String> = json["todo"].as_array().unwrap().iter().map(|one| one.to_string()).collect();
    let has = |place: &str, what: &str| actions.iter().any(|line| line.contains(place) && line.contains(what));
    assert!(
        has("k.cu:7\"", "4, if the 32-bit index does not wrap and warps lie along x (the same on lines 8, 9)"),
        "{actions:?}"
    );
    assert!(has("k.cu:19\"", "32-way bank conflict: lanes 128 bytes apart, if warps lie along x"), "{actions:?}");
    let loops: Vec<&String> = actions.iter().filter(|line| line.contains("lanes leave the loop")).collect();
    assert!(loops.len() == 1 && loops[0].contains(" (the same on line "), "a loop with two exits: {actions:?}");
    let groups = text.split("kernel groups").nth(1).and_then(|rest| rest.split("kernel columns").next()).unwrap();
    assert!(!text.contains("<< 32") && !groups.contains("unknown distance"), "{groups}");
    assert!(actions.iter().all(|line| !line.contains("groups")), "{actions:?}");
}

/// One kernel for each kind of thing to do.
const KINDS: &str = "\
__device__ int table[512] = {1, 2, 3};
struct Body { float x, y, z, mass; };
__global__ void search(const int *keys, const int *wanted, int *found, int n) {
  int key = wanted[threadIdx.x], low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (keys[middle] < key) low = middle + 1; else high = middle;
  }
  found[threadIdx.x] = low;
}
__global__ void library(double *p) { p[threadIdx.x] = sin(p[threadIdx.x]); }
__global__ void look_up(const unsigned char *p, int *out) { out[threadIdx.x] = table[p[threadIdx.x]]; }
__global__ void transpose(const float *in, float *out, int n) {
  out[threadIdx.x * n + blockIdx.x] = in[blockIdx.x * n + threadIdx.x];
}
__global__ void members(const Body *b, float *out) { out[threadIdx.x] = b[threadIdx.x].x * b[threadIdx.x].mass; }
__global__ void queue(const int *p, int *tail, int *out) {
  if (p[threadIdx.x] > 0) out[atomicAdd(tail, p[threadIdx.x])] = threadIdx.x;
}
__global__ void rows(const float *a, float *sums, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[threadIdx.x * n + k];
  sums[threadIdx.x] = sum;
}
__global__ void lengths(const int *ends, const float *a, float *sums) {
  float sum = 0;
  for (int k = 0; k < ends[threadIdx.x]; ++k) sum += sqrtf(a[k]);
  sums[threadIdx.x] = sum;
}
__global__ void indices(const int *which, const float *a, float *out) {
  out[threadIdx.x] = a[which[threadIdx.x]] + a[which[threadIdx.x + 32]];
}
__global__ void count(const unsigned *p, unsigned *bins) { atomicAdd(&bins[p[threadIdx.x]], 1); }
__device__ int marks[512];
__global__ void mark(const unsigned char *p, int *out) { marks[p[threadIdx.x]] = 1; out[threadIdx.x] = marks[p[threadIdx.x + 32]]; }
__global__ void links(const int *next, int *ends) {
  int at = ends[threadIdx.x];
  while (next[at] >= 0) at = next[at];
  ends[threadIdx.x] = at;
}
__global__ void wheel(const int *p, int *out) {
  int colours[8];
  for (int i = 0; i < 8; ++i) colours[i] = i * i;
  out[threadIdx.x] = colours[p[threadIdx.x] & 7];
}
__global__ void columns(unsigned char *out) { out[threadIdx.x * 4096 + blockIdx.x] = 1; }
__global__ void triples(const float *a, float *sums, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[3 * i];
  sums[threadIdx.x] = sum;
}
__global__ void pairs(const float *a, float *out) { out[threadIdx.x] = a[2 * threadIdx.x - (threadIdx.y & 1)]; }
__device__ unsigned char box[256] = {7, 3, 1};
__global__ void rounds(unsigned char *p) {
  unsigned char state = p[threadIdx.x];
  for (int i = 0; i < 31; ++i) state = box[state ^ i];
  p[threadIdx.x] = state;
}
__global__ void warps(float *out, int n) {
  out[(blockIdx.x * blockDim.x + threadIdx.x) / 32 * n + threadIdx.x % 32] = 1;
}
__global__ void tell(const int *p) { printf(\"%d %d\\n\", p[threadIdx.x], threadIdx.x); }
__global__ void channels(const float *a, float *sums, int n, int m) {
  float sum = 0;
  for (int i = threadIdx.x % 32; i < n; i += 32) sum += a[i * m + blockIdx.x];
  atomicAdd(&sums[blockIdx.x], sum);
}
";

#[test]
fn advice_is_told_apart_and_alike_advice_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("with_a_long_name_for_its_column.cu");
    std::fs::write(&path, KINDS).unwrap();
    let run = |more: &[&str], variable: &str| {
        let mut command = warpwise();
        command.env("WARPWISE_CUDA", cuda_tree()).env("CLICOLOR_FORCE", "1").env(variable, "1");
        let output = command.arg("report").arg(&path).args(more).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let text = run(&[], "NO_COLOR");
    assert!(!text.contains('\x1b') && text.lines().count() <= 10, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 110) && text.contains("…"), "{text}");
    assert!(run(&[], "OTHER").contains("\x1b[1m"), "a terminal with colours");
    for (kernel, place, action) in [
        ("search", ":7", "sort what is searched for"),
        ("look_up", ":12", "copy the table to shared memory"),
        ("transpose", ":14", "swap indices, or copy shared tiles"),
        ("members", ":16", "one array for each member"),
        ("queue", ":18", "reserve slots for a whole warp"),
        ("rows", ":22", "let a warp walk it, lanes side by side"),
        ("lengths", ":27", "sort by length, or a warp for each"),
        ("indices", ":31 ", "sort the list, or renumber the data"),
        ("count", ":33", "count in shared memory, then add"),
        ("mark", ":35", "sort the list, or renumber the data"),
        ("links", ":38", "store them in the order of visits"),
        ("wheel", ":43", "build with warpwise: it is a constant"),
        ("columns", ":46", "swap indices, or copy shared tiles"),
        ("triples", ":49", "lane i to element i, or load vectors"),
        ("pairs", ":52", "lane i to element i, or load vectors"),
        ("rounds", ":55", "copy the table to shared memory"),
        ("warps", ":60", "state the block, or __launch_bounds__"),
        ("channels", ":65", "swap indices, or transpose the array"),
    ] {
        let text = run(&["--function", kernel], "NO_COLOR");
        assert!(text.lines().skip(1).any(|line| line.contains(place) && line.ends_with(action)), "{kernel}: {text}");
    }
    let narrow = run(&["--function", "columns", "--block", "16x16"], "NO_COLOR");
    assert!(narrow.contains("swap indices") && !narrow.contains("32 threads wide"), "{narrow}");
    let nothing = run(&["--function", "library"], "NO_COLOR");
    assert!(nothing.starts_with("nothing to do"), "nobody changes the tables of libdevice: {nothing}");
    let nothing = run(&["--function", "tell"], "NO_COLOR");
    assert!(nothing.starts_with("nothing to do"), "nobody moves the arguments of a printf: {nothing}");
}

#[test]
fn mistakes_are_answered_with_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let bad_ir = write("bad.ll", "define void @f( {\n");
    let host = write("host.ll", "target triple = \"x86_64-linux-gnu\"\n");
    let bad_cuda = write("bad.cu", "__global__ void k( {}\n");
    let good = write("k.ll", KERNEL);
    let openmp = write("pi.c", "int main(void) { return 0; }\n");
    for (arguments, part) in [
        (vec!["/nowhere/x.cu"], "/nowhere/x.cu"),
        (vec!["/nowhere/x.ll"], "/nowhere/x.ll"),
        (vec![bad_ir.as_str()], "bad.ll"),
        (vec![host.as_str()], "NVPTX"),
        (vec![openmp.as_str()], "--offload-device-only"),
        (vec![good.as_str(), "--map", good.as_str()], "it is no warpwise map"),
        (vec![good.as_str(), "--lines", good.as_str(), "--html", "x"], "--print-source cuda,sass"),
        (vec![good.as_str(), "--against", bad_cuda.as_str()], "error:"),
        (vec![good.as_str(), "--times", good.as_str()], "neither times that `warpwise time --json` wrote"),
        (vec![bad_cuda.as_str()], "error:"),
        (vec![good.as_str(), "--function", "nobody"], "'nobody'"),
        (vec![good.as_str(), "--ptx", "x.ptx"], "CUDA sources"),
        (vec![good.as_str(), "--block", "0"], "extent of zero"),
        (vec![good.as_str(), "--why", "7"], "cannot be used with"),
    ] {
        let (fine, _, said) = report(&arguments);
        assert!(!fine && said.contains(part), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}
