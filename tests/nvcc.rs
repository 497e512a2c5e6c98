//! Does `warpwise nvcc` build what nvcc's command lines build? Objects, programs, libraries, device code in all forms.

use crate::common::{cuda_tree, root, stderr, stdout, warpwise};
use std::fs;
use std::path::Path;
use std::process::Output;

mod simd;

const KERNEL: &str = "\
#include <cstdio>
__global__ void scale(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2.0f; }
#ifndef NO_MAIN
int main() { scale<<<1, 32>>>(nullptr, 0); std::printf(\"here\\n\"); return 0; }
#endif
";

/// Runs `warpwise nvcc LINE` in a folder.
fn nvcc(folder: &Path, line: &str) -> Output {
    let words = line.split_whitespace();
    warpwise().arg("nvcc").args(words).current_dir(folder).env("WARPWISE_CUDA", cuda_tree()).output().unwrap()
}

fn builds(folder: &Path, line: &str) {
    let output = nvcc(folder, line);
    assert!(output.status.success(), "nvcc {line}: {}", stderr(&output));
    assert_eq!(stderr(&output), "", "nvcc {line}");
}

fn runs(program: &Path) -> String {
    let output = std::process::Command::new(program).output().unwrap();
    assert!(output.status.success());
    stdout(&output)
}

#[test]
fn programs_of_one_command_and_of_many() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("a.cu"), KERNEL).unwrap();
    fs::write(place.join("b.cpp"), "#include <cuda_runtime.h>\nint other() { return cudaDeviceReset() * 0; }\n")
        .unwrap();
    builds(place, "-std=c++17 -Xcompiler -Wall,-fno-gnu-unique -arch=sm_90 -O3 a.cu b.cpp -o once");
    assert_eq!(runs(&place.join("once")), "here\n");
    builds(place, "-arch=sm_90 -O2 -c a.cu");
    builds(place, "-O2 -x cu -arch sm_90 -c b.cpp -o b.o");
    builds(place, "-arch=sm_90 a.o b.o -o twice -lm");
    assert_eq!(runs(&place.join("twice")), "here\n");
    builds(place, "-arch=sm_90 -lib a.cu b.cpp -o both.a");
    builds(place, "both.a -o thrice");
    assert_eq!(runs(&place.join("thrice")), "here\n");
    let run = nvcc(place, "-arch=sm_90 -run a.cu -o fourth");
    assert_eq!(stdout(&run), "here\n");
}

#[test]
fn warnings_are_those_of_nvcc_and_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let source = "#include <algorithm>\n#include <vector>\n__global__ void k(int *p, int n) {\n  int unused = 3;\n\
                  #pragma unroll(8)\n  for (int i = 0; i < n; i++) p[i]++;\n}\n\
                  void sort(std::vector<int> &v) { std::stable_sort(v.begin(), v.end()); }\n\
                  struct Pairs { Pairs() {} int first[2]; private: int second = 3; };\n\
                  int vla(int n) { int all[n]; all[0] = n; auto f = [n] { return 1; }; return all[0] + f(); }\n";
    fs::write(place.join("a.cu"), source).unwrap();
    let warnings = |line: &str| stderr(&nvcc(place, line)).matches("warning:").count();
    assert_eq!(warnings("-arch=sm_90 -c a.cu"), 0);
    assert_eq!(warnings("-arch=sm_90 -Xcompiler -Wall -c a.cu"), 1, "the unused variable");
    assert_eq!(warnings("-arch=sm_90 -Xcompiler -Wall -ptx a.cu"), 1);
    assert_eq!(warnings("-arch=sm_90 -Xcompiler -Wall,-Wunused-private-field -c a.cu"), 2, "what is asked for");
}

#[test]
fn a_missing_openmp_library_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("a.cu"), format!("#include <omp.h>\n{KERNEL}")).unwrap();
    let output = nvcc(place, "-Xcompiler -fopenmp -arch=sm_90 a.cu -o parallel");
    let is_missing = "clang finds no libomp.so: install it (Debian: libomp-22-dev)";
    assert!(output.status.success() != stderr(&output).contains(is_missing), "{}", stderr(&output));
}

#[test]
fn device_code_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("a.cu"), KERNEL).unwrap();
    builds(place, "-arch=sm_90 -ptx a.cu");
    assert!(fs::read_to_string(place.join("a.ptx")).unwrap().contains(".entry _Z5scalePfi"));
    builds(place, "-arch=sm_90 -cubin a.cu -o x.cubin");
    assert_eq!(&fs::read(place.join("x.cubin")).unwrap()[..4], b"\x7fELF");
    builds(place, "-gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=[sm_90,compute_90] -fatbin a.cu");
    assert_eq!(fs::read(place.join("a.fatbin")).unwrap()[..4], 0xBA55_ED50_u32.to_le_bytes());
    builds(place, "-E -arch=sm_90 a.cu -o a.ii");
    assert!(fs::read_to_string(place.join("a.ii")).unwrap().contains("scale"));
    builds(place, "-MD -MF a.d -arch=sm_90 -dc a.cu -o a.o");
    assert!(fs::read_to_string(place.join("a.d")).unwrap().contains("a.cu"));
    let list = nvcc(place, "-MM a.cu");
    assert!(stdout(&list).starts_with("a.o: a.cu"), "{}", stdout(&list));
}

#[test]
fn what_nvcc_declares_is_declared() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let source = "\
#include <algorithm>
using namespace std;
__host__ __device__ int both(int a, unsigned b) { return max(a, 3) + min((unsigned)a, b); }
__global__ void k(int *p, const int *q, double *d, size_t n) {
  p[0] = __nv_atomic_load_n(q, __NV_ATOMIC_RELAXED) + both(p[1], 7u) + (int)max(n, (size_t)3);
  __nv_atomic_store_n(p + 1, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  d[0] = nan(\"\") + max(1.0f, d[1]);
  __stcs(d + 2, __ldca(d + 3));
  p[2] = __vadd4(p[3], p[4]) + __vimin3_u32(p[5], p[6], p[7]);
}
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1300 || !defined __CUDACC_EXTENDED_LAMBDA__
#error what asks for the version of nvcc
#endif
int main() {
  size_t n = 3; long m = 4; unsigned u = 2;
  printf(\"%u %lu %g %d %d\\n\", max(u, 1), min(m, n), max(1.0f, 2.5), std::max(1, 2), both(-1, 2u));
  volatile float most = RAND_MAX;
  if (!isfinite(most) || isnan(1.0) || clock() < 0) return 1;
  return 0;
}
";
    fs::write(place.join("a.cu"), source).unwrap();
    fs::write(place.join("b.c"), "int other(void) { return 0; }\n").unwrap();
    // names in headers that nvcc does not include; and nvcc's host compilers say nothing of arrays of variable length,
    // or of RAND_MAX as a float
    builds(place, "-DN=1024 -D X=1 -DY -Dnum=2 -Dtop=3 -DBits=4 --m64 -arch=sm_90 -MD -c a.cu");
    let list = fs::read_to_string(place.join("a.d")).unwrap();
    assert_eq!(list.matches("cuda.h").count(), 1, "{list}");
    builds(place, "-std=c++17 -arch=sm_90 -O3 -restrict a.cu b.c -o a");
    assert_eq!(runs(&place.join("a")), "2 3 2.5 2 5\n");
    builds(place, "-arch=sm_90 -ptx a.cu");
    let code = fs::read_to_string(place.join("a.ptx")).unwrap();
    assert!(code.contains("ld.relaxed.sys") && code.contains("st.release.sys"), "{code}");
    assert!(code.contains("ld.global.ca.f64") && code.contains("st.global.cs.f64"), "{code}");
    let report = warpwise().args(["report", "a.cu"]).current_dir(place).env("WARPWISE_CUDA", cuda_tree()).output();
    assert!(report.as_ref().unwrap().status.success(), "{}", stderr(&report.unwrap()));
    // the fast functions of libdevice are called for all that nvcc has them for
    let fast = "__global__ void k(float *p) { *p = powf(p[0], p[1]) + expf(p[2]) + tanf(p[3]) + log10f(p[4]) + exp10f(p[5]); }\n";
    fs::write(place.join("f.cu"), fast).unwrap();
    builds(place, "-arch=sm_90 -use_fast_math -ptx f.cu");
    let code = fs::read_to_string(place.join("f.ptx")).unwrap();
    assert_eq!((code.matches("ex2.approx.ftz").count(), code.matches("lg2.approx.ftz").count()), (3, 2), "{code}");
    assert!(!code.contains("setp"), "{code}");
    // the header is temporary: no list of dependencies names it
    for (line, list) in [("-MD -MP -c a.cu", "a.d"), ("-MD -MF x.d -c a.cu", "x.d"), ("-MMD -c a.cu -o y.o", "y.d")] {
        builds(place, &format!("-arch=sm_90 {line}"));
        let text = fs::read_to_string(place.join(list)).unwrap();
        assert!(text.contains("a.cu") && !text.contains("warpwise_nvcc.h"), "{text}");
    }
}

#[test]
fn relocatable_device_code_is_linked_at_once_and_by_another_linker() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("f.cu"), "__device__ int twice(int i) { return 2 * i; }\n").unwrap();
    let main =
        "__device__ int twice(int);\n__global__ void k(int *p) { *p = twice(*p); }\nint main() { k<<<1, 1>>>(0); }\n";
    fs::write(place.join("m.cu"), main).unwrap();
    builds(place, "-arch=sm_90 -rdc=true f.cu m.cu -o once");
    runs(&place.join("once"));
    builds(place, "-arch=sm_90 -dc f.cu m.cu");
    builds(place, "-arch=sm_90 f.o m.o -o twice");
    runs(&place.join("twice"));
    // an object without code of its own, if there is nothing to link
    builds(place, "-arch=sm_90 -c f.cu -o whole.o");
    builds(place, "-arch=sm_90 -dlink whole.o -o empty.o");
    builds(place, "-arch=sm_90 -dlink f.o m.o -o link.o");
    let cuda = cuda_tree();
    let mut cxx = std::process::Command::new("c++");
    cxx.current_dir(place).args(["f.o", "m.o", "link.o", "empty.o", "-o", "thrice"]);
    for folder in ["lib64", "lib"] {
        cxx.arg(format!("-L{}", cuda.join(folder).display()));
    }
    let output = cxx.args(["-lcudart_static", "-ldl", "-lrt", "-lpthread"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    runs(&place.join("thrice"));
}

#[test]
fn what_clang_refuses_falls_back_object_for_object() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("bad.cu"), "#ifdef __clang__\n#error only nvcc\n#endif\n").unwrap();
    let refused = nvcc(place, "-c bad.cu");
    assert!(!refused.status.success() && !place.join("bad.o").exists());
    assert!(stderr(&refused).contains("nvcc compiles with --fallback"));
    assert!(!stderr(&refused).contains("libomp"));
    assert!(stderr(&nvcc(place, "-Xcompiler -fopenmp -c bad.cu")).contains("libomp-22-dev"));
    // only a warning, which `-w` hides, would say that a kernel gets an address of the host; a report only looks
    fs::write(place.join("managed.cu"), "__managed__ int sum;\n__global__ void add(int n) { sum += n; }\n").unwrap();
    assert!(stderr(&nvcc(place, "-w -c managed.cu")).contains("clang has no __managed__ variables"));
    let mut report = warpwise();
    report.args(["report", "managed.cu", "--", "-w"]).current_dir(place).env("WARPWISE_CUDA", cuda_tree());
    let output = report.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    // replaces the real nvcc: records how it was called
    let real = place.join("real-nvcc");
    fs::write(&real, "#!/bin/sh\necho \"$@\" > called; for last; do :; done; : > \"$last\"\n").unwrap();
    std::process::Command::new("chmod").args(["+x"]).arg(&real).status().unwrap();
    let output = nvcc(place, "--fallback --nvcc ./real-nvcc -O2 -Xcompiler -Wall -c bad.cu -o out.o");
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(
        said.contains("bad.cu is compiled by nvcc, because clang refused it") && said.contains("only nvcc"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(place.join("called")).unwrap(), "-O 2 -Xcompiler -Wall -c bad.cu -o out.o\n");
    assert!(place.join("out.o").exists());
}

#[test]
fn square_roots_are_as_exact_as_with_nvcc() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("a.cu"), "__global__ void k(float *p) { *p = sqrtf(*p); }\n").unwrap();
    let flags = ["", "-use_fast_math", "-use_fast_math -prec-sqrt=true", "-prec-sqrt=false"];
    for (flags, root) in flags.into_iter().zip(["rn.f32", "approx.ftz.f32", "rn.ftz.f32", "approx.f32"]) {
        builds(place, &format!("-arch=sm_90 {flags} -ptx a.cu -o a.ptx"));
        let ptx = fs::read_to_string(place.join("a.ptx")).unwrap();
        assert!(ptx.contains(&format!("sqrt.{root}")), "{flags}: {ptx}");
    }
}

/// Why public programs did not build: what is not mended is compiled by nvcc itself.
#[test]
fn causes_seen_in_programs_are_mended_or_fall_back() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let kernel = "__global__ void k(float *p)";
    for (name, source, is_mended) in [
        // a table that is too large for constant memory
        (
            "table",
            format!("const __device__ float t[200000] = {{1}};\n{kernel} {{ *p = t[threadIdx.x * 9]; }}\n"),
            true,
        ),
        // a header of the program that defines again what CUDA's do
        (
            "macro",
            format!(
                "#include <math.h>\n#undef __device__\n#define __device__ __attribute__((device))\n__device__ float f() {{ return 1; }}\n{kernel} {{ *p = f(); }}\n"
            ),
            true,
        ),
        ("only", format!("#ifdef __NVCC__\n#define N 4\n#endif\n{kernel} {{ *p = N; }}\n"), false),
        (
            "void",
            format!(
                "struct V {{ float v; __device__ void operator=(int i) {{ v = i; }} __device__ void operator=(float f) {{ v = f; }} }};\n#include <cuda_fp16.h>\n{kernel} {{ half2 h; h = {{}}; *p = __low2float(h); }}\n"
            ),
            false,
        ),
    ] {
        fs::write(place.join(format!("{name}.cu")), source).unwrap();
        let output = nvcc(place, &format!("-arch=sm_90 -c {name}.cu"));
        assert_eq!(output.status.success(), is_mended, "{name}: {}", stderr(&output));
        if !is_mended {
            assert!(stderr(&output).contains("--fallback"), "{name}: {}", stderr(&output));
            let output = nvcc(place, &format!("--fallback -arch=sm_90 -c {name}.cu"));
            assert!(output.status.success(), "{name}: {}", stderr(&output));
        }
        assert!(place.join(format!("{name}.o")).exists());
    }
}

/// Stands for the CUDA runtime: says which kernel each launch is of, by the address under which it was registered.
const RUNTIME: &str = r#"
#include <cstdio>
#include <cstring>
struct dim3 { unsigned x, y, z; };
static const void *keys[64]; static const char *names[64]; static int count; static int handle; static bool pushed;
static const char *find(const void *key) {
  for (int i = 0; i < count; ++i) if (keys[i] == key) return names[i];
  return "unknown";
}
extern "C" {
void **__cudaRegisterFatBinary(void *) { static void *one; return &one; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 1; }
void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, void *, void *, void *, void *, int *) {
  keys[count] = host; names[count++] = name;
}
void __cudaRegisterVar() {}
int __cudaPushCallConfiguration(dim3, dim3, unsigned long, void *) { pushed = true; return 0; }
int __cudaPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void **) { pushed = false; return 0; }
int __cudaGetKernel(void **kernel, const void *key) { *kernel = (void *)key; return 0; }
int __cudaLaunchKernel(const void *key, dim3, dim3, void **arguments, unsigned long, void *) {
  std::printf("%s %d\n", find(key), **(int **)arguments); return 0;
}
int cudaLaunchKernel(const void *key, dim3 grid, dim3 block, void **arguments, unsigned long shared, void *stream) {
  return __cudaLaunchKernel(key, grid, block, arguments, shared, stream);
}
int cudaFuncGetAttributes(void *, const void *key) { std::printf("attributes of %s\n", find(key)); return 0; }
}
"#;
/// Kernels that another source launches, and launches of the other's, in each of the two sources.
const LAUNCHES: &str = "\
#ifdef ONLY_NVCC
#ifdef __clang__
#error only nvcc
#endif
#define MINE(x) x##1
#define OTHERS(x) x##2
#else
#define MINE(x) x##2
#define OTHERS(x) x##1
int main() { void from1(); void from2(); from1(); from2(); }
#endif
struct Pair { int a; double b; ~Pair() {} };
namespace n { __global__ void MINE(inner)(int, int *) {} __global__ void OTHERS(inner)(int, int *); }
__global__ void MINE(plain)(int) {}
__global__ void OTHERS(plain)(int);
extern \"C\" __global__ void MINE(c)(int) {}
extern \"C\" __global__ void OTHERS(c)(int);
static __global__ void own(int) {}
template <class T> __global__ void tmpl(T) {}
void MINE(from)() {
  n::OTHERS(inner)<<<1, 1>>>(1, nullptr);
  OTHERS(plain)<<<1, 1>>>(2);
  OTHERS(c)<<<1, 1>>>(3);
  MINE(plain)<<<1, 1>>>(4);
  own<<<1, 1>>>(5);
  tmpl<<<1, 1>>>(6);
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, OTHERS(plain));
}
";

#[test]
fn objects_of_both_compilers_launch_each_others_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("runtime.cpp"), RUNTIME).unwrap();
    fs::write(place.join("one.cu"), format!("#define ONLY_NVCC\n{LAUNCHES}")).unwrap();
    fs::write(place.join("two.cu"), LAUNCHES).unwrap();
    for source in ["one", "two"] {
        let output = nvcc(place, &format!("--fallback -O3 -arch=sm_90 -c {source}.cu"));
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stderr(&output).contains("is compiled by nvcc"), source == "one", "{}", stderr(&output));
        assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
    }
    builds(place, "-cudart none runtime.cpp one.o two.o -o both");
    let launches = |other: u32, mine: u32| {
        format!(
            "_ZN1n6inner{other}EiPi 1\n_Z6plain{other}i 2\nc{other} 3\n_Z6plain{mine}i 4\n_ZL3owni 5\n_Z4tmplIiEvT_ 6\n\
             attributes of _Z6plain{other}i\n"
        )
    };
    let ran = runs(&place.join("both")).replace("_Z3owni", "_ZL3owni");
    assert_eq!(ran, launches(2, 1) + &launches(1, 2));
}

#[test]
fn messages_and_versions() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let said = stdout(&nvcc(place, "--version"));
    assert!(said.contains("clang version 22") && said.contains("release 13.0, V13.0"), "{said}");
    assert!(stdout(&nvcc(place, "--help")).contains("--fallback"));
    let unknown = nvcc(place, "-quux a.cu");
    assert_eq!(stderr(&unknown).lines().count(), 1);
    assert!(!unknown.status.success() && stderr(&unknown).contains("nvcc has no flag '-quux'"));
    fs::write(place.join("a.cu"), KERNEL).unwrap();
    let old = stderr(&nvcc(place, "-arch=sm_60 -c a.cu"));
    assert!(old.lines().count() == 1 && old.contains("CUDA 13.0") && old.contains("give sm_75 or newer"), "{old}");
    fs::write(place.join("flags.rsp"), "-arch=sm_90 -O2 -dryrun\n'a b.cu' -c").unwrap();
    let dry = nvcc(place, "--options-file flags.rsp");
    assert!(dry.status.success() && stderr(&dry).contains("-x cuda 'a b.cu'"), "{}", stderr(&dry));
    let verbatim = warpwise()
        .args(["nvcc", "-dryrun", "-c", "a.cu"])
        .env("WARPWISE_CUDA", cuda_tree())
        .env("NVCC_APPEND_FLAGS", "-DX=1")
        .output()
        .unwrap();
    assert!(stderr(&verbatim).contains("-DX=1"), "{}", stderr(&verbatim));
}

#[test]
fn the_document_has_every_row() {
    let page = fs::read_to_string(root().join("docs/NVCC.md")).unwrap();
    let table = warpwise_cli::command::nvcc::flags::markdown();
    assert!(page.contains(&table), "docs/NVCC.md: put this table in place of the one there\n{table}");
}
