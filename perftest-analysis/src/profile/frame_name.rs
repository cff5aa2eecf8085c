//! The name by which a frame is the same in two builds.

use std::borrow::Cow;

/// Longer names are cut. Generic Rust names have a few hundred characters.
const LONGEST_CHARS: usize = 2_000;
/// A name without characters.
const UNNAMED: &str = "[unnamed]";
/// Rust's legacy names end in `::h` and so many hexadecimal digits.
const HASH_DIGITS: usize = 16;

/// Returns a name without what differs from build to build: the hash of legacy names, the hash behind a crate's
/// name, the number that link-time optimisation adds. Characters that are invisible or change the direction of
/// text are replaced, and names of more than 2,000 characters are cut. No name contains a command for the CI job that
/// logs it: `::` at the beginning, which C++ has for the global scope, goes, and `##` becomes `# #`.
///
/// ```
/// use perftest_analysis::profile::frame_name;
/// assert_eq!(frame_name("alloc::vec::Vec<T>::push::h0123456789abcdef"), "alloc::vec::Vec<T>::push");
/// assert_eq!(frame_name("core[8b2fe1a9]::fmt::write"), "core::fmt::write");
/// ```
pub fn frame_name(written: &str) -> Cow<'_, str> {
    let is_margin = |it: char| it.is_whitespace() || it == ':';
    let name = without_endings(written.trim()).trim_start_matches(is_margin);
    if name.is_empty() {
        return Cow::Borrowed(UNNAMED);
    }
    let name = without_command(without_crate_hashes(name));
    if !name.contains(is_unprintable) && !is_cut(&name) {
        return name;
    }
    let visible = name.chars().map(|it| if is_unprintable(it) { '\u{fffd}' } else { it });
    let mut cut: String = visible.take(LONGEST_CHARS).collect();
    if is_cut(&name) {
        cut.push_str("..");
    }
    Cow::Owned(cut)
}

fn without_command(name: Cow<'_, str>) -> Cow<'_, str> {
    // Three signs leave two at first.
    let divided = |name: &str| name.replace("##", "# #").replace("##", "# #");
    if name.contains("##") { Cow::Owned(divided(&name)) } else { name }
}

/// Whether a name is too long to be kept as it is.
pub(super) fn is_cut(name: &str) -> bool {
    name.len() > LONGEST_CHARS && name.chars().nth(LONGEST_CHARS).is_some()
}

/// Returns the crate of a Rust function; `None` for other names.
///
/// ```
/// use perftest_analysis::profile::crate_name;
/// assert_eq!(crate_name("<alloc::vec::Vec<T> as core::ops::Drop>::drop"), Some("alloc"));
/// assert_eq!(crate_name("<[T] as alloc::slice::Join>::join"), Some("alloc"));
/// assert_eq!(crate_name("malloc"), None);
/// ```
pub fn crate_name(name: &str) -> Option<&str> {
    let start = name.trim_start_matches(['<', '&', '*', '[', '(']);
    let start = start.strip_prefix("mut ").or_else(|| start.strip_prefix("dyn ")).unwrap_or(start);
    let (first, _) = start.split_once("::")?;
    // The type parameter of `<T as core::fmt::Debug>::fmt` has no crate, the trait has one.
    let first = first.rsplit_once(" as ").map_or(first, |(_, of_trait)| of_trait);
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    (!first.is_empty() && first.chars().all(is_word)).then_some(first)
}

/// Returns the crate of the trait whose function this is: `codec` for `<Vec<T> as codec::Encode>::encode`.
pub(super) fn crate_of_trait(name: &str) -> Option<&str> {
    // The type may have casts of its own, and the trait arguments: the outermost cast counts.
    let inside = name.strip_prefix('<')?;
    let mut depth = 0_i32;
    let place = inside.char_indices().find_map(|(place, letter)| {
        match letter {
            '<' | '(' | '[' => depth += 1,
            // The end of `->` closes nothing.
            '>' if inside[..place].ends_with('-') => {}
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        (depth == 0 && inside[place..].starts_with(" as ")).then_some(place + " as ".len())
    })?;
    crate_name(&inside[place..])
}

/// Takes hashes and numbers away until none is left: the name of a name is the same name.
fn without_endings(mut name: &str) -> &str {
    while let Some(shorter) = without_lto_number(name).or_else(|| without_hash(name)) {
        name = shorter.trim_end();
    }
    name
}

fn without_lto_number(name: &str) -> Option<&str> {
    let start = name.trim_end_matches(|it: char| it.is_ascii_digit());
    start.strip_suffix(".llvm.").filter(|_| start.len() < name.len())
}

fn without_hash(name: &str) -> Option<&str> {
    let start = name.trim_end_matches(|it: char| it.is_ascii_hexdigit());
    start.strip_suffix("::h").filter(|_| name.len() - start.len() == HASH_DIGITS)
}

/// `core[8b2fe1a9]::fmt` is `core::fmt` in whichever build.
fn without_crate_hashes(name: &str) -> Cow<'_, str> {
    if !name.contains("]::") {
        return Cow::Borrowed(name);
    }
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, behind)) = rest.split_once("]::") {
        let hash = before.rsplit_once('[').filter(|(start, hash)| {
            let is_hash = !hash.is_empty() && hash.bytes().all(|it| it.is_ascii_hexdigit());
            is_hash && start.ends_with(|it: char| it.is_alphanumeric() || it == '_')
        });
        match hash {
            Some((start, _)) => kept.push_str(start),
            None => {
                kept.push_str(before);
                kept.push(']');
            }
        }
        kept.push_str("::");
        rest = behind;
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Source of the marks: Unicode Standard Annex 9, table 1, and the line and paragraph separators.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
                // No text of XML, such as an SVG, has these.
                | '\u{fffe}' | '\u{ffff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_builds_is_no_part_of_a_name() {
        let cases = [
            ("a::b::h0123456789abcdef", "a::b"),
            ("a::b::h0123456789abcdef.llvm.42", "a::b"),
            ("a::b::hello", "a::b::hello"),
            ("a[1f]::b::<c[2e]::D>", "a::b::<c::D>"),
            ("<[u8]>::len", "<[u8]>::len"),
            ("<[u8; 4]>::len", "<[u8; 4]>::len"),
            ("[worker-1]", "[worker-1]"),
            ("std::h0123456789abcdef::f", "std::h0123456789abcdef::f"),
            ("  spaces  ", "spaces"),
            ("a ::h0123456789abcdef", "a"),
            ("a .llvm.42", "a"),
            ("a::h0123456789abcdef::hfedcba9876543210", "a"),
            ("a.llvm.42::h0123456789abcdef .llvm.4.llvm.2", "a"),
            ("", "[unnamed]"),
            ("::h0123456789abcdef", "[unnamed]"),
        ];
        for (written, name) in cases {
            assert_eq!(frame_name(written), name, "{written}");
        }
    }

    #[test]
    fn a_hostile_name_is_visible_and_short() {
        assert_eq!(frame_name("a\u{202e}b\u{1b}[31m\0"), "a\u{fffd}b\u{fffd}[31m\u{fffd}");
        assert_eq!(frame_name("a\u{fffe}\u{ffff}"), "a\u{fffd}\u{fffd}");
        let long = frame_name(&"x".repeat(100_000)).into_owned();
        assert_eq!(long.chars().count(), LONGEST_CHARS + 2);
        assert!(long.ends_with("x.."));
        let exact = "ß".repeat(LONGEST_CHARS);
        assert_eq!(frame_name(&exact), exact);
    }

    #[test]
    fn the_crate_of_a_function_is_its_first_word() {
        let cases = [
            ("serde_json::de::parse", Some("serde_json")),
            ("<&mut alloc::vec::Vec<u8> as a::B>::c", Some("alloc")),
            ("<dyn std::any::Any>::is", Some("std")),
            ("__memmove_avx", None),
            ("std::", Some("std")),
            ("operator new(unsigned long)", None),
        ];
        for (name, expected) in cases {
            assert_eq!(crate_name(name), expected, "{name}");
        }
    }
}
