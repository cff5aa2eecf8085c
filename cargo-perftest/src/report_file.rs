//! A file that is there when it is whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file while it is written, beside the one it becomes: a report of yesterday stays until that of today is
/// whole. What is no regular file, such as a pipe, is written itself.
#[derive(Debug)]
pub(crate) struct ReportFile {
    path: PathBuf,
    /// Where it is written, unless that is the path.
    unfinished: Option<PathBuf>,
    writer: BufWriter<File>,
}

impl ReportFile {
    /// # Errors
    /// When it cannot be written there; the error names the path.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let is_other = fs::metadata(path).is_ok_and(|it| !it.is_file());
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".unfinished");
        let unfinished = (!is_other).then(|| PathBuf::from(unfinished));
        let file = match &unfinished {
            Some(unfinished) => created_anew(unfinished),
            None => File::create(path),
        };
        let file = file.map_err(|error| about(path, &error))?;
        Ok(Self { path: path.to_owned(), writer: BufWriter::new(file), unfinished })
    }

    /// Writes what is left, and gives the file its name.
    ///
    /// # Errors
    /// When there is no room, or the name is taken by what cannot be replaced.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let named = self.writer.flush().and_then(|()| match self.unfinished.take() {
            Some(unfinished) => fs::rename(&unfinished, &self.path).inspect_err(|_| {
                let _ = fs::remove_file(&unfinished);
            }),
            None => Ok(()),
        });
        named.map_err(|error| about(&self.path, &error))
    }
}

/// Creates a file, and follows no link that somebody else may have put there.
fn created_anew(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl Write for ReportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes).map_err(|error| about(&self.path, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| about(&self.path, &error))
    }
}

impl Drop for ReportFile {
    fn drop(&mut self) {
        if let Some(unfinished) = &self.unfinished {
            let _ = fs::remove_file(unfinished);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.html");
        fs::write(&path, "old").unwrap();
        let mut abandoned = ReportFile::create(&path).unwrap();
        abandoned.write_all(b"half").unwrap();
        drop(abandoned);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        let mut file = ReportFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn no_link_beside_the_report_is_followed() {
        let directory = tempfile::tempdir().unwrap();
        let [path, other] = ["report.html", "other"].map(|name| directory.path().join(name));
        fs::write(&other, "of somebody else").unwrap();
        let unfinished = directory.path().join("report.html.unfinished");
        std::os::unix::fs::symlink(&other, unfinished).unwrap();
        let mut file = ReportFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        let texts = [&path, &other].map(|it| fs::read_to_string(it).unwrap());
        assert_eq!(texts, ["new", "of somebody else"]);
    }

    #[test]
    fn an_error_names_the_path() {
        let directory = tempfile::tempdir().unwrap();
        let nowhere = directory.path().join("no-such/report.html");
        let error = ReportFile::create(&nowhere).unwrap_err().to_string();
        assert!(error.contains("no-such"), "{error}");
    }
}
