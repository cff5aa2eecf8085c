//! Names of files and directories, made from names that people chose.

use crate::Digest;

/// Most bytes of the readable part: file systems take 255 in all.
pub(crate) const LONGEST: usize = 80;

/// Returns a name that every file system takes: a readable part, then a hash of the whole identity.
///
/// The hash separates identities that differ only in case or in replaced characters.
pub(crate) fn file_name(readable: &str, identity: &str) -> String {
    let hash = Digest::of(identity.as_bytes()).hex8();
    match readable_part(readable).as_str() {
        "" => hash,
        name => format!("{name}.{hash}"),
    }
}

/// Returns the readable part of a file's name.
pub(crate) fn readable_part(text: &str) -> String {
    let mut name = String::new();
    for character in text.chars() {
        if character.is_ascii_alphanumeric() || character == '_' || character == '.' {
            name.push(character);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    name.truncate(LONGEST);
    name.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(name: &str) -> String {
        file_name(name, name)
    }

    #[test]
    fn names_are_readable_and_distinct() {
        let name = same("my-codec::frame::encode");
        assert!(name.starts_with("my-codec-frame-encode."), "{name}");
        assert_eq!(name.len(), "my-codec-frame-encode.".len() + 8);
        assert_ne!(same("a::B").to_lowercase(), same("a::b").to_lowercase());
        assert_ne!(same("a/b"), same("a:b"));
    }

    #[test]
    fn no_name_leaves_its_directory() {
        for name in ["..", "../../etc/passwd", "/abs", "", ".hidden", "ключ", "a\0b"] {
            let file = same(name);
            assert!(!file.contains(['/', '\\', '\0']), "{file}");
            assert!(file.len() >= 8 && file.is_ascii() && !file.starts_with('.'), "{file}");
        }
    }

    #[test]
    fn a_long_name_is_cut_and_still_its_own() {
        let (long, longer) = ("x".repeat(300), "x".repeat(301));
        assert!(same(&long).len() < 100);
        assert_ne!(same(&long), same(&longer));
    }
}
