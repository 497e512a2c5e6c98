//! Under which names is a kernel known? As the driver knows it, as in the source, and without the parts that differ
//! from build to build.

use cpp_demangle::{DemangleOptions, Symbol};

/// The name as in the source; the unchanged name if it is not a C++ symbol. A copy of a kernel keeps its mark.
pub fn demangled(name: &str) -> String {
    let (kernel, mark) = split_mark(name);
    let symbol = Symbol::new(kernel).ok();
    let text = symbol.and_then(|symbol| symbol.demangle_with_options(&DemangleOptions::new()).ok());
    text.map_or_else(|| name.to_owned(), |text| text + mark)
}

/// A symbol without the mark of a version (`$v1`) or an alternative (`$t1` to `$t6`), and the mark.
fn split_mark(symbol: &str) -> (&str, &str) {
    let is_mark = |mark: &str| mark == "$v1" || matches!(mark.as_bytes(), [b'$', b't', b'1'..=b'6']);
    let split = symbol.len().checked_sub(3).and_then(|at| symbol.split_at_checked(at));
    split.filter(|(_, mark)| is_mark(mark)).unwrap_or((symbol, ""))
}

/// The name without its parameters: `void scale<float>(float*, int)` is `scale<float>`.
pub fn short(demangled: &str) -> String {
    let mut depth = 0i32;
    let mut end = demangled.len();
    let mut start = 0;
    let bytes = demangled.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b'(' if depth == 0 && index > start && !demangled[index..].starts_with("(anonymous namespace)") => {
                end = index;
                break;
            }
            b' ' if depth == 0 && !demangled[..index].ends_with("(anonymous") => start = index + 1,
            _ => {}
        }
    }
    demangled[start.min(end)..end].to_owned()
}

/// The name without what compilers add to tell files apart (unnamed namespaces, and the suffixes of `static` kernels),
/// so that it is the same in builds by clang and nvcc. Versions and alternatives of a kernel have the name of the kernel.
pub fn alike(mangled: &str) -> String {
    let mangled = split_mark(mangled).0;
    let marks = ["__intern__", "__static__", ".intern.", ".static."];
    let end = marks.iter().filter_map(|mark| mangled.find(mark)).min().unwrap_or(mangled.len());
    let mut name = demangled(&mangled[..end]);
    while let Some(start) = ["_INTERNAL_", "_GLOBAL__N__"].iter().filter_map(|mark| name.find(mark)).min() {
        let end = name[start..].find("::").map_or(name.len(), |length| start + length);
        name.replace_range(start..end, "(anonymous namespace)");
    }
    name.replace("(anonymous namespace)::(anonymous namespace)::", "(anonymous namespace)::")
}

/// The number of kernels in a graph, and their names with their multiplicity.
pub fn graph(text: &str) -> Option<(usize, Vec<(String, usize)>)> {
    let mut lines = text.lines();
    let count = lines.next()?.strip_prefix("graph\t")?.parse().ok()?;
    let kernels = lines.filter_map(|line| line.split_once('\t'));
    Some((count, kernels.filter_map(|(times, name)| Some((name.to_owned(), times.parse().ok()?))).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_demangled_and_shortened() {
        assert_eq!(demangled("_Z5scalePfi"), "scale(float*, int)");
        assert_eq!(demangled("plain_c"), "plain_c");
        assert_eq!(short("void scale<float (*)(int)>(float*, int)"), "scale<float (*)(int)>");
        assert_eq!(short("(anonymous namespace)::scale(float*, int)"), "(anonymous namespace)::scale");
        assert_eq!(short("scale(float*, int)"), "scale");
        assert_eq!(short("plain_c"), "plain_c");
    }

    #[test]
    fn names_of_different_compilers_are_alike() {
        let nvcc = alike("_ZN48_INTERNAL_0b0d6e6a_7_main_cu_8a9d2f3c_1234567890_4scaleEPf");
        assert!(!nvcc.contains("INTERNAL") || nvcc.starts_with("_ZN"), "{nvcc}");
        assert_eq!(alike("_ZN12_GLOBAL__N_15scaleEPf"), "(anonymous namespace)::scale(float*)");
        assert_eq!(
            ["_Z5scalePf$v1", "_Z5scalePf$t6", "k$t1", "k$v2"].map(alike),
            ["scale(float*)", "scale(float*)", "k", "k$v2"]
        );
        assert_eq!(demangled("_Z5scalePf$t2"), "scale(float*)$t2");
        assert_eq!(alike("_ZL5scalePf__static__0123456789abcdef"), alike("_ZL5scalePf"));
    }

    #[test]
    fn graphs_tell_their_kernels() {
        let (count, kernels) = graph("graph\t3\n2\t_Z1av\n1\tb").unwrap();
        assert_eq!((count, kernels), (3, vec![("_Z1av".to_owned(), 2), ("b".to_owned(), 1)]));
        assert_eq!(graph("scale"), None);
    }
}
