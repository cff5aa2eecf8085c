//! Opens only regular files: a pipe would block for ever, and a device never ends.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Opens a file that a person names or that is part of a repository. Follows a symbolic link.
///
/// Never waits: not for the other end of a pipe, and not for a device.
///
/// # Errors
/// When the path is no regular file, and as [`OpenOptions::open`].
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    open(path, fs::metadata(path), options, NEVER_WAIT)
}

/// Opens a file of the store. The store creates no symbolic links, so this refuses them.
///
/// # Errors
/// As for [`open_regular`], and for a symbolic link.
pub fn open_stored(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    open(path, fs::symlink_metadata(path), options, NEVER_WAIT | NO_LINK)
}

/// Reads the text of a file that a person names or that is part of a repository.
///
/// # Errors
/// As for [`open_regular`]; when there are more than `most_bytes`, or the bytes are no UTF-8.
pub fn read_regular_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    text_of(open_regular(path, File::options().read(true))?, most_bytes)
}

/// Reads the text of a file of the store.
///
/// # Errors
/// As for [`open_stored`]; when there are more than `most_bytes`, or the bytes are no UTF-8.
pub fn read_stored_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    text_of(open_stored(path, File::options().read(true))?, most_bytes)
}

#[cfg(unix)]
const NEVER_WAIT: i32 = libc::O_NONBLOCK;
#[cfg(unix)]
const NO_LINK: i32 = libc::O_NOFOLLOW;
// A system without these flags has no pipes among its files either.
#[cfg(not(unix))]
const NEVER_WAIT: i32 = 0;
#[cfg(not(unix))]
const NO_LINK: i32 = 0;

fn open(
    path: &Path,
    found: io::Result<Metadata>,
    options: &mut OpenOptions,
    flags: i32,
) -> io::Result<File> {
    // This check comes first, because opening alone has an effect on some devices.
    if let Ok(found) = found {
        refuse_irregular(found.file_type())?;
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags);
    #[cfg(not(unix))]
    let _ = flags;
    let file = options.open(path)?;
    // This checks again: meanwhile another file may have taken the name.
    refuse_irregular(file.metadata()?.file_type())?;
    Ok(file)
}

fn refuse_irregular(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let why = format!("it is {}, not a regular file", describe(found));
    Err(io::Error::new(ErrorKind::InvalidInput, why))
}

fn describe(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kinds = [
            (found.is_fifo(), "a named pipe (FIFO)"),
            (found.is_socket(), "a socket"),
            (found.is_char_device() || found.is_block_device(), "a device"),
        ];
        if let Some((_, name)) = kinds.iter().find(|(is_it, _)| *is_it) {
            return name;
        }
    }
    if found.is_dir() {
        "a directory"
    } else if found.is_symlink() {
        "a symbolic link"
    } else {
        "something else"
    }
}

/// Adds what a source has, and at most so many bytes. Compiled once for all kinds of sources.
///
/// # Errors
/// Those of the source.
pub fn read_at_most(source: &mut dyn Read, most_bytes: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    source.take(most_bytes).read_to_end(bytes).map(drop)
}

fn text_of(mut file: File, most_bytes: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    read_at_most(&mut file, most_bytes + 1, &mut bytes)?;
    let no_text = |_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text");
    let text = String::from_utf8(bytes).map_err(no_text)?;
    if text.len() as u64 > most_bytes {
        let why = format!("it is larger than {} MiB", most_bytes >> 20);
        return Err(io::Error::new(ErrorKind::InvalidData, why));
    }
    Ok(text)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::local::scratch;
    use std::process::Command;

    const MOST: u64 = 1 << 20;

    #[test]
    fn a_pipe_a_device_and_a_directory_are_refused_at_once_by_what_they_are() {
        let directory = scratch("irregular");
        let pipe = directory.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let expected = [
            (pipe.as_path(), "a named pipe (FIFO)"),
            (directory.as_path(), "a directory"),
            (Path::new("/dev/null"), "a device"),
        ];
        for (path, what) in expected {
            let options = [
                File::options().read(true).clone(),
                File::options().append(true).create(true).clone(),
                File::options().read(true).append(true).clone(),
            ];
            for mut options in options {
                for open in [open_regular, open_stored] {
                    let refused = open(path, &mut options).unwrap_err().to_string();
                    assert_eq!(refused, format!("it is {what}, not a regular file"));
                }
            }
        }
    }

    #[test]
    fn a_link_is_followed_by_what_people_name_and_is_no_file_of_the_store() {
        let directory = scratch("links");
        let (file, link) = (directory.join("file"), directory.join("link"));
        fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_regular_text(&link, MOST).unwrap(), "text");
        let refused = read_stored_text(&link, MOST).unwrap_err().to_string();
        assert_eq!(refused, "it is a symbolic link, not a regular file");
        assert_eq!(read_stored_text(&file, MOST).unwrap(), "text");
    }

    #[test]
    fn more_than_may_be_there_and_what_is_no_text_is_refused() {
        let directory = scratch("large");
        let file = directory.join("file");
        fs::write(&file, vec![b'x'; MOST as usize]).unwrap();
        assert_eq!(read_regular_text(&file, MOST).unwrap().len() as u64, MOST);
        fs::write(&file, vec![b'x'; MOST as usize + 1]).unwrap();
        let refused = read_regular_text(&file, MOST).unwrap_err().to_string();
        assert_eq!(refused, "it is larger than 1 MiB");
        fs::write(&file, [b'x', 0xff]).unwrap();
        let refused = read_regular_text(&file, MOST).unwrap_err().to_string();
        assert_eq!(refused, "it is not UTF-8 text");
    }
}
