//! A kept test executable, with the kept programs that its tests start.

use super::built_libraries::built_libraries;
use super::executables::Executables;
use super::kept_executable::{KeptExecutable, Launch, UnpackedExecutable, name_of_programs};
use crate::owner::create_private_directory;
use perftest_core::list::IntoList;
use perftest_core::model::CodeState;
use perftest_store::{StoreError, directory};
use std::fs;
use std::path::{Path, PathBuf};

/// A build all of whose files are kept.
#[derive(Debug, Clone)]
pub struct KeptBuild {
    executable: KeptExecutable,
    /// The programs with their file names.
    programs: Vec<(String, KeptExecutable)>,
}

impl Executables {
    /// Returns the kept files of a build; `None` if one is missing or its description cannot be read.
    pub fn find_build(&self, code: &CodeState) -> Option<KeptBuild> {
        let find = |hash: &str| self.find(hash).ok().flatten();
        let programs = code.programs.iter();
        let programs = programs.map(|it| Some((it.file.clone(), find(&it.executable)?)));
        let programs = programs.into_list_of_some()?;
        Some(KeptBuild { executable: find(&code.executable)?, programs })
    }

    /// Makes the files of a build the most recently used ones.
    pub fn renew_build(&self, build: &KeptBuild) {
        let programs = build.programs.iter().map(|(_, program)| program);
        for file in [&build.executable].into_iter().chain(programs) {
            self.renew(&file.hash);
        }
    }
}

impl KeptBuild {
    /// How its executable ran.
    pub fn launch(&self) -> &Launch {
        &self.executable.launch
    }

    /// Unpacks the build beside `present`, a test executable that cargo has built: the executable to a file of its own
    /// with a name of the same length, the programs under their own names to a directory of their own. There they find
    /// each other, and no file of another build.
    ///
    /// # Errors
    /// A message: as for [`KeptExecutable::unpack_beside`], and when a file needs a shared library that cargo builds, as
    /// [`built_libraries`] finds them. That library is not kept, and the present one has other code.
    pub fn unpack_beside(
        &self,
        present: &Path,
        library_path: &[PathBuf],
    ) -> Result<UnpackedBuild, String> {
        let unpacked = self.unpack_files(present).map_err(|error| error.to_string())?;
        let libraries = |file: PathBuf| built_libraries(&file, unpacked.executable(), library_path);
        match unpacked.files().into_iter().flat_map(libraries).next() {
            Some(library) => {
                let name = library.file_name().unwrap_or_default().to_string_lossy();
                Err(format!("it needs {name} of its build, which is not kept"))
            }
            None => Ok(unpacked),
        }
    }

    fn unpack_files(&self, present: &Path) -> Result<UnpackedBuild, StoreError> {
        let executable = self.executable.unpack_beside(present)?;
        let mut unpacked = UnpackedBuild { executable, programs: None };
        if self.programs.is_empty() {
            return Ok(unpacked);
        }
        let directory = &*unpacked.programs.insert(present.with_file_name(name_of_programs()));
        create_private_directory(directory)
            .map_err(|error| StoreError::writing(directory, error))?;
        for (name, program) in &self.programs {
            program.unpack_to(&directory.join(checked_file_name(name)?))?;
        }
        Ok(unpacked)
    }
}

/// An unpacked build, whose files are removed when this value is dropped.
#[derive(Debug)]
pub struct UnpackedBuild {
    executable: UnpackedExecutable,
    /// The directory of the programs.
    programs: Option<PathBuf>,
}

impl UnpackedBuild {
    /// The path of the executable.
    pub fn executable(&self) -> &Path {
        self.executable.path()
    }

    /// The directory of the programs: that of the executable, if there are none.
    pub fn directory_of_programs(&self) -> &Path {
        let own = self.programs.as_deref();
        own.or(self.executable().parent()).unwrap_or(Path::new("."))
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.executable().to_owned()];
        if let Some(programs) = &self.programs {
            files.extend(directory::entries(programs));
        }
        files
    }
}

impl Drop for UnpackedBuild {
    fn drop(&mut self) {
        if let Some(programs) = &self.programs {
            let _ = fs::remove_dir_all(programs);
        }
    }
}

/// Refuses a name that leads out of the directory: runs also come from other machines.
fn checked_file_name(name: &str) -> Result<&str, StoreError> {
    if Path::new(name).file_name().is_some_and(|it| it == name) {
        return Ok(name);
    }
    Err(StoreError::Invalid { why: format!("`{name}` is no name of a program") })
}
