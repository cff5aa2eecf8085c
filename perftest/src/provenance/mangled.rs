//! Parses the mangled name of a Rust function.
//!
//! Sources: the rustc book, "Symbol Mangling" (v0, `_R`), and the older Itanium-like form (`_ZN`)
//! with escapes such as `$LT$` for `<`.

use perftest_core::text::Text;

/// Crates that a toolchain contains as machine code: cargo's flags do not affect them.
const PRECOMPILED: [&str; 22] = [
    "addr2line",
    "adler2",
    "alloc",
    "cfg_if",
    "compiler_builtins",
    "core",
    "getopts",
    "gimli",
    "hashbrown",
    "libc",
    "memchr",
    "miniz_oxide",
    "object",
    "panic_abort",
    "panic_unwind",
    "proc_macro",
    "rustc_demangle",
    "std",
    "std_detect",
    "test",
    "unicode_width",
    "unwind",
];

/// Returns whether this is a Rust function that was certainly compiled with the user's flags.
///
/// An instance of a generic function of the standard library has the library's name, so it does not
/// count, although the user's crate made it.
pub(super) fn is_compiled_by_user(symbol: &str) -> bool {
    crate_of(symbol).is_some_and(|name| !PRECOMPILED.contains(&name))
}

/// The first path element of a mangled Rust name.
fn crate_of(symbol: &str) -> Option<&str> {
    match (symbol.strip_prefix("_ZN"), symbol.strip_prefix("_R")) {
        (Some(legacy), _) => legacy_crate(legacy),
        (_, Some(v0)) => v0_crate(v0),
        _ => None,
    }
}

/// `4perf4main17h..`: the first length and name. An implementation is one element that begins
/// with its type: `_$LT$perf..Type$u20$as$u20$core..Trait$GT$`.
fn legacy_crate(path: &str) -> Option<&str> {
    let digits = path.bytes().take_while(u8::is_ascii_digit).count();
    let length = path[..digits].parse().ok()?;
    let element = path.get(digits..)?.get(..length)?;
    if !element.contains('$') {
        return Some(element);
    }
    let mut parts = element.parts("$u20$as$u20$").map(of_type);
    // A type parameter or a primitive belongs to no crate; then the trait's crate counts.
    parts.find_map(|part| part)
}

/// Returns the crate at the beginning of a type or trait, after references, pointers and brackets.
fn of_type(text: &str) -> Option<&str> {
    const BEFORE: [&str; 9] =
        ["_", "$LT$", "$RF$", "$BP$", "mut$u20$", "const$u20$", "$LP$", "$u5b$", "dyn$u20$"];
    let mut rest = text;
    while let Some(behind) = BEFORE.iter().find_map(|before| rest.strip_prefix(before)) {
        rest = behind;
    }
    let is_part = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_';
    let length = rest.bytes().take_while(is_part).count();
    (length > 0 && rest[length..].starts_with("..")).then(|| &rest[..length])
}

/// Returns the first crate root in a path such as `NvNtCs1234_4perf..`.
fn v0_crate(path: &str) -> Option<&str> {
    let mut rest = path;
    loop {
        let tag = rest.bytes().next()?;
        rest = rest.get(1..)?;
        match tag {
            b'C' => return v0_identifier(behind_disambiguator(rest)),
            // A namespace follows.
            b'N' => rest = rest.get(1..)?,
            b'M' | b'X' => rest = behind_disambiguator(rest),
            b'I' | b'Y' | b'R' | b'Q' | b'P' | b'O' | b'A' | b'S' | b'T' => {}
            // A primitive type, as in an implementation of a trait for `u8`.
            b'a'..=b'z' => {}
            _ => return None,
        }
    }
}

/// Skips a disambiguator: `s`, digits of base 62 and `_`.
fn behind_disambiguator(text: &str) -> &str {
    let behind = text.strip_prefix('s').and_then(|rest| rest.cut('_'));
    behind.map_or(text, |(_, behind)| behind)
}

fn v0_identifier(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = text[..digits].parse().ok()?;
    let name = text.get(digits..)?;
    // An underscore separates length and name if the name begins with a digit or an underscore.
    name.strip_prefix('_').unwrap_or(name).get(..length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_of_a_function_is_found_in_both_manglings() {
        for (symbol, name) in [
            ("_ZN4perf4main17hd2c5a270bf9ca543E", "perf"),
            ("_ZN5regex5regex5bytes5Regex3new17h0123456789abcdefE", "regex"),
            (
                "_ZN57_$LT$perf..Frame$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
                "perf",
            ),
            ("_ZN50_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE", "core"),
            ("_ZN36_$LT$u8$u20$as$u20$perf..Encode$GT$2go17h0123456789abcdefE", "perf"),
            ("_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate"),
            ("_RINvNtCsd_4core3ptr13drop_in_placeNtCs7_4perf5FrameECs7_4perf", "core"),
            ("_RNvXs5_NtCs3_4perf5frameNtB5_5FrameNtNtCs4_4core3fmt5Debug3fmt", "perf"),
            ("_RNCNvCs7_4perf4sort0B3_", "perf"),
        ] {
            assert_eq!(crate_of(symbol), Some(name), "{symbol}");
        }
    }

    #[test]
    fn functions_of_other_languages_and_cut_names_have_no_crate() {
        for symbol in ["memcpy", "_start", "_ZN", "_ZN99abc", "_R", "_RNvC", "_RNvCs_9ab", "_ZNä"]
        {
            assert_eq!(crate_of(symbol), None, "{symbol}");
        }
    }

    #[test]
    fn the_standard_library_is_not_compiled_by_the_user() {
        assert!(is_compiled_by_user("_ZN4perf4main17hd2c5a270bf9ca543E"));
        assert!(!is_compiled_by_user("_ZN3std2io5stdio6_print17h0123456789abcdefE"));
        assert!(!is_compiled_by_user("_RNvNtCs1_3std2rt10lang_start"));
        assert!(!is_compiled_by_user("memcpy"));
    }
}
