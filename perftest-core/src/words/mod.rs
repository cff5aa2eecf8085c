//! Plain words for numbers and verdicts, the same in the test binary and in the tool.

mod machine;
mod quantity;
mod report;
mod throttling;
mod verdict_line;

pub use machine::machine;
pub use quantity::{quantity, range};
pub use report::{Report, Subject, report};
pub use throttling::throttling_warning;
pub use verdict_line::verdict_line;
