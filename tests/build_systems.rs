//! Do builds find an installed warpwise, and rebuild when the plugin changes? CMake with Ninja, and ccache.

use crate::common::{cuda_tree, is_installed, llvm_tool, plugin, root, skip, stderr, stdout, warpwise};
use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

const CMAKE_LISTS: &str = "\
cmake_minimum_required(VERSION 3.25)
project(demo LANGUAGES CXX CUDA)
find_package(warpwise 0.1 REQUIRED)
add_executable(app main.cu quiet.cu host.cpp)
warpwise_enable(app BLOCK 128 REMARKS)
warpwise_enable(app SOURCES quiet.cu OPTIONS -warpwise-off)
";

const MAIN: &str = "\
void host();
__global__ void k(float *p, int n) {
  int i = threadIdx.x;
  if (i < n)
    p[3 * i] = 1.0f;
}
int main() { k<<<1, 32>>>(nullptr, 0); host(); }
";

/// Flags for CMake 3, which tries architectures that CUDA 13 has dropped before it has identified the compiler.
const FIRST_TRY: &str = "-DCMAKE_CUDA_COMPILER_ID_TEST_FLAGS_FIRST=--cuda-gpu-arch=sm_90";

fn tool(name: &str) -> Command {
    assert!(is_installed(name), "no {name} on PATH: run scripts/setup");
    Command::new(name)
}

/// Runs scripts/install on this build.
fn installed(folder: &Path) -> PathBuf {
    let prefix = folder.join("prefix");
    let script = root().join("scripts/install");
    let target = plugin().parent().unwrap().parent().unwrap().to_owned();
    let mut install = Command::new(script);
    let output = install.env("CARGO_TARGET_DIR", target).arg("--no-build").arg(&prefix).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(prefix.join("include/warpwise/map.h").is_file());
    prefix
}

/// A different plugin file with the same behaviour: the loader ignores bytes after the end.
fn change(plugin: &Path) {
    let mut bytes = fs::read(plugin).unwrap();
    bytes.push(0);
    fs::remove_file(plugin).unwrap();
    fs::write(plugin, bytes).unwrap();
}

#[test]
#[ignore = "long"]
fn cmake_and_ninja_build_with_the_plugin_and_notice_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = installed(folder.path());
    // a shell splits what `warpwise flags` prints at spaces, which the folder of the checkout may have
    let cuda = folder.path().join("cuda");
    std::os::unix::fs::symlink(cuda_tree(), &cuda).unwrap();
    let mut flags = Command::new(prefix.join("bin/warpwise"));
    let flags = flags.arg("flags").env("WARPWISE_CUDA", &cuda).output().unwrap();
    let own = format!("-fpass-plugin={} ", prefix.join("lib/libwarpwise.so").display());
    assert!(stdout(&flags).starts_with(&own), "{}", stdout(&flags));
    // README's command: nothing but these flags is needed, and remarks have the names of the source
    fs::write(folder.path().join("main.cu"), MAIN).unwrap();
    let output = llvm_tool("clang++")
        .current_dir(folder.path())
        .args(["-x", "cuda", "main.cu", "--cuda-gpu-arch=sm_90", "-O3", "-c", "-Rpass-analysis=warpwise"])
        .args(stdout(&flags).split_whitespace())
        .output()
        .unwrap();
    assert!(output.status.success() && stderr(&output).contains("`threadIdx.x < n`"), "{}", stderr(&output));
    let path = Command::new(prefix.join("bin/warpwise")).args(["flags", "--plugin"]).output().unwrap();
    assert_eq!(stdout(&path).trim(), prefix.join("lib/libwarpwise.so").display().to_string());

    let sources = folder.path().join("demo");
    fs::create_dir(&sources).unwrap();
    for (name, text) in [
        ("CMakeLists.txt", CMAKE_LISTS),
        ("main.cu", MAIN),
        ("quiet.cu", "__global__ void q(float *p) { if (threadIdx.x / 32 % 2) *p = 2.0f; }\n"),
        ("host.cpp", "void host() {}\n"),
    ] {
        fs::write(sources.join(name), text).unwrap();
    }
    let build = folder.path().join("build");
    let clang = llvm_tool("clang++").get_program().to_owned();
    let output = tool("cmake")
        .args(["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CUDA_ARCHITECTURES=90", FIRST_TRY])
        .arg("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        .arg(format!("-DCMAKE_CUDA_COMPILER={}", clang.to_string_lossy()))
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()))
        .arg(format!("-DCUDAToolkit_ROOT={}", cuda.display()))
        .arg(format!("-DCMAKE_CUDA_FLAGS=--cuda-path={} -Wno-unknown-cuda-version", cuda.display()))
        .arg("-S")
        .arg(&sources)
        .arg("-B")
        .arg(&build)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));

    let ninja = || {
        let output = tool("ninja").arg("-v").arg("-C").arg(&build).output().unwrap();
        assert!(output.status.success(), "{}", stdout(&output));
        stdout(&output)
    };
    let first = ninja();
    assert!(first.contains("main.cu:5:14: remark: lanes 12 bytes apart"), "{first}");
    let quiet = first.lines().find(|line| line.contains("-c") && line.contains("quiet.cu -o")).unwrap();
    assert!(quiet.contains("-mllvm -warpwise-block=128") && quiet.contains("-mllvm -warpwise-off"), "{quiet}");
    let host =
        first.lines().find(|line| line.contains("host.cpp -o") || line.contains("-c") && line.contains("host.cpp"));
    assert!(!host.unwrap().contains("warpwise"), "{host:?}");
    assert!(ninja().contains("no work to do"));

    change(&prefix.join("lib/libwarpwise.so"));
    let again = ninja();
    assert!(again.contains("main.cu.o") && again.contains("quiet.cu.o"), "{again}");
    assert!(!again.contains("-c /") || !again.contains("host.cpp.o -c"), "{again}");

    let report = warpwise().args(["report", "--project"]).arg(build.join("compile_commands.json")).output().unwrap();
    assert!(report.status.success(), "{}", stderr(&report));
    assert!(stdout(&report).contains("2 kernels in 2 files"), "{}", stdout(&report));
}

#[test]
fn ccache_is_told_of_the_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("libwarpwise.so");
    fs::copy(plugin(), &own).unwrap();
    fs::write(folder.path().join("k.cu"), "__global__ void k(float *p) { *p = 1.0f; }\n").unwrap();
    let clang = llvm_tool("clang++").get_program().to_owned();
    let compile = || {
        let output = tool("ccache")
            .current_dir(folder.path())
            .env("CCACHE_DIR", folder.path().join("cache"))
            .env("CCACHE_EXTRAFILES", &own)
            .env_remove("CCACHE_DISABLE")
            .arg(&clang)
            .args([
                "-x", "cuda", "-Wno-unknown-cuda-version", "--cuda-gpu-arch=sm_90", "-O3", "-c", "k.cu", "-o", "k.o",
            ])
            .arg(format!("--cuda-path={}", cuda_tree().display()))
            .arg(format!("-fpass-plugin={}", own.display()))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let log = tool("ccache").env("CCACHE_DIR", folder.path().join("cache")).arg("--print-stats").output().unwrap();
        let count = |name: &str| {
            let line = stdout(&log).lines().find(|line| line.starts_with(&format!("{name}\t"))).map(str::to_owned);
            line.and_then(|line| line.split('\t').nth(1).and_then(|number| number.parse::<u32>().ok())).unwrap_or(0)
        };
        (count("direct_cache_hit") + count("preprocessed_cache_hit"), count("cache_miss"))
    };
    assert_eq!(compile(), (0, 1));
    assert_eq!(compile(), (1, 1));
    change(&own);
    assert_eq!(compile(), (1, 2), "a new plugin is a new compiler");
}

#[test]
fn installed_documents_link_to_what_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let place = installed(folder.path()).join("share/doc/warpwise");
    let documents = fs::read_dir(place.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    for page in documents.chain([place.join("README.md")]).filter(|page| page.extension().unwrap() == "md") {
        let text = fs::read_to_string(&page).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for target in targets.filter(|target| !target.is_empty() && !target.starts_with("http")) {
            assert!(page.with_file_name(target).exists(), "{}: {target}", page.display());
        }
    }
}

/// In a folder without a `.cache`, and without the variables of these tests.
#[test]
fn the_cuda_tree_is_found_where_others_look_for_it() {
    let (tree, folder) = (cuda_tree(), tempfile::tempdir().unwrap());
    let source = folder.path().join("k.cu");
    fs::write(&source, MAIN).unwrap();
    let command = installed(folder.path()).join("bin/warpwise");
    let alone = || {
        let mut command = Command::new(&command);
        command.current_dir(folder.path()).env("PATH", "/usr/bin:/bin");
        for variable in ["WARPWISE_CUDA", "CUDA_HOME", "CUDA_PATH", "WARPWISE_CACHE"] {
            command.env_remove(variable);
        }
        command
    };
    let path = format!("/usr/bin:/bin:{}", tree.join("bin").display());
    for (variable, value) in
        [("CUDA_HOME", tree.display().to_string()), ("CUDA_PATH", tree.display().to_string()), ("PATH", path)]
    {
        let output = alone().arg("flags").env(variable, value).output().unwrap();
        assert!(
            stdout(&output).contains(&format!("--cuda-path={}", tree.display())),
            "{variable}: {}",
            stderr(&output)
        );
    }
    let named = format!("--cuda-path={}", tree.display());
    for line in [vec!["report", "k.cu", "--", &named], vec!["nvcc", "-arch=sm_90", "-ptx", "k.cu", &named]] {
        let output = alone().args(&line).output().unwrap();
        assert!(output.status.success(), "{line:?}: {}", stderr(&output));
    }
}

#[test]
fn the_script_says_what_it_wants() {
    let script = root().join("scripts/install");
    let output = Command::new(script).output().unwrap();
    assert!(!output.status.success() && stderr(&output).contains("no prefix given"), "{}", stderr(&output));
}

#[test]
fn doctor_finds_what_fits_and_what_does_not() {
    let cuda = cuda_tree();
    let well = warpwise().arg("doctor").env("WARPWISE_CUDA", &cuda).output().unwrap();
    assert!(well.status.success(), "{}", stdout(&well));
    assert!(stdout(&well).contains("ok     a kernel compiles with the plugin"), "{}", stdout(&well));
    let ill = warpwise().arg("doctor").env("WARPWISE_CUDA", "/nowhere").output().unwrap();
    assert!(!ill.status.success());
    assert!(stdout(&ill).contains("FAULT  CUDA tree: WARPWISE_CUDA is /nowhere"), "{}", stdout(&ill));
    assert_eq!(stdout(&ill).matches("/nowhere").count(), 1, "{}", stdout(&ill));
    let text = stdout(&warpwise().arg("doctor").env("WARPWISE_CLANG", "/nowhere").output().unwrap());
    assert!(text.contains("FAULT  clang: WARPWISE_CLANG is /nowhere"), "{text}");
}

#[test]
fn doctor_says_what_works_without_cuda() {
    if Path::new("/usr/local/cuda").exists() {
        return skip("there is a CUDA tree in its usual place");
    }
    // no folder above this one contains a tree
    let folder = tempfile::tempdir().unwrap();
    let installed = folder.path().join("bin/warpwise");
    std::fs::create_dir_all(folder.path().join("bin")).unwrap();
    std::fs::create_dir_all(folder.path().join("lib")).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_warpwise"), &installed).unwrap();
    std::fs::copy(plugin(), folder.path().join("lib/libwarpwise.so")).unwrap();
    let output = Command::new(installed).arg("doctor").env_clear().current_dir(folder.path()).output().unwrap();
    let text = stdout(&output);
    assert!(output.status.success() && !text.contains("FAULT"), "{text}");
    assert!(text.contains("none   CUDA tree: no CUDA tree found"), "{text}");
    assert!(text.contains("without clang and a CUDA tree: `opt`; `report`, `simt` and `fuzz` of IR"), "{text}");
}
