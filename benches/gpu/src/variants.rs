//! In which variants is every kernel built?
//!
//! There is one table, [`VARIANTS`].

/// What builds the cubin.
pub enum Made {
    /// clang -O3 and ptxas.
    Clang,
    /// clang -O3 and ptxas, with the plugin and these options (each after a `-mllvm`). `{block}` is replaced by the
    /// block's shape (`32x8x1`), `{regs}` by the forced register limit.
    Plugin(&'static [&'static str]),
    /// clang -O3, and ptxas told to spill to shared memory.
    SharedSpilling,
    /// nvcc -O3.
    Nvcc,
}

/// Which of the two kernels in a source is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// NAME_plain: the unmodified kernel.
    Plain,
    /// NAME_by_hand: what a transform should make of it, written by hand; not every source has one.
    ByHand,
}

/// One column of the tables.
pub struct Variant {
    /// In file names and JSON.
    pub id: &'static str,
    /// In tables.
    pub label: &'static str,
    pub made: Made,
    pub entry: Entry,
    /// Sections that have it.
    pub sections: &'static [&'static str],
}

/// The sections, in the order of the report. A kernel belongs to the section of its folder and to those in its `//@
/// also` line; `map` has no folder of its own.
pub const SECTIONS: &[&str] = &["spill", "allocators", "fuse", "annotate", "map"];

/// The variant with which all others are compared, in results and in time.
pub const REFERENCE: &str = "clang";

const TRANSFORMS: &[&str] = &["spill", "allocators", "fuse", "annotate"];

pub const VARIANTS: &[Variant] = &[
    variant("clang", "clang -O3", Made::Clang, SECTIONS),
    variant("nvcc", "nvcc -O3", Made::Nvcc, TRANSFORMS),
    variant("smem", "ptxas smem", Made::SharedSpilling, &["spill", "allocators"]),
    variant(
        "annotate",
        "annotate",
        Made::Plugin(&["-warpwise-fuse=0", "-warpwise-steer=0"]),
        &["spill", "fuse", "annotate"],
    ),
    variant(
        "fuse",
        "fuse",
        Made::Plugin(&["-warpwise-annotate=0", "-warpwise-steer=0"]),
        &["spill", "fuse", "annotate"],
    ),
    variant(
        "steer",
        "steer",
        Made::Plugin(&["-warpwise-annotate=0", "-warpwise-fuse=0"]),
        &["spill", "fuse", "annotate"],
    ),
    variant("warpwise", "warpwise", Made::Plugin(&[]), &["spill", "fuse", "annotate"]),
    // the same with the shape of the block, as a user who knows it would state it
    variant("told", "warpwise, told", Made::Plugin(&["-warpwise-block={block}"]), &["spill", "fuse", "annotate"]),
    // the experiment of Sampaio's dissertation: four allocators on kernels forced to few registers, of which `clang` is
    // the first; its "divergence allocator" keeps uniform values in shared memory and leaves the others to local memory
    variant(
        "divergent",
        "uniform slots",
        Made::Plugin(&["-warpwise-annotate=0", "-warpwise-fuse=0", "-warpwise-steer=uniform"]),
        &["allocators"],
    ),
    variant(
        "remat",
        "remat only",
        Made::Plugin(&["-warpwise-annotate=0", "-warpwise-fuse=0", "-warpwise-steer=constant"]),
        &["allocators"],
    ),
    variant(
        "affine",
        "affine (all)",
        Made::Plugin(&["-warpwise-annotate=0", "-warpwise-fuse=0", "-warpwise-steer=all"]),
        &["allocators"],
    ),
    variant(
        "map",
        "with map",
        Made::Plugin(&["-warpwise-annotate=0", "-warpwise-steer=0", "-warpwise-profile-generate"]),
        &["map"],
    ),
    by_hand("by_hand", "by hand", Made::Clang, TRANSFORMS),
];

/// Options of every build with the plugin, if the kernel has a forced register limit or is assumed to be `restrict`.
pub const PLUGIN_FORCED_REGS: &[&str] = &["-warpwise-regs={regs}"];
pub const PLUGIN_ASSUME_RESTRICT: &[&str] = &["-warpwise-assume-restrict"];

const fn variant(id: &'static str, label: &'static str, made: Made, sections: &'static [&'static str]) -> Variant {
    Variant { id, label, made, entry: Entry::Plain, sections }
}

const fn by_hand(id: &'static str, label: &'static str, made: Made, sections: &'static [&'static str]) -> Variant {
    Variant { id, label, made, entry: Entry::ByHand, sections }
}

/// The variant called `id`.
pub fn find(id: &str) -> Option<&'static Variant> {
    VARIANTS.iter().find(|v| v.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_consistent() {
        assert!(VARIANTS[0].id == REFERENCE && VARIANTS[0].sections == SECTIONS, "all sections need the reference");
        for (i, variant) in VARIANTS.iter().enumerate() {
            assert!(VARIANTS[..i].iter().all(|v| v.id != variant.id), "{} twice", variant.id);
            assert!(variant.sections.iter().all(|s| SECTIONS.contains(s)), "{}", variant.id);
        }
    }
}
