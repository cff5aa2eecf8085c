//! Each name once.

use std::collections::HashMap;
use std::sync::Arc;

/// Names by their numbers.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    numbers: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    bytes: usize,
}

impl NameTable {
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of a name, which may be new.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.find(name) {
            return number;
        }
        // As many names as frames, which are bounded.
        let number = self.names.len() as u32;
        let name: Arc<str> = name.into();
        self.bytes += name.len();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// The length of all names together.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn into_names(self) -> Vec<Arc<str>> {
        self.names
    }
}
