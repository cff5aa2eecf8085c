//! Several files in one input: `== path`, and the content in the lines behind it.

use std::fs;
use std::path::{Component, Path};

const HEAD: &[u8] = b"== ";
/// Longest path, and most files: what is longer only takes time.
const LONGEST_PATH: usize = 120;
const MOST_FILES: usize = 64;

/// Writes the files of the data below the directory. A path that leads out of it is left out.
pub(crate) fn write_files(data: &[u8], directory: &Path) {
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        let path = line.strip_prefix(HEAD).and_then(|path| str::from_utf8(path).ok());
        match path.map(str::trim_end).filter(|path| is_inside(path)) {
            Some(path) if files.len() < MOST_FILES => files.push((path, Vec::new())),
            _ => files.iter_mut().last().into_iter().for_each(|(_, text)| text.extend(line)),
        }
    }
    for (path, content) in files {
        let path = directory.join(path);
        // A file may be where another one has its directory.
        if path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok()) {
            let _ = fs::write(path, content);
        }
    }
}

fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    (1..=LONGEST_PATH).contains(&path.len())
        && !path.contains('\0')
        && parts.all(|part| matches!(part, Component::Normal(_)))
}
