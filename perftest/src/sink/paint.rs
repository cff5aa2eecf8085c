//! Colour on request; no information is in the colour alone.

use crate::harness::Color;
use std::io::IsTerminal;

/// Whether to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint {
    colored: bool,
}

impl Paint {
    /// Follows the command line, `NO_COLOR` and the terminal.
    pub(crate) fn of(color: Color) -> Self {
        let colored = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                    && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
                    && std::io::stdout().is_terminal()
            }
        };
        Self { colored }
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub(crate) fn doubtful(self, text: &str) -> String {
        self.wrap("33", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colored { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
