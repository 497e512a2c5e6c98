//! How is the folder built that a GPU machine needs?
//!
//! For every kernel, its products (one cubin for each way of building it, [`Made`]) are built in a cache folder, each
//! with a stamp of everything that went into it, so that a second build only rebuilds what changed. Then the bundle is
//! assembled: `cubins/`, `manifest.json`, this program, and `run`, which starts it.
//!
//! A variant that does not build is recorded with the reason, and the rest continues. The whole build fails only if a
//! description does not fit its kernel, or if plain clang does not compile a kernel.

use crate::cubin;
use crate::launch::{Arg, Description};
use crate::manifest::{Build, Counts, Cubin, Kernel, Manifest};
use crate::variants::{self, Entry, Made, REFERENCE, SECTIONS, VARIANTS, Variant};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What to build, from what, and where.
pub struct Options {
    /// Folder with a folder per section.
    pub kernels: PathBuf,
    pub out: PathBuf,
    pub cache: PathBuf,
    /// LLVM 22's prefix.
    pub llvm: PathBuf,
    /// The CUDA tree, including the disassembler.
    pub cuda: PathBuf,
    /// libwarpwise.so; without it the variants that need it are omitted.
    pub plugin: Option<PathBuf>,
    pub arch: String,
    /// Empty: all.
    pub sections: Vec<String>,
    /// Empty: all.
    pub only: Vec<String>,
    /// Number of compilers that run in parallel.
    pub jobs: usize,
    /// Commit to record in the manifest.
    pub commit: String,
}

/// The source of a kernel.
struct Source {
    name: String,
    folder: String,
    path: PathBuf,
    text: String,
    description: Description,
}

/// Products built from a source; counts for each entry are taken from the two texts.
#[derive(Clone)]
struct Product {
    cubin: PathBuf,
    ptxas: String,
    sass: String,
}

/// One way of building a cubin; several variants may share it.
type ProductId = &'static str;

/// Builds the bundle. The sentences returned say which variants were omitted, and why.
pub fn build(options: &Options) -> Result<Vec<String>> {
    let sources = read_sources(options)?;
    ensure!(!sources.is_empty(), "no kernel is left to build in {}", options.kernels.display());
    let headers_hash = hash(&read_headers(&options.kernels)?);
    let plugin_hash = match &options.plugin {
        Some(path) => hash(&fs::read(path).with_context(|| format!("cannot read {}", path.display()))?),
        None => 0,
    };
    fs::create_dir_all(&options.cache)?;

    let built = Mutex::new(BTreeMap::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let products = Builder { options, source, plugin_hash, headers_hash }.products();
                    built.lock().expect("no builder panics").insert(source.name.clone(), products);
                }
            });
        }
    });
    lay_out(options, &sources, &built.into_inner().expect("no builder panics"))
}

/// All kernels selected by the options, in order of section and name.
fn read_sources(options: &Options) -> Result<Vec<Source>> {
    if let Some(name) = options.sections.iter().find(|name| !SECTIONS.contains(&name.as_str())) {
        bail!("there is no section '{name}' (sections: {})", SECTIONS.join(", "));
    }
    let mut sources = find_sources(&options.kernels)?;
    if let Some(name) = options.only.iter().find(|name| sources.iter().all(|s| s.name != **name)) {
        bail!("there is no kernel '{name}'");
    }
    sources.retain(|source| {
        let wanted = options.only.is_empty() || options.only.contains(&source.name);
        wanted && source.sections(options).next().is_some()
    });
    Ok(sources)
}

/// All kernels of a folder, in order of section and name.
fn find_sources(kernels: &Path) -> Result<Vec<Source>> {
    let mut sources: Vec<Source> = Vec::new();
    for folder in SECTIONS {
        let Ok(entries) = fs::read_dir(kernels.join(folder)) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
        paths.retain(|p| p.extension().is_some_and(|e| e == "cu"));
        paths.sort();
        for path in paths {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path)?;
            let description = Description::parse(&text).with_context(|| path.display().to_string())?;
            if let Some(section) = description.also.iter().find(|s| !SECTIONS.contains(&s.as_str())) {
                bail!("{}: there is no section '{section}'", path.display());
            }
            if let Some(before) = sources.iter().find(|s| s.name == name) {
                bail!("two kernels are called '{name}', in {} and in {folder}", before.folder);
            }
            sources.push(Source { name, folder: (*folder).into(), path, text, description });
        }
    }
    Ok(sources)
}

/// The launch descriptions of the kernels in a folder, by `SECTION/NAME`.
pub fn descriptions(kernels: &Path) -> Result<BTreeMap<String, Description>> {
    let sources = find_sources(kernels)?;
    Ok(sources.into_iter().map(|s| (format!("{}/{}", s.folder, s.name), s.description)).collect())
}

/// The headers that sources share; if one changes, everything is rebuilt.
fn read_headers(kernels: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(kernels).with_context(|| kernels.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "h"));
    paths.sort();
    paths.iter().map(|p| Ok(fs::read_to_string(p)?)).collect()
}

impl Source {
    /// Sections it runs in, of those asked for.
    fn sections<'a>(&'a self, options: &'a Options) -> impl Iterator<Item = &'static str> + 'a {
        SECTIONS.iter().copied().filter(|section| {
            let member = self.folder == *section || self.description.also.iter().any(|s| s == section);
            member && (options.sections.is_empty() || options.sections.iter().any(|s| s == section))
        })
    }

    fn entry(&self, entry: Entry) -> String {
        match entry {
            Entry::Plain => format!("{}_plain", self.name),
            Entry::ByHand => format!("{}_by_hand", self.name),
        }
    }

    fn has(&self, entry: Entry) -> bool {
        let name = self.entry(entry);
        // `NAME(` of a definition, `NAME,` of a macro that makes one.
        ["(", ","].iter().any(|end| self.text.contains(&format!("{name}{end}")))
    }

    fn variants(&self, section: &str) -> impl Iterator<Item = &'static Variant> {
        VARIANTS.iter().filter(move |v| v.sections.contains(&section) && self.has(v.entry))
    }
}

fn product_of(variant: &Variant) -> ProductId {
    match variant.made {
        Made::Clang => "clang",
        Made::Nvcc => "nvcc",
        Made::SharedSpilling | Made::Plugin(_) => variant.id,
    }
}

struct Builder<'a> {
    options: &'a Options,
    source: &'a Source,
    plugin_hash: u64,
    headers_hash: u64,
}

impl Builder<'_> {
    fn products(&self) -> BTreeMap<ProductId, Result<Product, String>> {
        let mut products = BTreeMap::new();
        for section in self.source.sections(self.options) {
            for variant in self.source.variants(section) {
                products.entry(product_of(variant)).or_insert_with(|| self.product(variant));
            }
        }
        products
    }

    /// From the cache, or built now; failures are cached as well.
    fn product(&self, variant: &Variant) -> Result<Product, String> {
        if matches!(variant.made, Made::Plugin(_)) && self.options.plugin.is_none() {
            return Err("no plugin was given".into());
        }
        let stem = self.options.cache.join(format!("{}.{}", self.source.name, product_of(variant)));
        let file = |extension: &str| PathBuf::from(format!("{}.{extension}", stem.display()));
        let stamp = format!("{:016x}\n", self.stamp(variant));
        let fresh = fs::read_to_string(file("stamp")).is_ok_and(|old| old == stamp);
        if !fresh {
            for extension in ["cubin", "failed", "stamp"] {
                let _ = fs::remove_file(file(extension));
            }
            if let Err(error) = self.make(variant, &stem) {
                fs::write(file("failed"), format!("{error:#}")).map_err(|e| e.to_string())?;
            }
            fs::write(file("stamp"), &stamp).map_err(|e| e.to_string())?;
        }
        if let Ok(why) = fs::read_to_string(file("failed")) {
            return Err(why);
        }
        let read = |extension: &str| fs::read_to_string(file(extension)).map_err(|e| e.to_string());
        Ok(Product { cubin: file("cubin"), ptxas: read("log")?, sass: read("sass")? })
    }

    fn stamp(&self, variant: &Variant) -> u64 {
        const LAYOUT: u32 = 1; // of the cache; raise it when `make` changes
        let plugin = matches!(variant.made, Made::Plugin(_)).then_some(self.plugin_hash);
        let Options { llvm, cuda, .. } = self.options;
        hash(&(LAYOUT, &self.source.text, self.headers_hash, self.flags(variant), llvm, cuda, plugin))
    }

    /// The flags that distinguish this variant, as shown in the manifest.
    fn flags(&self, variant: &Variant) -> Vec<String> {
        let arch = &self.options.arch;
        let regs = self.source.description.regs;
        let mut flags: Vec<String> = match variant.made {
            Made::Nvcc => vec!["nvcc".into(), "-O3".into(), format!("-arch={arch}")],
            _ => vec!["clang++".into(), "-O3".into(), format!("--cuda-gpu-arch={arch}")],
        };
        if let Made::Plugin(own) = variant.made {
            flags.push("-fpass-plugin=libwarpwise.so".into());
            let [x, y, z] = self.source.description.full.block;
            let mut add = |options: &[&str]| {
                flags.extend(options.iter().flat_map(|option| {
                    let option = option
                        .replace("{block}", &format!("{x}x{y}x{z}"))
                        .replace("{regs}", &regs.map_or(String::new(), |r| r.to_string()));
                    ["-mllvm".into(), option]
                }));
            };
            add(own);
            if regs.is_some() {
                add(variants::PLUGIN_FORCED_REGS);
            }
            if self.source.description.assume_restrict {
                add(variants::PLUGIN_ASSUME_RESTRICT);
            }
        }
        if matches!(variant.made, Made::SharedSpilling) {
            flags.push(SPILLING_PRAGMA.into());
        }
        flags.extend(regs.map(|regs| format!("-maxrregcount={regs}")));
        flags
    }

    fn make(&self, variant: &Variant, stem: &Path) -> Result<()> {
        let Options { arch, cuda, llvm, .. } = self.options;
        let file = |extension: &str| PathBuf::from(format!("{}.{extension}", stem.display()));
        let (ptx, cubin) = (file("ptx"), file("cubin"));
        let limit = self.source.description.regs.map(|regs| format!("-maxrregcount={regs}"));
        let log = match variant.made {
            Made::Nvcc => {
                let mut nvcc = Command::new(cuda.join("bin/nvcc"));
                nvcc.args(["-O3", "-std=c++17", "-cubin", "-Xptxas", "-v"]).arg(format!("-arch={arch}")).args(&limit);
                run(nvcc.arg(&self.source.path).arg("-o").arg(&cubin))?
            }
            Made::SharedSpilling => {
                let plain = self.product(variants::find(REFERENCE).expect("the table has its reference"));
                let plain = plain.map_err(anyhow::Error::msg)?.cubin.with_extension("ptx");
                fs::write(&ptx, ask_for_shared_spilling(&fs::read_to_string(plain)?))?;
                self.assemble(&ptx, &cubin, &limit)?
            }
            Made::Clang | Made::Plugin(_) => {
                let mut clang = Command::new(llvm.join("bin/clang++"));
                clang.args(["-x", "cuda"]).arg(&self.source.path).args(["-O3", "-std=c++17", "-S"]);
                clang.args(["--cuda-device-only", "-Wno-unknown-cuda-version"]);
                clang.arg(format!("--cuda-path={}", cuda.display())).arg(format!("--cuda-gpu-arch={arch}"));
                if let (Made::Plugin(_), Some(plugin)) = (&variant.made, &self.options.plugin) {
                    // everything after the plugin in the list is for clang, except ptxas's own limit
                    clang.arg(format!("-fpass-plugin={}", plugin.display()));
                    let flags = self.flags(variant);
                    let own = flags.iter().skip_while(|f| !f.starts_with("-fpass-plugin")).skip(1);
                    clang.args(own.filter(|f| Some(*f) != limit.as_ref()));
                }
                run(clang.arg("-o").arg(&ptx))?;
                self.assemble(&ptx, &cubin, &limit)?
            }
        };
        fs::write(file("log"), log)?;
        fs::write(file("sass"), run(Command::new(cuda.join("bin/nvdisasm")).arg("-c").arg(&cubin))?)?;
        if variant.id == REFERENCE {
            self.check_parameters(&fs::read_to_string(&ptx)?)?;
        }
        Ok(())
    }

    fn assemble(&self, ptx: &Path, cubin: &Path, limit: &Option<String>) -> Result<String> {
        let mut ptxas = Command::new(self.options.cuda.join("bin/ptxas"));
        ptxas.args(["-O3", "-v"]).arg(format!("-arch={}", self.options.arch)).args(limit);
        run(ptxas.arg(ptx).arg("-o").arg(cubin))
    }

    /// Whether the described arguments fit the kernels' parameters.
    fn check_parameters(&self, ptx: &str) -> Result<()> {
        let described: Vec<usize> = self.source.description.full.args.iter().map(Arg::param_size).collect();
        for entry in [Entry::Plain, Entry::ByHand].into_iter().filter(|&e| self.source.has(e)) {
            let name = self.source.entry(entry);
            let params = cubin::ptx_params(ptx, &name).with_context(|| format!("no kernel '{name}' in the PTX"))?;
            ensure!(params == described, "'{name}' has parameters of {params:?} bytes, described are {described:?}");
        }
        Ok(())
    }
}

/// Asks ptxas to spill a kernel's registers to shared memory (PTX 9.0).
const SPILLING_PRAGMA: &str = ".pragma \"enable_smem_spilling\";";

/// The pragma in the body of every kernel.
fn ask_for_shared_spilling(ptx: &str) -> String {
    let mut out = String::with_capacity(ptx.len() + 256);
    let mut in_head = false;
    for line in ptx.lines() {
        in_head |= line.contains(".entry ");
        let line = if line.starts_with(".version 8.") { ".version 9.0" } else { line };
        out.push_str(line);
        out.push('\n');
        if in_head && line.trim_end() == "{" {
            out.push_str(SPILLING_PRAGMA);
            out.push('\n');
            in_head = false;
        }
    }
    out
}

/// Runs a tool; returns its output, or the line that says what went wrong.
fn run(command: &mut Command) -> Result<String> {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(text.into_owned());
    }
    let telling = ["error", "fatal", "Unknown", "Assertion", "panicked"];
    let line = text.lines().find(|l| telling.iter().any(|t| l.contains(t))).or(text.lines().last()).unwrap_or("");
    bail!("{name}: {}", line.trim())
}

/// Writes the bundle's folder.
fn lay_out(
    options: &Options,
    sources: &[Source],
    built: &BTreeMap<String, BTreeMap<ProductId, Result<Product, String>>>,
) -> Result<Vec<String>> {
    let cubins = options.out.join("cubins");
    if cubins.exists() {
        fs::remove_dir_all(&cubins)?;
    }
    fs::create_dir_all(&cubins)?;
    let mut left_out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut kernels = Vec::new();
    for source in sources {
        let products = &built[&source.name];
        if let Err(why) = &products[REFERENCE] {
            bail!("{}: {why}", source.path.display());
        }
        for (id, product) in products {
            match product {
                Ok(product) => {
                    fs::copy(&product.cubin, options.out.join(cubin_file(source, id)))?;
                }
                Err(why) => left_out.entry(why.clone()).or_default().push(format!("{}.{id}", source.name)),
            }
        }
    }
    for section in SECTIONS {
        for source in sources.iter().filter(|s| s.sections(options).any(|s| s == *section)) {
            let builder = Builder { options, source, plugin_hash: 0, headers_hash: 0 };
            let build = |variant: &'static Variant| {
                let id = product_of(variant);
                let entry = source.entry(variant.entry);
                let made = built[&source.name][id].clone().map(|product| {
                    let mut counts = Counts::default();
                    cubin::read_ptxas(&product.ptxas, &entry, &mut counts);
                    cubin::read_sass(&product.sass, &entry, &mut counts);
                    Cubin { file: cubin_file(source, id), entry, counts }
                });
                Build { variant: variant.id.into(), flags: builder.flags(variant).join(" "), made }
            };
            kernels.push(Kernel {
                name: source.name.clone(),
                section: (*section).into(),
                launch: source.description.full.clone(),
                small: source.description.small.clone(),
                regs: source.description.regs,
                builds: source.variants(section).map(build).collect(),
            });
        }
    }
    let mut tools = Vec::new();
    for program in [options.llvm.join("bin/clang++"), options.cuda.join("bin/nvcc"), options.cuda.join("bin/ptxas")] {
        let text = run(Command::new(&program).arg("--version"))?;
        let line = text.lines().find(|l| l.contains("version") || l.contains("release")).unwrap_or("").trim();
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        tools.push(format!("{name}: {line}"));
    }
    let manifest = Manifest { arch: options.arch.clone(), commit: options.commit.clone(), tools, kernels };
    fs::write(options.out.join("manifest.json"), serde_json::to_string_pretty(&manifest)?)?;
    let mode: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    let program = options.out.join("warpwise-bench");
    // written to a new file and renamed, because the existing one may be this program, which is running
    let _ = fs::remove_file(&program);
    let strip = options.llvm.join("bin/llvm-strip");
    run(Command::new(strip).arg("-o").arg(&program).arg(std::env::current_exe()?))?;
    fs::set_permissions(&program, mode.clone())?;
    let start = options.out.join("run");
    fs::write(&start, RUN)?;
    fs::set_permissions(&start, mode)?;
    Ok(left_out.into_iter().map(|(why, which)| format!("{why}: {}", which.join(" "))).collect())
}

fn cubin_file(source: &Source, id: ProductId) -> String {
    format!("cubins/{}.{id}.cubin", source.name)
}

const RUN: &str = r#"#!/bin/sh
# Runs every kernel in every variant on this machine's GPU; `./run --help` says what can be chosen.
here="$(cd "$(dirname "$0")" && pwd)" || exit
exec "$here/warpwise-bench" run "$here" "$@"
"#;

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pragma_goes_into_kernel_bodies_only() {
        let ptx = ".version 8.8\n.func helper(\n)\n{\n\tret;\n}\n.visible .entry k(\n)\n.maxntid 256\n{\n\tret;\n}\n";
        let asked = ask_for_shared_spilling(ptx);
        assert_eq!(asked.matches(SPILLING_PRAGMA).count(), 1);
        assert!(asked.contains(&format!(".maxntid 256\n{{\n{SPILLING_PRAGMA}\n")));
        assert!(asked.starts_with(".version 9.0\n"));
    }
}
