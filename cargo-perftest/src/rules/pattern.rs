//! Patterns of names.

/// A whole name, or the beginning of names and a `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamePattern(String);

impl NamePattern {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn all() -> Self {
        Self::new("*")
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == self.0,
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}
