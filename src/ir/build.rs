//! Which LLVM do we build against, and is it the right one?
//!
//! Finds LLVM 22 through `LLVM_SYS_221_PREFIX`, then `llvm-config-22` on PATH, then the usual prefix of Debian's
//! packages (LLVM 23, if the features say so, in the same way); compiles the C++ part of the LLVM boundary against its
//! headers; tells the build script of the plugin where it is.

mod cpp;

use cpp::{compile, fail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The LLVM that the features name, and the variable with its prefix, which llvm-sys reads too.
const LLVM: (&str, &str) =
    if cfg!(feature = "llvm23") { ("23", "LLVM_SYS_231_PREFIX") } else { ("22", "LLVM_SYS_221_PREFIX") };
/// Where Rust declares what C++ fills.
const SHARED: [&str; 3] = ["inst.rs", "llvm/walk.rs", "llvm/frequency.rs"];
/// The structs among that, those first that others name.
const STRUCTS: [&str; 12] = [
    "InstData", "ParamData", "BlockData", "GepData", "GepTerm", "Constant", "CallKind", "RawSnapshot", "FlagKinds",
    "Loop", "Unlikely", "RawFrequencies",
];

fn main() {
    let (major, variable) = LLVM;
    println!("cargo:rerun-if-env-changed={variable}");
    for file in ["build.rs", "cpp.rs"].iter().chain(&SHARED) {
        println!("cargo:rerun-if-changed={file}");
    }
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let layout = Path::new(&out).join("walk_layout.h");
    std::fs::write(&layout, shared_layout())
        .unwrap_or_else(|e| fail(&format!("cannot write {}: {e}", layout.display())));
    let config = find_llvm_config();
    let version = query(&config, "--version");
    if version.split('.').next() != Some(major) {
        fail(&format!("{} is LLVM {version}, but warpwise is built for LLVM {major}; {}", config.display(), mend()));
    }
    let headers = query(&config, "--includedir");
    compile("llvm", "warpwise_llvm", &headers, |build| {
        build.include(&out);
    });
    println!("cargo:headers={headers}");
    println!("cargo:programs={}", query(&config, "--bindir"));
    println!("cargo:libraries={}", query(&config, "--libdir"));
}

/// The opcodes, flags and structs that cross from C++ to Rust, as C++: they are declared once, in Rust.
fn shared_layout() -> String {
    let text = |path| std::fs::read_to_string(path).unwrap_or_else(|e| fail(&format!("cannot read {path}: {e}")));
    let rust = SHARED.map(text).concat();
    let enumerator = |(name, value): (String, String)| format!("  WW_{}{value},\n", snake_case(&name));
    let opcodes: String = lines_of(&rust, "pub enum Opcode {").map(|line| enumerator((line, String::new()))).collect();
    let flags = lines_of(&rust, "pub struct Flags: u16 {");
    let flags = flags.filter_map(|line| {
        line.strip_prefix("const ")?.split_once(" =").map(|(name, value)| (name.into(), format!(" ={value}")))
    });
    let flags: String = flags.map(enumerator).collect();
    let mut cpp =
        format!("enum WarpwiseOpcode : uint8_t {{\n{opcodes}}};\nenum WarpwiseFlag : uint16_t {{\n{flags}}};\n");
    for name in STRUCTS {
        let heads = [format!("struct {name} {{"), format!("struct {name}<'m> {{")];
        let fields = heads.iter().flat_map(|head| lines_of(&rust, head)).map(|line| {
            let (field, ty) = line.rsplit_once(": ").unwrap_or_else(|| fail(&format!("no field of {name}: {line}")));
            format!("  {} {};\n", cpp_type(ty), field.rsplit(' ').next().unwrap_or(field))
        });
        cpp += &format!("struct {} {{\n{}}};\n", cpp_name(name), fields.collect::<String>());
    }
    cpp
}

/// The lines of a declaration's body without comments and final punctuation.
fn lines_of<'a>(text: &'a str, head: &str) -> impl Iterator<Item = String> + use<'a> {
    let body = text.split(head).nth(1).and_then(|rest| rest.split('}').next()).unwrap_or("");
    let code = body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    code.map(|line| line.trim_end_matches([',', ';']).to_owned())
}

/// `CondBr` as `COND_BR`, `FAdd` as `FADD`.
fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && text.ends_with(char::is_lowercase) {
            text.push('_');
        }
        text.push(letter);
    }
    text.to_uppercase()
}

fn cpp_name(name: &str) -> String {
    format!("Warpwise{}", name.trim_end_matches("Data"))
}

/// The type of a field in C++.
fn cpp_type(rust: &str) -> String {
    match rust.trim_end_matches("<'m>") {
        "bool" => "bool".into(),
        "i64" => "int64_t".into(),
        "u64" => "uint64_t".into(),
        "u16" | "Flags" => "uint16_t".into(),
        "u8" | "Opcode" => "uint8_t".into(),
        name if name != rust => match name {
            "Value" => "LLVMValueRef".into(),
            "Block" => "LLVMBasicBlockRef".into(),
            "Type" => "LLVMTypeRef".into(),
            _ => cpp_name(name),
        },
        "u32" | "Type" | "Block" | "entity::Type" | "entity::Block" | "entity::Value" => "uint32_t".into(),
        rows if rows.starts_with("Rows<") => {
            format!("warpwise::Rows<{}>", cpp_type(&rows["Rows<".len()..rows.len() - 1]))
        }
        name => cpp_name(name),
    }
}

/// What to do if there is no such LLVM.
fn mend() -> String {
    let (major, variable) = LLVM;
    let mut setup = format!("`scripts/setup` (Debian: `apt-get install llvm-{major}-dev`)");
    if cfg!(feature = "llvm23") {
        setup = "`scripts/setup --llvm23`".into();
    }
    format!("install LLVM {major} with {setup}, or set {variable} to its prefix")
}

fn find_llvm_config() -> PathBuf {
    let (major, variable) = LLVM;
    if let Some(prefix) = std::env::var_os(variable) {
        let config = Path::new(&prefix).join("bin/llvm-config");
        if !config.is_file() {
            let prefix = prefix.to_string_lossy();
            fail(&format!("{variable} is {prefix}, but there is no bin/llvm-config in it; {}", mend()));
        }
        return config;
    }
    let on_path = PathBuf::from(format!("llvm-config-{major}"));
    if Command::new(&on_path).arg("--version").output().is_ok_and(|o| o.status.success()) {
        return on_path;
    }
    let usual = PathBuf::from(format!("/usr/lib/llvm-{major}/bin/llvm-config"));
    if usual.is_file() {
        return usual;
    }
    fail(&format!("no LLVM {major} found; {}", mend()))
}

fn query(config: &Path, flag: &str) -> String {
    match Command::new(config).arg(flag).output() {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).trim().to_owned(),
        _ => fail(&format!("`{} {flag}` failed; {}", config.display(), mend())),
    }
}
