//! The measured code.

/// The place of the measured code in the repository's history. Empty texts mean "unknown".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revision {
    /// Commit that is checked out.
    pub commit: String,
    /// Its first parent.
    pub parent: String,
    /// The base commit: the merge base with the default branch; on that branch itself the first
    /// parent, or the commit that is checked out if files differ from it.
    pub base: String,
    /// Branch name, empty when the head is detached.
    pub branch: String,
    /// Sort key along the branch: the commit's time in seconds. Never an identity.
    pub order: u64,
    /// Whether tracked files differ from the commit.
    pub dirty: bool,
}

/// A program of the package that its tests start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ProgramCode {
    /// The name of its file.
    pub file: String,
    /// Hash that identifies it, as [`CodeState::executable`].
    pub executable: String,
}

/// The measured machine code. Empty texts mean "unknown".
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct CodeState {
    /// Hash that identifies the test executable, 16 hex digits: of its build id, size and code, or
    /// of all its bytes, and of the code of the shared libraries that cargo built for it.
    pub executable: String,
    /// Hash of its code, its constants and the first values of its variables, 16 hex digits. Two builds with the same
    /// text run the same code.
    pub text: String,
    /// The package's own programs, for a test that starts programs; empty where one cannot be read.
    pub programs: Vec<ProgramCode>,
}

impl CodeState {
    /// Returns whether both are known to run the same machine code.
    pub fn is_same_code(&self, other: &Self) -> bool {
        !self.text.is_empty() && self.text == other.text
    }

    /// Returns whether both are one build, or builds of the same code.
    pub fn is_same_build(&self, other: &Self) -> bool {
        let is_one = !self.executable.is_empty()
            && self.executable == other.executable
            && self.programs == other.programs;
        is_one || self.is_same_code(other)
    }
}
