//! Which flags does nvcc have, and what becomes of each under clang?
//!
//! One row a flag drives everything: parsing ([`super::request`]), the table of docs/NVCC.md, and a test that translates
//! each row's example and looks for what the row promises.

use Meaning::*;
use Value::*;

/// How a flag takes its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// None.
    Bare,
    /// One: `--flag V`, `--flag=V`, `-flag V`, `-flag=V`.
    One,
    /// A list separated by commas, in the same four forms.
    List,
    /// One that may also stand right behind the short form: `-O3`, `-Idir`, `-lm`, `-std=c++17`.
    Joined,
    /// `true` or `false`.
    Truth,
}

/// What nvcc leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Link,
    /// Objects.
    Compile,
    /// An archive of objects.
    Archive,
    /// The registered device code of relocatable objects, as one object.
    DeviceLink,
    Preprocess,
    /// A list of what was included, for make; of the system's headers too.
    Dependencies,
    /// The same without the system's headers.
    UserDependencies,
    Ptx,
    Cubin,
    Fatbin,
}

/// What a flag means to the translation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Goal(Phase),
    /// Relocatable device code and objects at once (`-dc`).
    DeviceObjects,
    WholeObjects,
    /// Clang takes it under this name, followed by the value where there is one.
    Pass(&'static str),
    /// Clang takes it under this name, with the value joined to it.
    PassJoined(&'static str),
    /// Each element of the list is an argument of clang's by itself.
    PassEach,
    /// Each element goes behind this flag of clang's.
    Behind(&'static str),
    /// Clang takes these arguments if the value is `true` (or there is none), the second if it is `false`.
    Either(&'static [&'static str], &'static [&'static str]),
    Output,
    OutputFolder,
    Language,
    Optimise,
    Architecture,
    Code,
    Generate,
    Relocatable,
    Cudart,
    ResponseFile,
    DryRun,
    Verbose,
    Version,
    Help,
    Run,
    RunArguments,
    KeepFolder,
    Archiver,
    RealCompiler,
    DefaultStream,
    Fallback,
    /// Nothing is lost without it.
    Ignored,
    /// It asks for what clang does not have; the row says what to do.
    Refused,
}

/// One flag of nvcc.
pub struct Flag {
    pub long: &'static str,
    /// The same where nvcc has no short form.
    pub short: &'static str,
    pub value: Value,
    pub meaning: Meaning,
    /// A use of it, and arguments that clang is then called with, next to each other; empty where there are none.
    pub example: &'static str,
    pub gives: &'static str,
    /// What becomes of it, for the document; the reason where it is refused.
    pub note: &'static str,
}

const fn row(
    names: (&'static str, &'static str),
    value: Value,
    meaning: Meaning,
    example: &'static str,
    gives: &'static str,
    note: &'static str,
) -> Flag {
    Flag { long: names.0, short: names.1, value, meaning, example, gives, note }
}

/// Device code that divides and takes roots as `--use_fast_math` allows.
const APPROXIMATE_DIVISION: &[&str] = &["-Xarch_device", "-mllvm=-nvptx-prec-divf32=0"];
const EXACT_DIVISION: &[&str] = &["-Xarch_device", "-mllvm=-nvptx-prec-divf32=2"];
const APPROXIMATE_ROOT: &[&str] = &["-Xarch_device", "-mllvm=-nvptx-prec-sqrtf32=0"];
const EXACT_ROOT: &[&str] = &["-Xarch_device", "-mllvm=-nvptx-prec-sqrtf32=1"];
const FLUSH: &[&str] = &["-fgpu-flush-denormals-to-zero"];
const NO_FLUSH: &[&str] = &["-fno-gpu-flush-denormals-to-zero"];
const FUSE_MULTIPLY: &[&str] = &["-Xarch_device", "-ffp-contract=fast"];
const NO_FUSE_MULTIPLY: &[&str] = &["-Xarch_device", "-ffp-contract=off"];
const FAST_MATH: &[&str] = &[
    "-fgpu-flush-denormals-to-zero",
    "-fgpu-approx-transcendentals",
    "-Xarch_device",
    "-mllvm=-nvptx-prec-divf32=0",
    "-Xarch_device",
    "-mllvm=-nvptx-prec-sqrtf32=0",
];

/// Every flag of nvcc 13.0, in the order of its help, and what is ours.
pub const FLAGS: &[Flag] = &[
    // what to make
    row(
        ("--cuda", "-cuda"),
        Bare,
        Refused,
        "",
        "",
        "nvcc's host code with stubs is not made by clang; compile with -c",
    ),
    row(
        ("--cubin", "-cubin"),
        Bare,
        Goal(Phase::Cubin),
        "-cubin a.cu",
        "--cuda-device-only -c",
        "device code only, one architecture",
    ),
    row(
        ("--fatbin", "-fatbin"),
        Bare,
        Goal(Phase::Fatbin),
        "-fatbin a.cu",
        "--cuda-device-only -c",
        "each architecture by itself, put together by `fatbinary`",
    ),
    row(
        ("--ptx", "-ptx"),
        Bare,
        Goal(Phase::Ptx),
        "-ptx a.cu",
        "--cuda-device-only -S",
        "device code only, one architecture",
    ),
    row(("--optix-ir", "-optix-ir"), Bare, Refused, "", "", "clang makes no OptiX IR; use nvcc for this file"),
    row(("--ltoir", "-ltoir"), Bare, Refused, "", "", "clang makes no NVVM IR for link-time optimisation; use -ptx"),
    row(
        ("--preprocess", "-E"),
        Bare,
        Goal(Phase::Preprocess),
        "-E a.cu",
        "-E",
        "device and host side, one after the other",
    ),
    row(
        ("--generate-dependencies", "-M"),
        Bare,
        Goal(Phase::Dependencies),
        "-M a.cu",
        "--cuda-host-only -M",
        "the same",
    ),
    row(
        ("--generate-nonsystem-dependencies", "-MM"),
        Bare,
        Goal(Phase::UserDependencies),
        "-MM a.cu",
        "--cuda-host-only -MM",
        "the same",
    ),
    row(("--generate-dependencies-with-compile", "-MD"), Bare, Pass("-MD"), "-MD -c a.cu", "-MD", "the same"),
    row(
        ("--generate-nonsystem-dependencies-with-compile", "-MMD"),
        Bare,
        Pass("-MMD"),
        "-MMD -c a.cu",
        "-MMD",
        "the same",
    ),
    row(("--dependency-output", "-MF"), One, Pass("-MF"), "-MD -MF a.d -c a.cu", "-MF a.d", "the same"),
    row(("--generate-dependency-targets", "-MP"), Bare, Pass("-MP"), "-MD -MP -c a.cu", "-MP", "the same"),
    row(("--dependency-target-name", "-MT"), One, Pass("-MT"), "-MD -MT x -c a.cu", "-MT x", "the same"),
    row(("--compile", "-c"), Bare, Goal(Phase::Compile), "-c a.cu", "-c", "the same"),
    row(("--device-c", "-dc"), Bare, DeviceObjects, "-dc a.cu", "-fgpu-rdc", "relocatable device code"),
    row(("--device-w", "-dw"), Bare, WholeObjects, "-dw a.cu", "-fno-gpu-rdc", "whole-program device code"),
    row(
        ("--device-link", "-dlink"),
        Bare,
        Goal(Phase::DeviceLink),
        "-dlink a.o -o d.o",
        "",
        "an object with the linked device code and its registration, by clang-linker-wrapper",
    ),
    row(("--link", "-link"), Bare, Goal(Phase::Link), "-link a.o", "a.o", "the same"),
    row(("--lib", "-lib"), Bare, Goal(Phase::Archive), "-lib a.cu -o a.a", "", "objects, then `ar rcs`"),
    row(("--run", "-run"), Bare, Run, "", "", "links, then runs the program"),
    row(("--run-args", "-run-args"), List, RunArguments, "", "", "the program's arguments under -run"),
    row(("--output-file", "-o"), Joined, Output, "-c a.cu -o b.o", "-o b.o", "the same"),
    row(
        ("--output-directory", "-odir"),
        One,
        OutputFolder,
        "-c a.cu -odir out",
        "-o out/a.o",
        "the folder of outputs without -o",
    ),
    row(("--objdir-as-tempdir", "-objtemp"), Bare, Ignored, "", "", "temporary files lie in a folder of their own"),
    // files and folders
    row(("--pre-include", "-include"), List, Behind("-include"), "-include a.h -c a.cu", "-include a.h", "the same"),
    row(("--library", "-l"), Joined, PassJoined("-l"), "a.o -lm", "-lm", "the same"),
    row(("--define-macro", "-D"), Joined, PassJoined("-D"), "-D N=3 -c a.cu", "-DN=3", "the same"),
    row(("--undefine-macro", "-U"), Joined, PassJoined("-U"), "-UN -c a.cu", "-UN", "the same"),
    row(("--include-path", "-I"), Joined, PassJoined("-I"), "-I inc -c a.cu", "-Iinc", "the same"),
    row(("--system-include", "-isystem"), List, Behind("-isystem"), "-isystem inc -c a.cu", "-isystem inc", "the same"),
    row(("--library-path", "-L"), Joined, PassJoined("-L"), "a.o -Llib", "-Llib", "the same"),
    row(
        ("--compiler-bindir", "-ccbin"),
        One,
        Ignored,
        "",
        "",
        "clang is the host compiler; `-Xcompiler --gcc-install-dir=DIR` chooses another C++ library",
    ),
    row(
        ("--allow-unsupported-compiler", "-allow-unsupported-compiler"),
        Bare,
        Ignored,
        "",
        "",
        "no host compiler is checked",
    ),
    row(("--archiver-binary", "-arbin"), One, Archiver, "", "", "the same"),
    row(("--cudart", "-cudart"), One, Cudart, "a.o -cudart shared", "-lcudart", "the same: `static`, `shared`, `none`"),
    row(
        ("--cudadevrt", "-cudadevrt"),
        One,
        Ignored,
        "",
        "",
        "`libcudadevrt` is not linked: give `-lcudadevrt` for launches from the device",
    ),
    row(("--libdevice-directory", "-ldir"), One, Ignored, "", "", "libdevice comes from the CUDA tree"),
    row(("--target-directory", "-target-dir"), One, Ignored, "", "", "the CUDA tree has one target"),
    row(("--use-local-env", "-use-local-env"), Bare, Ignored, "", "", "of Windows"),
    row(("--force-cl-env-setup", "-force-cl-env-setup"), Bare, Ignored, "", "", "of Windows"),
    // debugging and optimisation
    row(("--profile", "-pg"), Bare, Pass("-pg"), "-pg -c a.cu", "-pg", "the same, host code"),
    row(("--debug", "-g"), Bare, Either(&["-Xarch_host", "-g"], &[]), "-g -c a.cu", "-Xarch_host -g", "host code"),
    row(
        ("--device-debug", "-G"),
        Bare,
        Either(&["-Xarch_device", "-g", "--cuda-noopt-device-debug", "-Xarch_device", "-O0"], &[]),
        "-G -c a.cu",
        "--cuda-noopt-device-debug",
        "full debug information and -O0 in device code",
    ),
    row(
        ("--generate-line-info", "-lineinfo"),
        Bare,
        Either(&["-Xarch_device", "-gline-tables-only"], &[]),
        "-lineinfo -c a.cu",
        "-Xarch_device -gline-tables-only",
        "line tables in device code",
    ),
    row(("--optimization-info", "-opt-info"), List, Ignored, "", "", "see -Rpass=inline"),
    row(
        ("--optimize", "-O"),
        Joined,
        Optimise,
        "-O1 -c a.cu",
        "-Xarch_host -O1",
        "host code; device code has -O3 unless -G or -dopt=off says otherwise, as with nvcc",
    ),
    row(("--Ofast-compile", "-Ofc"), One, Ignored, "", "", "a faster compile of device code is not offered"),
    row(("--dopt", "-dopt"), One, Either(&[], &["-Xarch_device", "-O0"]), "", "", "device code is optimised anyway"),
    row(
        ("--dlink-time-opt", "-dlto"),
        Bare,
        Refused,
        "",
        "",
        "link-time optimisation of device code: leave it out, or use -rdc=true",
    ),
    row(
        ("--lto", "-lto"),
        Bare,
        Refused,
        "",
        "",
        "link-time optimisation of device code: leave it out, or use -rdc=true",
    ),
    row(("--gen-opt-lto", "-gen-opt-lto"), Bare, Ignored, "", "", "of link-time optimisation"),
    row(
        ("--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit"),
        One,
        PassJoined("-ftemplate-backtrace-limit="),
        "-ftemplate-backtrace-limit 3 -c a.cu",
        "-ftemplate-backtrace-limit=3",
        "the same",
    ),
    row(
        ("--ftemplate-depth", "-ftemplate-depth"),
        One,
        PassJoined("-ftemplate-depth="),
        "-ftemplate-depth=99 -c a.cu",
        "-ftemplate-depth=99",
        "the same",
    ),
    row(
        ("--no-exceptions", "-noeh"),
        Bare,
        Pass("-fno-exceptions"),
        "-noeh -c a.cu",
        "-fno-exceptions",
        "`-fno-exceptions`",
    ),
    row(("--shared", "-shared"), Bare, Pass("-shared"), "-shared a.o -o a.so", "-shared", "the same"),
    row(("--x", "-x"), Joined, Language, "-x cu -c a.cpp", "-x cuda", "`cu` is clang's `cuda`"),
    row(("--std", "-std"), One, PassJoined("-std="), "-std c++17 -c a.cu", "-std=c++17", "the same"),
    row(
        ("--no-host-device-initializer-list", "-nohdinitlist"),
        Bare,
        Ignored,
        "",
        "",
        "clang takes constexpr functions for both sides",
    ),
    row(
        ("--no-host-device-move-forward", "-nohdmoveforward"),
        Bare,
        Ignored,
        "",
        "",
        "clang takes constexpr functions for both sides",
    ),
    row(("--expt-relaxed-constexpr", "-expt-relaxed-constexpr"), Bare, Ignored, "", "", "clang does so anyway"),
    row(("--extended-lambda", "-extended-lambda"), Bare, Ignored, "", "", "clang does so anyway"),
    row(("--expt-extended-lambda", "-expt-extended-lambda"), Bare, Ignored, "", "", "clang does so anyway"),
    row(("--machine", "-m"), Joined, Ignored, "", "", "64 bits are the only choice"),
    // other tools' options
    row(
        ("--compiler-options", "-Xcompiler"),
        List,
        PassEach,
        "-Xcompiler -fPIC,-Wall -c a.cu",
        "-fPIC -Wall",
        "clang's own arguments; warnings that only GCC knows are ignored",
    ),
    row(
        ("--linker-options", "-Xlinker"),
        List,
        Behind("-Xlinker"),
        "a.o -Xlinker -rpath,lib",
        "-Xlinker -rpath -Xlinker lib",
        "the same",
    ),
    row(("--archive-options", "-Xarchive"), List, Ignored, "", "", "`ar rcs` needs none"),
    row(
        ("--ptxas-options", "-Xptxas"),
        List,
        Behind("-Xcuda-ptxas"),
        "-Xptxas -v -c a.cu",
        "-Xcuda-ptxas -v",
        "`-Xcuda-ptxas`",
    ),
    row(
        ("--nvlink-options", "-Xnvlink"),
        List,
        Behind("-Xoffload-linker"),
        "-rdc=true a.o -Xnvlink -v",
        "-Xoffload-linker -v",
        "`-Xoffload-linker`",
    ),
    row(
        ("--static-global-template-stub", "-static-global-template-stub"),
        Truth,
        Ignored,
        "",
        "",
        "clang's stubs have the linkage of the kernel",
    ),
    row(
        ("--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility"),
        Truth,
        Ignored,
        "",
        "",
        "of shared libraries; clang keeps the source's visibility",
    ),
    row(
        ("--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler"),
        Bare,
        Ignored,
        "",
        "",
        "flags of clang are taken anyway",
    ),
    row(
        ("--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker"),
        Bare,
        Ignored,
        "",
        "",
        "flags of clang are taken anyway",
    ),
    row(("--forward-unknown-opts", "-forward-unknown-opts"), Bare, Ignored, "", "", "flags of clang are taken anyway"),
    row(("--dont-use-profile", "-noprof"), Bare, Ignored, "", "", "there is no nvcc.profile"),
    row(("--dryrun", "-dryrun"), Bare, DryRun, "", "", "prints the commands and runs none"),
    row(("--verbose", "-v"), Bare, Verbose, "-v -c a.cu", "-c", "prints the commands and runs them"),
    row(("--threads", "-t"), Joined, Ignored, "", "", "architectures are compiled one after the other"),
    row(("--split-compile", "-split-compile"), One, Ignored, "", "", "device code is optimised by one thread"),
    row(
        ("--split-compile-extended", "-split-compile-extended"),
        One,
        Ignored,
        "",
        "",
        "device code is optimised by one thread",
    ),
    row(
        ("--fdevice-syntax-only", "-fdevice-syntax-only"),
        Bare,
        Pass("-fsyntax-only"),
        "-fdevice-syntax-only -c a.cu",
        "-fsyntax-only",
        "`-fsyntax-only`",
    ),
    row(
        ("--fdevice-time-trace", "-fdevice-time-trace"),
        One,
        PassJoined("-ftime-trace="),
        "-fdevice-time-trace t.json -c a.cu",
        "-ftime-trace=t.json",
        "`-ftime-trace=`",
    ),
    row(("--keep", "-keep"), Bare, Pass("-save-temps=obj"), "-keep -c a.cu", "-save-temps=obj", "`-save-temps=obj`"),
    row(("--keep-dir", "-keep-dir"), One, KeepFolder, "", "", "kept files lie beside the output"),
    row(
        ("--save-temps", "-save-temps"),
        Bare,
        Pass("-save-temps=obj"),
        "-save-temps -c a.cu",
        "-save-temps=obj",
        "`-save-temps=obj`",
    ),
    row(
        ("--clean-targets", "-clean"),
        Bare,
        Refused,
        "",
        "",
        "nothing is left behind that would need deleting; delete the outputs",
    ),
    row(("--time", "-time"), One, Ignored, "", "", "see -ftime-report"),
    row(("--input-drive-prefix", "-idp"), One, Ignored, "", "", "of Windows"),
    row(("--dependency-drive-prefix", "-ddp"), One, Ignored, "", "", "of Windows"),
    row(("--drive-prefix", "-dp"), One, Ignored, "", "", "of Windows"),
    row(("--no-align-double", "--no-align-double"), Bare, Ignored, "", "", "of 32-bit hosts"),
    row(("--no-device-link", "-nodlink"), Bare, Ignored, "", "", "device code is linked where it has to be"),
    // architectures
    row(
        ("--gpu-architecture", "-arch"),
        One,
        Architecture,
        "-arch=sm_90 -c a.cu",
        "--offload-arch=sm_90 --cuda-include-ptx=sm_90",
        "machine code and PTX; `native`, `all`, `all-major` too; `compute_N` brings machine code as well",
    ),
    row(
        ("--gpu-code", "-code"),
        List,
        Code,
        "-arch=compute_80 -code=sm_80,sm_90 -c a.cu",
        "--offload-arch=sm_90",
        "machine code of each `sm_N`, PTX of each `compute_N`",
    ),
    row(
        ("--generate-code", "-gencode"),
        One,
        Generate,
        "-gencode arch=compute_90,code=[sm_90,compute_90] -c a.cu",
        "--offload-arch=sm_90",
        "machine code of each `sm_N`, PTX of each `compute_N`",
    ),
    row(
        ("--relocatable-device-code", "-rdc"),
        Truth,
        Relocatable,
        "-rdc=true -c a.cu",
        "-fgpu-rdc",
        "`-fgpu-rdc`; objects of nvcc and of clang cannot be linked together then",
    ),
    row(("--entries", "-e"), List, Ignored, "", "", "all kernels are compiled"),
    row(
        ("--maxrregcount", "-maxrregcount"),
        One,
        PassJoined("-Xcuda-ptxas --maxrregcount="),
        "-maxrregcount=64 -c a.cu",
        "-Xcuda-ptxas --maxrregcount=64",
        "ptxas's",
    ),
    row(
        ("--use_fast_math", "-use_fast_math"),
        Bare,
        Either(FAST_MATH, &[]),
        "--use_fast_math -c a.cu",
        "-fgpu-flush-denormals-to-zero -fgpu-approx-transcendentals",
        "the same four parts in device code",
    ),
    row(
        ("--ftz", "-ftz"),
        Truth,
        Either(FLUSH, NO_FLUSH),
        "-ftz=true -c a.cu",
        "-fgpu-flush-denormals-to-zero",
        "`-fgpu-flush-denormals-to-zero`",
    ),
    row(
        ("--prec-div", "-prec-div"),
        Truth,
        Either(EXACT_DIVISION, APPROXIMATE_DIVISION),
        "-prec-div=false -c a.cu",
        "-Xarch_device -mllvm=-nvptx-prec-divf32=0",
        "the same",
    ),
    row(
        ("--prec-sqrt", "-prec-sqrt"),
        Truth,
        Either(EXACT_ROOT, APPROXIMATE_ROOT),
        "-prec-sqrt=false -c a.cu",
        "-Xarch_device -mllvm=-nvptx-prec-sqrtf32=0",
        "the same",
    ),
    row(
        ("--fmad", "-fmad"),
        Truth,
        Either(FUSE_MULTIPLY, NO_FUSE_MULTIPLY),
        "-fmad=false -c a.cu",
        "-Xarch_device -ffp-contract=off",
        "`-ffp-contract`",
    ),
    row(("--extra-device-vectorization", "-extra-device-vectorization"), Bare, Ignored, "", "", "clang decides"),
    row(
        ("--default-stream", "-default-stream"),
        One,
        DefaultStream,
        "-default-stream per-thread -c a.cu",
        "-Xclang -fgpu-default-stream=per-thread",
        "the same",
    ),
    row(("--disable-warnings", "-w"), Bare, Pass("-w"), "-w -c a.cu", "-w", "the same"),
    row(
        ("--keep-device-functions", "-keep-device-functions"),
        Bare,
        Ignored,
        "",
        "",
        "unused device functions are dropped; use -rdc=true",
    ),
    row(("--source-in-ptx", "-src-in-ptx"), Bare, Ignored, "", "", "PTX carries line numbers with -lineinfo"),
    row(
        ("--restrict", "-restrict"),
        Bare,
        Either(&["-mllvm", "-warpwise-assume-restrict"], &[]),
        "-restrict -c a.cu",
        "-mllvm -warpwise-assume-restrict",
        "of kernels' arguments",
    ),
    // warnings
    row(("--Wreorder", "-Wreorder"), Bare, Pass("-Wreorder"), "-Wreorder -c a.cu", "-Wreorder", "the same"),
    row(("--Wdefault-stream-launch", "-Wdefault-stream-launch"), Bare, Ignored, "", "", "clang has no such warning"),
    row(("--Wmissing-launch-bounds", "-Wmissing-launch-bounds"), Bare, Ignored, "", "", "see -Rpass-missed=warpwise"),
    row(
        ("--Wext-lambda-captures-this", "-Wext-lambda-captures-this"),
        Bare,
        Ignored,
        "",
        "",
        "clang has no such warning",
    ),
    row(
        ("--Wno-deprecated-declarations", "-Wno-deprecated-declarations"),
        Bare,
        Pass("-Wno-deprecated-declarations"),
        "-Wno-deprecated-declarations -c a.cu",
        "-Wno-deprecated-declarations",
        "the same",
    ),
    row(
        ("--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets"),
        Bare,
        Ignored,
        "",
        "",
        "clang has no such warning",
    ),
    row(("--Werror", "-Werror"), List, Ignored, "", "", "of nvcc's own kinds; `-Xcompiler -Werror` is clang's"),
    row(
        ("--resource-usage", "-res-usage"),
        Bare,
        Either(&["-Xcuda-ptxas", "-v"], &[]),
        "-res-usage -c a.cu",
        "-Xcuda-ptxas -v",
        "ptxas's -v",
    ),
    row(("--extensible-whole-program", "-ewp"), Bare, Ignored, "", "", "of libraries of NVIDIA"),
    row(("--no-compress", "-no-compress"), Bare, Ignored, "", "", "fat binaries are compressed as `fatbinary` does"),
    row(("--compress-mode", "-compress-mode"), One, Ignored, "", "", "fat binaries are compressed as `fatbinary` does"),
    row(("--qpp-config", "-qpp-config"), One, Ignored, "", "", "of QNX"),
    row(
        ("--compile-as-tools-patch", "-astoolspatch"),
        Bare,
        Refused,
        "",
        "",
        "patches of NVIDIA's tools are not made by clang",
    ),
    row(
        ("--list-gpu-code", "-code-ls"),
        Bare,
        Refused,
        "",
        "",
        "`clang --print-supported-cpus --target=nvptx64` lists them",
    ),
    row(
        ("--list-gpu-arch", "-arch-ls"),
        Bare,
        Refused,
        "",
        "",
        "`clang --print-supported-cpus --target=nvptx64` lists them",
    ),
    row(("--display-error-number", "-err-no"), Bare, Ignored, "", "", "clang's messages have names, not numbers"),
    row(("--no-display-error-number", "-no-err-no"), Bare, Ignored, "", "", "clang's messages have names, not numbers"),
    row(("--diag-error", "-diag-error"), List, Ignored, "", "", "numbers of messages that clang does not have"),
    row(("--diag-suppress", "-diag-suppress"), List, Ignored, "", "", "numbers of messages that clang does not have"),
    row(("--diag-warn", "-diag-warn"), List, Ignored, "", "", "numbers of messages that clang does not have"),
    row(("--host-linker-script", "-hls"), One, Ignored, "", "", "clang needs no script"),
    row(("--augment-host-linker-script", "-aug-hls"), Bare, Ignored, "", "", "clang needs no script"),
    row(("--relocatable-link", "-r"), Bare, Pass("-r"), "-r a.o -o b.o", "-r", "the same"),
    row(("--brief-diagnostics", "-brief-diag"), Truth, Ignored, "", "", "clang's messages are as they are"),
    row(("--jump-table-density", "-jtd"), One, Ignored, "", "", "LLVM decides"),
    row(("--relocatable-ptx", "-reloc-ptx"), Bare, Ignored, "", "", "PTX is not linked"),
    row(("--device-stack-protector", "-device-stack-protector"), Truth, Ignored, "", "", "clang has none for NVPTX"),
    row(
        ("--frandom-seed", "-frandom-seed"),
        One,
        PassJoined("-frandom-seed="),
        "-frandom-seed=1 -c a.cu",
        "-frandom-seed=1",
        "the same",
    ),
    row(("--sanitize", "-sanitize"), One, Ignored, "", "", "run the program under compute-sanitizer"),
    row(("--jobserver", "-jobserver"), Bare, Ignored, "", "", "architectures are compiled one after the other"),
    row(("--help", "-h"), Bare, Help, "", "", "says what is there"),
    row(("--version", "-V"), Bare, Version, "", "", "clang's version, and the CUDA release in nvcc's words"),
    row(("--options-file", "-optf"), List, ResponseFile, "", "", "the same; `@FILE` too"),
    // ours
    row(
        ("--fallback", "--fallback"),
        Bare,
        Fallback,
        "",
        "",
        "what clang refuses is compiled by nvcc, object for object, and that is said",
    ),
    row(
        ("--nvcc", "--nvcc"),
        One,
        RealCompiler,
        "",
        "",
        "the nvcc of --fallback (else `WARPWISE_NVCC`, else that of the CUDA tree)",
    ),
];

/// The row of a flag as it is written, without a value.
pub fn find(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.long == name || flag.short == name || flag.long.strip_prefix('-') == Some(name))
}

/// The row of a flag with its value right behind it (`-O3`), and the value.
pub fn find_joined(token: &str) -> Option<(&'static Flag, &str)> {
    let candidates = FLAGS.iter().filter(|flag| flag.value == Joined);
    let (flag, value) = candidates.filter_map(|flag| token.strip_prefix(flag.short).map(|rest| (flag, rest))).next()?;
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let takes_numbers_only = matches!(flag.short, "-m" | "-t"); // `-march=…`, `-target` are clang's
    (!value.is_empty() && (is_number || !takes_numbers_only)).then_some((flag, value))
}

/// The table of docs/NVCC.md.
pub fn markdown() -> String {
    let mut text = String::from("| flag | short | example | clang is given | |\n|---|---|---|---|---|\n");
    let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{text}`") };
    for flag in FLAGS {
        let short = if flag.short == flag.long { "" } else { flag.short };
        let fate = match flag.meaning {
            Ignored => format!("ignored: {}", flag.note),
            Refused => format!("refused: {}", flag.note),
            _ => flag.note.to_owned(),
        };
        let cells = [code(flag.long), code(short), code(flag.example), code(flag.gives), fate];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}
