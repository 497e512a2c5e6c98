//! What is a function called in the source? Its symbol without the mangling.

use cpp_demangle::{DemangleOptions, Symbol};

/// The name in an Itanium-mangled symbol: `_Z9avgSquarePKfPfi` is `avgSquare`, `_ZZ4tilePfE3buf` is `buf`. A symbol
/// that is not understood is returned unchanged.
pub fn plain_symbol(symbol: &str) -> String {
    let Some(mangled) = symbol.strip_prefix("_Z") else { return symbol.to_owned() };
    if mangled.starts_with('Z') {
        // a static or shared variable of a function: the name after the encoding of the function
        let local = symbol.rsplit('E').find_map(|part| length_prefixed(part).map(|(name, _)| name.to_owned()));
        return local.unwrap_or_else(|| symbol.to_owned());
    }
    let nested = mangled.starts_with('N');
    let mut rest = mangled.strip_prefix('N').unwrap_or(mangled).trim_start_matches(['L', 'K', 'V']);
    let mut parts: Vec<&str> = Vec::new();
    while let Some((name, after)) = length_prefixed(rest) {
        if name != "_GLOBAL__N_1" {
            parts.push(name);
        }
        rest = after.trim_start_matches('L');
        if !nested {
            break;
        }
    }
    if parts.is_empty() { symbol.to_owned() } else { parts.join("::") }
}

fn length_prefixed(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text.get(..digits)?.parse().ok()?;
    let name = text.get(digits..digits.checked_add(length)?)?;
    (length > 0).then(|| (name, &text[digits + length..]))
}

/// The same with template arguments, so that two instantiations of a kernel have two names: `_Z4axpyIfEvT_PKS0_` is
/// `axpy<float>`.
pub fn kernel_symbol(symbol: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    let name = Symbol::new(symbol).ok().and_then(|parsed| parsed.demangle_with_options(&options).ok());
    match name {
        Some(name) if symbol.starts_with("_Z") => name.replace("(anonymous namespace)::", ""),
        _ => plain_symbol(symbol),
    }
}

/// Whether a person means this function: by its symbol, by its name, or by its name with template arguments.
pub fn is_named(symbol: &str, name: &str) -> bool {
    let is_same = |shown: &str| shown.chars().filter(|c| *c != ' ').eq(name.chars().filter(|c| *c != ' '));
    symbol == name || plain_symbol(symbol) == name || is_same(&kernel_symbol(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_lose_their_mangling_and_instantiations_have_names_of_their_own() {
        for (symbol, plain, kernel) in [
            ("_Z9avgSquarePKfPfi", "avgSquare", "avgSquare"),
            ("_ZN3foo3barILi4EEEvv", "foo::bar", "foo::bar<4>"),
            ("_ZN12_GLOBAL__N_14axpyEf", "axpy", "axpy"),
            ("_Z4axpyIfEvT_", "axpy", "axpy<float>"),
            ("plain_c", "plain_c", "plain_c"),
            ("_Z", "_Z", "_Z"),
            ("_Z99x", "_Z99x", "_Z99x"),
        ] {
            assert_eq!([plain_symbol(symbol), kernel_symbol(symbol)], [plain, kernel]);
        }
        assert_eq!(["_ZZ4tilePfE3buf", "_ZL5table"].map(plain_symbol), ["buf", "table"]);
        assert!(is_named("_Z4axpyISt4pairIifEEvT_", "axpy<std::pair<int,float>>"));
        assert!(is_named("_Z4axpyIfEvT_", "axpy") && !is_named("_Z4axpyIfEvT_", "axpy<double>"));
    }
}
