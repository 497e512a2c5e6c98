//! Can a build take `warpwise-nvcc` where it took nvcc? CMake with Make and Ninja, through ccache, with
//! compile_commands.json, and in folders laid out as build sandboxes lay them out.

use crate::common::{cuda_tree, is_installed, plugin, skip, stderr, stdout, warpwise};
use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

const CMAKE_LISTS: &str = "\
cmake_minimum_required(VERSION 3.20)
project(demo LANGUAGES CXX CUDA)
add_library(lib STATIC lib.cu)
target_include_directories(lib PUBLIC include)
target_compile_definitions(lib PRIVATE SCALE=2)
add_executable(app main.cu host.cpp)
target_link_libraries(app lib)
set_target_properties(app PROPERTIES CUDA_STANDARD 17)
";
const LIB: &str = "\
#include \"lib.h\"
__global__ void s(float *p) { p[threadIdx.x] *= SCALE; }
void lib_go(float *p) { s<<<1, 32>>>(p); }
";
const MAIN: &str = "\
#include \"lib.h\"
#include <cstdio>
void host();
__global__ void k(float *p, int n) {
  int i = threadIdx.x;
  if (i < n)
    p[3 * i] = 1.0f;
}
int main() { k<<<1, 32>>>(nullptr, 0); lib_go(nullptr); host(); std::puts(\"here\"); }
";

/// Whether a tool is there; the test is counted as skipped if not.
fn has(name: &str) -> bool {
    let found = is_installed(name);
    if !found {
        skip(&format!("no {name} on PATH"));
    }
    found
}

/// A folder with the sources, and `warpwise-nvcc` beside a copy of the plugin.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sources = folder.path().join("src");
    fs::create_dir_all(sources.join("include")).unwrap();
    for (name, text) in [
        ("CMakeLists.txt", CMAKE_LISTS),
        ("lib.cu", LIB),
        ("main.cu", MAIN),
        ("host.cpp", "void host() {}\n"),
        ("include/lib.h", "void lib_go(float *p);\n"),
    ] {
        fs::write(sources.join(name), text).unwrap();
    }
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    // a link: a program that was just written cannot be executed while another thread's child has it open
    for (file, name) in [(Path::new(env!("CARGO_BIN_EXE_warpwise")), "warpwise-nvcc"), (&plugin(), "libwarpwise.so")] {
        let to = bin.join(name);
        fs::hard_link(file, &to).or_else(|_| fs::copy(file, &to).map(drop)).unwrap();
    }
    folder
}

/// A command in a folder, which must succeed.
fn run(program: &str, folder: &Path, arguments: &[&str], environment: &[(&str, &Path)]) -> String {
    let mut command = Command::new(program);
    command.current_dir(folder).env("WARPWISE_CUDA", cuda_tree()).args(arguments);
    command.envs(environment.iter().map(|(name, value)| (name, value.as_os_str())));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

fn configure(folder: &Path, generator: &str, more: &[&str], environment: &[(&str, &Path)]) {
    let compiler = format!("-DCMAKE_CUDA_COMPILER={}", folder.join("bin/warpwise-nvcc").display());
    let toolkit = format!("-DCUDAToolkit_ROOT={}", cuda_tree().display());
    let mut arguments = vec!["-G", generator, "-S", "src", "-B", "build", &compiler, &toolkit];
    arguments.extend(["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CUDA_ARCHITECTURES=90"]);
    arguments.extend(more);
    run("cmake", folder, &arguments, environment);
}

fn builds_with(generator: &str) {
    let folder = project();
    let place = folder.path();
    configure(place, generator, &["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], &[]);
    run("cmake", place, &["--build", "build"], &[]);
    assert_eq!(run("build/app", place, &[], &[]), "here\n");
    // both files are built again when their header changes, and nothing else
    fs::write(place.join("src/include/lib.h"), "void lib_go(float *p); // changed\n").unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
    fs::File::options().append(true).open(place.join("src/include/lib.h")).unwrap().set_modified(later).unwrap();
    let again = run("cmake", place, &["--build", "build", "--verbose"], &[]);
    let compiled = |name: &str| again.lines().any(|line| line.contains(" -c ") && line.contains(name));
    assert!(compiled("main.cu") && compiled("lib.cu") && !compiled("host.cpp"), "{again}");
    let report = warpwise()
        .current_dir(place)
        .args(["report", "--project", "build"])
        .env("WARPWISE_CUDA", cuda_tree())
        .output()
        .unwrap();
    let text = stdout(&report);
    assert!(report.status.success() && text.contains("2 kernels in 2 files"), "{text}{}", stderr(&report));
    assert!(text.contains("main.cu:7               lanes skip elements"), "{text}");
}

#[test]
#[ignore = "long"]
fn cmake_with_make() {
    if has("cmake") && has("make") {
        builds_with("Unix Makefiles");
    }
}

#[test]
#[ignore = "long"]
fn cmake_with_ninja() {
    if has("cmake") && has("ninja") {
        builds_with("Ninja");
    }
}

/// Builds three times, the last time with another plugin; `sources` of what is built are CUDA.
fn ccache_sees_another_plugin(sources: u32, build: impl Fn(&Path, &[(&str, &Path)])) {
    let folder = project();
    let place = folder.path();
    let cache = place.join("cache");
    let own = place.join("bin/libwarpwise.so");
    let environment: [(&str, &Path); 3] =
        [("CCACHE_DIR", &cache), ("CCACHE_EXTRAFILES", &own), ("CCACHE_CONFIGPATH", Path::new("/dev/null"))];
    let counts = || {
        let text = run("ccache", place, &["--print-stats"], &environment);
        let count = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t')?.parse::<u32>().ok());
            value.unwrap_or(0)
        };
        (count("direct_cache_hit") + count("preprocessed_cache_hit"), count("cache_miss"))
    };
    let build = || {
        build(place, &environment);
        counts()
    };
    // the host compiler may be run through ccache too
    let (_, first) = build();
    assert!(first >= sources);
    let (hits, misses) = build();
    assert!(hits >= sources && misses == first, "{hits} hits, {misses} misses after {first}");
    let mut bytes = fs::read(&own).unwrap();
    bytes.push(0); // ignored by the loader
    fs::remove_file(&own).unwrap();
    fs::write(&own, bytes).unwrap();
    let (_, misses) = build();
    assert!(misses >= first + sources, "a new plugin is a new compiler: {misses} misses after {first}");
}

#[test]
fn ccache_sees_changes_of_the_plugin_that_it_is_told_of() {
    if has("ccache") {
        ccache_sees_another_plugin(1, |place, environment| {
            let compile =
                ["bin/warpwise-nvcc", "-arch=sm_90", "-DSCALE=2", "-Isrc/include", "-c", "src/lib.cu", "-o", "lib.o"];
            run("ccache", place, &compile, environment);
        });
    }
}

#[test]
#[ignore = "long"]
fn ccache_sees_them_through_cmake() {
    if has("cmake") && has("ninja") && has("ccache") {
        ccache_sees_another_plugin(2, |place, environment| {
            configure(place, "Ninja", &["-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache"], environment);
            run("cmake", place, &["--build", "build", "--clean-first"], environment);
            assert_eq!(run("build/app", place, &[], &[]), "here\n");
        });
    }
}

/// Sources that may not be written, relative paths through another folder, a folder for temporary files of its own, and
/// no home.
#[test]
fn sandboxes_need_no_more_than_their_folders() {
    let folder = project();
    let place = folder.path();
    let outputs = place.join("work/deep");
    let temporary = place.join("tmp");
    for made in [&outputs, &temporary] {
        fs::create_dir_all(made).unwrap();
    }
    let sources: Vec<PathBuf> = ["src", "src/include"].iter().map(|name| place.join(name)).collect();
    let lock = |is_locked: bool| {
        for source in &sources {
            let mut rights = fs::metadata(source).unwrap().permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut rights, if is_locked { 0o555 } else { 0o755 });
            fs::set_permissions(source, rights).unwrap();
        }
    };
    lock(true);
    let names = || {
        let all = fs::read_dir(&outputs).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut all: Vec<String> = all.collect();
        all.sort();
        all
    };
    let environment: [(&str, &Path); 2] = [("TMPDIR", &temporary), ("HOME", Path::new("/nonexistent"))];
    let nvcc = |line: &str| {
        run("../../bin/warpwise-nvcc", &outputs, &line.split_whitespace().collect::<Vec<_>>(), &environment)
    };
    let flags = "-arch=sm_90 -DSCALE=2 -I ../../src/include";
    nvcc(&format!("{flags} -MD -c ../../src/lib.cu"));
    nvcc(&format!("{flags} -ptx ../../src/main.cu"));
    nvcc(&format!("{flags} ../../src/main.cu ../../src/host.cpp lib.o -o app"));
    assert_eq!(names(), ["app", "lib.d", "lib.o", "main.ptx"]);
    assert!(fs::read_to_string(outputs.join("lib.d")).unwrap().starts_with("lib.o: ../../src/lib.cu"));
    assert_eq!(run("./app", &outputs, &[], &[]), "here\n");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "temporary files are left");
    lock(false);
}
