//! How is a run written as Markdown? This prints the GPU part of docs/BENCHMARKS.md, section by section.

use crate::manifest::Results;
use crate::stats::geometric_mean;
use crate::table::{Section, Table, sections};
use crate::variants::{REFERENCE, Variant};

/// Section id, title, and the sentence under the title. Every section has a row.
const ABOUT: &[(&str, &str, &str)] = &[
    (
        "spill",
        "steer-spills",
        "Speed relative to clang -O3, from plain sources with only the plugin's switches; *told* also has \
         `-warpwise-block`.",
    ),
    (
        "allocators",
        "Few registers",
        "The experiment of Sampaio's dissertation on kernels forced to few registers: ptxas's own spilling (clang), its \
         spilling to shared memory, slots for uniform values only, rematerialisation only, and everything.",
    ),
    ("fuse", "fuse-branches", "Speed relative to clang -O3."),
    (
        "annotate",
        "annotate-uniform",
        "Speed relative to clang -O3. The stencils are built with `-warpwise-assume-restrict`; *by hand* is `__ldg` or the \
         shuffle of the warp's index.",
    ),
    ("map", "divergence-map", "Running time with counters divided by running time without."),
];

/// Sections that also show machine-code counts, and for which variants.
const CODE: &[(&str, &[&str])] = &[("annotate", &["clang", "nvcc", "annotate", "by_hand"])];

/// The Markdown text of a whole run.
pub fn report(results: &Results) -> String {
    let device = &results.device;
    let mut out = format!(
        "{}, {}, {}; bundle of commit {}, {}.\n",
        device.name,
        device.driver,
        results.manifest.arch,
        results.manifest.commit,
        results.manifest.tools.join("; ")
    );
    for section in sections(results) {
        let (_, title, about) =
            ABOUT.iter().find(|(id, ..)| *id == section.section).expect("every section is described");
        out += &format!("\n### {title}\n\n{about}\n\n");
        if section.section == "map" {
            out += &overhead(&section);
            continue;
        }
        out += &speeds(&section);
        for base in [REFERENCE, "nvcc"] {
            if let Some(table) = section.summary(base) {
                out += &format!("\nOver {base}:\n\n{}", table.markdown());
            }
        }
        if let Some((_, variants)) = CODE.iter().find(|(id, _)| *id == section.section) {
            out += &format!("\nRegisters, BSSY, instructions:\n\n{}", code(&section, variants));
        }
    }
    out
}

fn speeds(section: &Section<'_>) -> String {
    let variants = section.variants();
    let mut table = Table::new("kernel");
    table.head.push("clang -O3, ms".into());
    table.head.extend(variants.iter().filter(|v| v.id != REFERENCE).map(|v| v.label.to_owned()));
    for kernel in &section.kernels {
        let cell = |v: &Variant| match section.results.speedup(section.section, kernel, v.id, REFERENCE) {
            Some(_) if v.id == REFERENCE => ms(section, kernel, v.id),
            Some(speedup) => format!("{speedup:.2}"),
            None => String::new(),
        };
        table.rows.push(((*kernel).to_owned(), variants.iter().map(|v| cell(v)).collect()));
    }
    table.markdown()
}

fn ms(section: &Section<'_>, kernel: &str, variant: &str) -> String {
    section.results.ms(section.section, kernel, variant).map_or(String::new(), |ms| format!("{ms:.4}"))
}

fn code(section: &Section<'_>, variants: &[&str]) -> String {
    let mut table = Table::new("kernel");
    let shown: Vec<_> = section.variants().into_iter().filter(|v| variants.contains(&v.id)).collect();
    table.head.extend(shown.iter().map(|v| v.label.to_owned()));
    for kernel in &section.kernels {
        let cell = |v: &&Variant| {
            let counts = section.cubin(kernel, v.id).map(|cubin| cubin.counts);
            counts.map_or(String::new(), |c| format!("{}, {}, {}", c.registers, c.bssy, c.instructions))
        };
        table.rows.push(((*kernel).to_owned(), shown.iter().map(cell).collect()));
    }
    table.markdown()
}

/// Running time with counters divided by running time without, with geometric mean and maximum.
fn overhead(section: &Section<'_>) -> String {
    let mut table = Table::new("kernel");
    table.head.extend(["clang -O3, ms", "with map, ms", "times"].map(str::to_owned));
    let mut factors = Vec::new();
    for kernel in &section.kernels {
        let Some(speedup) = section.results.speedup(section.section, kernel, "map", REFERENCE) else { continue };
        factors.push(1.0 / speedup);
        let row = vec![ms(section, kernel, REFERENCE), ms(section, kernel, "map"), format!("{:.2}", 1.0 / speedup)];
        table.rows.push(((*kernel).to_owned(), row));
    }
    let worst = factors.iter().copied().fold(f64::NAN, f64::max);
    let mean = geometric_mean(&factors);
    format!("{}\nGeometric mean {mean:.2}, worst {worst:.2}, over {} kernels.\n", table.markdown(), factors.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::{SECTIONS, VARIANTS};

    #[test]
    fn every_section_and_variant_is_known() {
        assert!(SECTIONS.iter().all(|s| ABOUT.iter().any(|(id, ..)| id == s)));
        assert!(CODE.iter().flat_map(|(_, ids)| *ids).all(|id| VARIANTS.iter().any(|v| v.id == *id)));
    }
}
