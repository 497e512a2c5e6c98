//! What are nvcc's flags, in the order of its help, and our own? [`super::flags`] defines what a row means.

use super::flags::Meaning::*;
use super::flags::Value::*;
use super::flags::{Flag, Meaning, Phase, Value};

const fn row(
    long: &'static str,
    short: &'static str,
    value: Value,
    meaning: Meaning,
    example: &'static str,
    gives: &'static str,
    note: &'static str,
) -> Flag {
    Flag { long, short, value, meaning, example, gives, note }
}

const fn ignored(long: &'static str, short: &'static str, value: Value, note: &'static str) -> Flag {
    row(long, short, value, Ignored, "", "", note)
}

const fn refused(long: &'static str, short: &'static str, note: &'static str) -> Flag {
    row(long, short, Bare, Refused, "", "", note)
}

/// Clang has it too.
const SAME: &str = "the same";

/// Device code whose divisions and square roots are as precise as `--use_fast_math` allows.
const APPROXIMATE_DIVISION: &str = "-Xarch_device -mllvm=-nvptx-prec-divf32=0";
const EXACT_DIVISION: &str = "-Xarch_device -mllvm=-nvptx-prec-divf32=2";
const APPROXIMATE_ROOT: &str =
    "-Xarch_device -mllvm=-nvptx-prec-sqrtf32=0 -Xarch_device -mllvm=-nvvm-reflect-add=__CUDA_PREC_SQRT=0";
/// The second asks libdevice, of which clang forgets it: its `sqrtf` is approximate. nvcc's default.
pub(super) const EXACT_ROOT: &str =
    "-Xarch_device -mllvm=-nvptx-prec-sqrtf32=1 -Xarch_device -mllvm=-nvvm-reflect-add=__CUDA_PREC_SQRT=1";
const FLUSH: &str = "-fgpu-flush-denormals-to-zero";
const NO_FLUSH: &str = "-fno-gpu-flush-denormals-to-zero";
const FUSE_MULTIPLY: &str = "-Xarch_device -ffp-contract=fast";
const NO_FUSE_MULTIPLY: &str = "-Xarch_device -ffp-contract=off";
/// Clang's headers take the fast sine, cosine and two logarithms of libdevice; nvcc takes all that there are.
const FAST_MATH: &str = "-fgpu-flush-denormals-to-zero -fgpu-approx-transcendentals \
    -Xarch_device -mllvm=-nvptx-prec-divf32=0 -Xarch_device -mllvm=-nvptx-prec-sqrtf32=0 \
    -Xarch_device -mllvm=-nvvm-reflect-add=__CUDA_PREC_SQRT=0 -Xarch_device -D__nv_expf=__nv_fast_expf \
    -Xarch_device -D__nv_exp10f=__nv_fast_exp10f -Xarch_device -D__nv_log10f=__nv_fast_log10f \
    -Xarch_device -D__nv_powf=__nv_fast_powf -Xarch_device -D__nv_tanf=__nv_fast_tanf";

/// Every flag of nvcc 13.0.
#[rustfmt::skip]
pub(super) const FLAGS: &[Flag] = &[
    // what to make
    refused("--cuda", "-cuda", "nvcc's host code with stubs is not made by clang; compile with -c"),
    row("--cubin", "-cubin", Bare, Goal(Phase::Cubin), "-cubin a.cu", "--cuda-device-only -c",
        "device code only, one architecture"),
    row("--fatbin", "-fatbin", Bare, Goal(Phase::Fatbin), "-fatbin a.cu", "--cuda-device-only -c",
        "each architecture by itself, put together by `fatbinary`"),
    row("--ptx", "-ptx", Bare, Goal(Phase::Ptx), "-ptx a.cu", "--cuda-device-only -S",
        "device code only, one architecture"),
    refused("--optix-ir", "-optix-ir", "clang makes no OptiX IR; use nvcc for this file"),
    refused("--ltoir", "-ltoir", "clang makes no NVVM IR for link-time optimisation; use -ptx"),
    row("--preprocess", "-E", Bare, Goal(Phase::Preprocess), "-E a.cu", "-E",
        "device and host side, one after the other"),
    row("--generate-dependencies", "-M", Bare, Goal(Phase::Dependencies), "-M a.cu", "--cuda-host-only -M", SAME),
    row("--generate-nonsystem-dependencies", "-MM", Bare, Goal(Phase::UserDependencies), "-MM a.cu",
        "--cuda-host-only -MM", SAME),
    row("--generate-dependencies-with-compile", "-MD", Bare, Pass("-MD"), "-MD -c a.cu", "-MD", SAME),
    row("--generate-nonsystem-dependencies-with-compile", "-MMD", Bare, Pass("-MMD"), "-MMD -c a.cu", "-MMD", SAME),
    row("--dependency-output", "-MF", One, Pass("-MF"), "-MD -MF a.d -c a.cu", "-MF a.d", SAME),
    row("--generate-dependency-targets", "-MP", Bare, Pass("-MP"), "-MD -MP -c a.cu", "-MP", SAME),
    row("--dependency-target-name", "-MT", One, Pass("-MT"), "-MD -MT x -c a.cu", "-MT x", SAME),
    row("--compile", "-c", Bare, Goal(Phase::Compile), "-c a.cu", "-c", SAME),
    row("--device-c", "-dc", Bare, Sets(|to, _| (to.goal, to.is_relocatable) = (Some(Phase::Compile), true)),
        "-dc a.cu", "-fgpu-rdc", "relocatable device code"),
    row("--device-w", "-dw", Bare, Sets(|to, _| (to.goal, to.is_relocatable) = (Some(Phase::Compile), false)),
        "-dw a.cu", "-fno-gpu-rdc", "whole-program device code"),
    row("--device-link", "-dlink", Bare, Goal(Phase::DeviceLink), "-dlink a.o -o d.o", "",
        "an object with the linked device code and its registration, by clang-linker-wrapper"),
    row("--link", "-link", Bare, Goal(Phase::Link), "-link a.o", "a.o", SAME),
    row("--lib", "-lib", Bare, Goal(Phase::Archive), "-lib a.cu -o a.a", "", "objects, then `ar rcs`"),
    row("--run", "-run", Bare, Sets(|to, _| to.runs = true), "", "", "links, then runs the program"),
    row("--run-args", "-run-args", List, RunArguments, "", "", "the program's arguments under -run"),
    row("--output-file", "-o", Joined, Ours(|to, file| to.output = Some(file.into())), "-c a.cu -o b.o",
        "-o b.o", SAME),
    row("--output-directory", "-odir", One, Ours(|to, folder| to.output_folder = Some(folder.into())),
        "-c a.cu -odir out", "-o out/a.o", "the folder of outputs without -o"),
    ignored("--objdir-as-tempdir", "-objtemp", Bare, "temporary files lie in a folder of their own"),
    // files and folders
    row("--pre-include", "-include", List, Behind("-include"), "-include a.h -c a.cu", "-include a.h", SAME),
    row("--library", "-l", Joined, PassJoined("-l"), "a.o -lm", "-lm", SAME),
    row("--define-macro", "-D", Joined, PassJoined("-D"), "-D N=3 -c a.cu", "-DN=3", SAME),
    row("--undefine-macro", "-U", Joined, PassJoined("-U"), "-UN -c a.cu", "-UN", SAME),
    row("--include-path", "-I", Joined, PassJoined("-I"), "-I inc -c a.cu", "-Iinc", SAME),
    row("--system-include", "-isystem", List, Behind("-isystem"), "-isystem inc -c a.cu", "-isystem inc", SAME),
    row("--library-path", "-L", Joined, PassJoined("-L"), "a.o -Llib", "-Llib", SAME),
    ignored("--compiler-bindir", "-ccbin", One,
        "clang is the host compiler; `-Xcompiler --gcc-install-dir=DIR` chooses another C++ library"),
    ignored("--allow-unsupported-compiler", "-allow-unsupported-compiler", Bare, "no host compiler is checked"),
    row("--archiver-binary", "-arbin", One, Sets(|to, archiver| to.archiver = Some(archiver)), "", "", SAME),
    row("--cudart", "-cudart", One, Cudart, "a.o -cudart shared", "-lcudart", "the same: `static`, `shared`, `none`"),
    ignored("--cudadevrt", "-cudadevrt", One,
        "`libcudadevrt` is not linked: give `-lcudadevrt` for launches from the device"),
    ignored("--libdevice-directory", "-ldir", One, "libdevice comes from the CUDA tree"),
    ignored("--target-directory", "-target-dir", One, "the CUDA tree has one target"),
    ignored("--use-local-env", "-use-local-env", Bare, "Windows only"),
    ignored("--force-cl-env-setup", "-force-cl-env-setup", Bare, "Windows only"),
    // debugging and optimisation
    row("--profile", "-pg", Bare, Pass("-pg"), "-pg -c a.cu", "-pg", "the same, host code"),
    row("--debug", "-g", Bare, Either("-Xarch_host -g", ""), "-g -c a.cu", "-Xarch_host -g", "host code"),
    row(
        "--device-debug",
        "-G",
        Bare,
        Either("-Xarch_device -g --cuda-noopt-device-debug -Xarch_device -O0", ""),
        "-G -c a.cu",
        "--cuda-noopt-device-debug",
        "full debug information and -O0 in device code",
    ),
    row("--generate-line-info", "-lineinfo", Bare, Either("-Xarch_device -gline-tables-only", ""),
        "-lineinfo -c a.cu", "-Xarch_device -gline-tables-only", "line tables in device code"),
    ignored("--optimization-info", "-opt-info", List, "see -Rpass=inline"),
    row("--optimize", "-O", Joined, Sets(|to, level| to.host_level = Some(level.to_string_lossy().into_owned())),
        "-O1 -c a.cu", "-Xarch_host -O1",
        "host code; device code has -O3 unless -G or -dopt=off says otherwise, as with nvcc"),
    ignored("--Ofast-compile", "-Ofc", One, "a faster compile of device code is not offered"),
    row("--dopt", "-dopt", One, Either("", "-Xarch_device -O0"), "", "", "device code is optimised anyway"),
    refused("--dlink-time-opt", "-dlto", "link-time optimisation of device code: leave it out, or use -rdc=true"),
    refused("--lto", "-lto", "link-time optimisation of device code: leave it out, or use -rdc=true"),
    ignored("--gen-opt-lto", "-gen-opt-lto", Bare, "there is no link-time optimisation of device code"),
    row("--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", One, PassJoined("-ftemplate-backtrace-limit="),
        "-ftemplate-backtrace-limit 3 -c a.cu", "-ftemplate-backtrace-limit=3", SAME),
    row("--ftemplate-depth", "-ftemplate-depth", One, PassJoined("-ftemplate-depth="), "-ftemplate-depth=99 -c a.cu",
        "-ftemplate-depth=99", SAME),
    row("--no-exceptions", "-noeh", Bare, Pass("-fno-exceptions"), "-noeh -c a.cu", "-fno-exceptions",
        "`-fno-exceptions`"),
    row("--shared", "-shared", Bare, Pass("-shared"), "-shared a.o -o a.so", "-shared", SAME),
    row("--x", "-x", Joined, Language, "-x cu -c a.cpp", "-x cuda", "`cu` is clang's `cuda`"),
    row("--std", "-std", One, PassJoined("-std="), "-std c++17 -c a.cu", "-std=c++17", SAME),
    ignored("--no-host-device-initializer-list", "-nohdinitlist", Bare,
        "clang takes constexpr functions for both sides"),
    ignored("--no-host-device-move-forward", "-nohdmoveforward", Bare,
        "clang takes constexpr functions for both sides"),
    ignored("--expt-relaxed-constexpr", "-expt-relaxed-constexpr", Bare, "clang does so anyway"),
    ignored("--extended-lambda", "-extended-lambda", Bare, "clang does so anyway"),
    ignored("--expt-extended-lambda", "-expt-extended-lambda", Bare, "clang does so anyway"),
    ignored("--machine", "-m", Joined, "64 bits are the only choice"),
    ignored("--m64", "-m64", Bare, "64 bits are the only choice"),
    // other tools' options
    row("--compiler-options", "-Xcompiler", List, PassEach, "-Xcompiler -fPIC,-Wall -c a.cu", "-fPIC -Wall",
        "clang's own arguments; warnings that only GCC knows are ignored"),
    row("--linker-options", "-Xlinker", List, Behind("-Xlinker"), "a.o -Xlinker -rpath,lib",
        "-Xlinker -rpath -Xlinker lib", SAME),
    ignored("--archive-options", "-Xarchive", List, "`ar rcs` needs none"),
    row("--ptxas-options", "-Xptxas", List, Behind("-Xcuda-ptxas"), "-Xptxas -v -c a.cu", "-Xcuda-ptxas -v",
        "`-Xcuda-ptxas`"),
    row("--nvlink-options", "-Xnvlink", List, Behind("-Xoffload-linker"), "-rdc=true a.o -Xnvlink -v",
        "-Xoffload-linker -v", "`-Xoffload-linker`"),
    ignored("--static-global-template-stub", "-static-global-template-stub", Truth,
        "clang's stubs have the linkage of the kernel"),
    ignored("--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", Truth,
        "only for shared libraries; clang keeps the source's visibility"),
    ignored("--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", Bare,
        "flags of clang are taken anyway"),
    ignored("--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", Bare,
        "flags of clang are taken anyway"),
    ignored("--forward-unknown-opts", "-forward-unknown-opts", Bare, "flags of clang are taken anyway"),
    ignored("--dont-use-profile", "-noprof", Bare, "there is no nvcc.profile"),
    row("--dryrun", "-dryrun", Bare, Sets(|to, _| to.is_dry_run = true), "", "", "prints the commands and runs none"),
    row("--verbose", "-v", Bare, Sets(|to, _| to.is_verbose = true), "-v -c a.cu", "-c",
        "prints the commands and runs them"),
    ignored("--threads", "-t", Joined, "architectures are compiled one after the other"),
    ignored("--split-compile", "-split-compile", One, "device code is optimised by one thread"),
    ignored("--split-compile-extended", "-split-compile-extended", One, "device code is optimised by one thread"),
    row("--fdevice-syntax-only", "-fdevice-syntax-only", Bare, Pass("-fsyntax-only"), "-fdevice-syntax-only -c a.cu",
        "-fsyntax-only", "`-fsyntax-only`"),
    row("--fdevice-time-trace", "-fdevice-time-trace", One, PassJoined("-ftime-trace="),
        "-fdevice-time-trace t.json -c a.cu", "-ftime-trace=t.json", "`-ftime-trace=`"),
    row("--keep", "-keep", Bare, Pass("-save-temps=obj"), "-keep -c a.cu", "-save-temps=obj", "`-save-temps=obj`"),
    row("--keep-dir", "-keep-dir", One, KeepFolder, "", "", "kept files lie beside the output"),
    row("--save-temps", "-save-temps", Bare, Pass("-save-temps=obj"), "-save-temps -c a.cu", "-save-temps=obj",
        "`-save-temps=obj`"),
    refused("--clean-targets", "-clean", "nothing is left behind that would need deleting; delete the outputs"),
    ignored("--time", "-time", One, "see -ftime-report"),
    ignored("--input-drive-prefix", "-idp", One, "Windows only"),
    ignored("--dependency-drive-prefix", "-ddp", One, "Windows only"),
    ignored("--drive-prefix", "-dp", One, "Windows only"),
    ignored("--no-align-double", "--no-align-double", Bare, "32-bit hosts only"),
    ignored("--no-device-link", "-nodlink", Bare, "device code is linked where it has to be"),
    // architectures
    row(
        "--gpu-architecture",
        "-arch",
        One,
        Sets(|to, name| to.architectures.default = Some(name.to_string_lossy().into_owned())),
        "-arch=sm_90 -c a.cu",
        "--offload-arch=sm_90 --cuda-include-ptx=sm_90",
        "machine code and PTX; `native`, `all`, `all-major` too; `compute_N` brings machine code as well",
    ),
    row("--gpu-code", "-code", List, Code, "-arch=compute_80 -code=sm_80,sm_90 -c a.cu", "--offload-arch=sm_90",
        "machine code of each `sm_N`, PTX of each `compute_N`"),
    row("--generate-code", "-gencode", One, Generate, "-gencode arch=compute_90,code=[sm_90,compute_90] -c a.cu",
        "--offload-arch=sm_90", "machine code of each `sm_N`, PTX of each `compute_N`"),
    row("--relocatable-device-code", "-rdc", Truth, Relocatable, "-rdc=true -c a.cu", "-fgpu-rdc",
        "`-fgpu-rdc`; objects of nvcc and of clang cannot be linked together then"),
    ignored("--entries", "-e", List, "all kernels are compiled"),
    row("--maxrregcount", "-maxrregcount", One, PassJoined("-mllvm -warpwise-regs=|-Xcuda-ptxas --maxrregcount="),
        "-maxrregcount=64 -c a.cu", "-mllvm -warpwise-regs=64 -Xcuda-ptxas --maxrregcount=64", "ptxas's, and the plugin's"),
    row("--use_fast_math", "-use_fast_math", Bare, Either(FAST_MATH, ""), "--use_fast_math -c a.cu",
        "-fgpu-flush-denormals-to-zero -fgpu-approx-transcendentals", "the same in device code"),
    row("--ftz", "-ftz", Truth, Either(FLUSH, NO_FLUSH), "-ftz=true -c a.cu", "-fgpu-flush-denormals-to-zero",
        "`-fgpu-flush-denormals-to-zero`"),
    row("--prec-div", "-prec-div", Truth, Either(EXACT_DIVISION, APPROXIMATE_DIVISION), "-prec-div=false -c a.cu",
        "-Xarch_device -mllvm=-nvptx-prec-divf32=0", SAME),
    row("--prec-sqrt", "-prec-sqrt", Truth, Either(EXACT_ROOT, APPROXIMATE_ROOT), "-prec-sqrt=false -c a.cu",
        "-Xarch_device -mllvm=-nvptx-prec-sqrtf32=0", "in libdevice too"),
    row("--fmad", "-fmad", Truth, Either(FUSE_MULTIPLY, NO_FUSE_MULTIPLY), "-fmad=false -c a.cu",
        "-Xarch_device -ffp-contract=off", "`-ffp-contract`"),
    ignored("--extra-device-vectorization", "-extra-device-vectorization", Bare, "clang decides"),
    row("--default-stream", "-default-stream", One, DefaultStream, "-default-stream per-thread -c a.cu",
        "-Xclang -fgpu-default-stream=per-thread", SAME),
    row("--disable-warnings", "-w", Bare, Pass("-w"), "-w -c a.cu", "-w", SAME),
    ignored("--keep-device-functions", "-keep-device-functions", Bare,
        "unused device functions are dropped; -rdc=true keeps them"),
    ignored("--source-in-ptx", "-src-in-ptx", Bare, "PTX carries line numbers with -lineinfo"),
    row("--restrict", "-restrict", Bare, Either("-mllvm -warpwise-assume-restrict", ""), "-restrict -c a.cu",
        "-mllvm -warpwise-assume-restrict", "for the arguments of kernels"),
    // warnings
    row("--Wreorder", "-Wreorder", Bare, Pass("-Wreorder"), "-Wreorder -c a.cu", "-Wreorder", SAME),
    ignored("--Wdefault-stream-launch", "-Wdefault-stream-launch", Bare, "clang has no such warning"),
    ignored("--Wmissing-launch-bounds", "-Wmissing-launch-bounds", Bare, "see -Rpass-missed=warpwise"),
    ignored("--Wext-lambda-captures-this", "-Wext-lambda-captures-this", Bare, "clang has no such warning"),
    row("--Wno-deprecated-declarations", "-Wno-deprecated-declarations", Bare, Pass("-Wno-deprecated-declarations"),
        "-Wno-deprecated-declarations -c a.cu", "-Wno-deprecated-declarations", SAME),
    ignored("--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", Bare, "clang has no such warning"),
    ignored("--Werror", "-Werror", List, "names kinds of nvcc's warnings; `-Xcompiler -Werror` is clang's"),
    row("--resource-usage", "-res-usage", Bare, Either("-Xcuda-ptxas -v", ""), "-res-usage -c a.cu",
        "-Xcuda-ptxas -v", "ptxas's -v"),
    ignored("--extensible-whole-program", "-ewp", Bare, "only for NVIDIA's libraries"),
    ignored("--no-compress", "-no-compress", Bare, "fat binaries are compressed as `fatbinary` does"),
    ignored("--compress-mode", "-compress-mode", One, "fat binaries are compressed as `fatbinary` does"),
    ignored("--qpp-config", "-qpp-config", One, "QNX only"),
    refused("--compile-as-tools-patch", "-astoolspatch", "patches of NVIDIA's tools are not made by clang"),
    refused("--list-gpu-code", "-code-ls", "`clang --print-supported-cpus --target=nvptx64` lists them"),
    refused("--list-gpu-arch", "-arch-ls", "`clang --print-supported-cpus --target=nvptx64` lists them"),
    ignored("--display-error-number", "-err-no", Bare, "clang's messages have names, not numbers"),
    ignored("--no-display-error-number", "-no-err-no", Bare, "clang's messages have names, not numbers"),
    ignored("--diag-error", "-diag-error", List, "clang's messages have no numbers"),
    ignored("--diag-suppress", "-diag-suppress", List, "clang's messages have no numbers"),
    ignored("--diag-warn", "-diag-warn", List, "clang's messages have no numbers"),
    ignored("--host-linker-script", "-hls", One, "clang needs no script"),
    ignored("--augment-host-linker-script", "-aug-hls", Bare, "clang needs no script"),
    row("--relocatable-link", "-r", Bare, Pass("-r"), "-r a.o -o b.o", "-r", SAME),
    ignored("--brief-diagnostics", "-brief-diag", Truth, "clang's messages have one form"),
    ignored("--jump-table-density", "-jtd", One, "LLVM decides"),
    ignored("--relocatable-ptx", "-reloc-ptx", Bare, "PTX is not linked"),
    ignored("--device-stack-protector", "-device-stack-protector", Truth, "clang has none for NVPTX"),
    row("--frandom-seed", "-frandom-seed", One, PassJoined("-frandom-seed="), "-frandom-seed=1 -c a.cu",
        "-frandom-seed=1", SAME),
    ignored("--sanitize", "-sanitize", One, "run the program under compute-sanitizer"),
    ignored("--jobserver", "-jobserver", Bare, "architectures are compiled one after the other"),
    row("--help", "-h", Bare, Sets(|to, _| to.wants_help = true), "", "", "prints a summary"),
    row("--version", "-V", Bare, Sets(|to, _| to.wants_version = true), "", "",
        "clang's version, and the CUDA release in nvcc's words"),
    row("--options-file", "-optf", List, ResponseFile, "", "", "the same; `@FILE` too"),
    // ours
    row("--fallback", "--fallback", Bare, Ours(|to, _| to.falls_back = true), "", "",
        "what clang refuses is compiled by nvcc, object for object, and that is said"),
    row("--nvcc", "--nvcc", One, Ours(|to, nvcc| to.real_compiler = Some(nvcc.into())), "", "",
        "the nvcc of --fallback (else `WARPWISE_NVCC`, else that of the CUDA tree)"),
];
