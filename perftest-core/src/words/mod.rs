//! Plain words for numbers and verdicts, the same in the test binary and in the tool.

mod companions;
mod conditions;
mod counted;
mod drift;
mod instructions;
mod last_good_build;
mod machine;
mod notes;
mod one_line;
mod quantity;
mod ratio;
mod report;
mod session_story;
mod settled_by;
mod shell;
mod sight;
mod throughput;
mod verdict_line;
mod versus;
mod worse;

pub use companions::companions;
pub use conditions::{Conditions, condition, learned_input};
pub use instructions::instructions;
pub use machine::machine;
pub use notes::{describe_note, notes};
pub use one_line::one_line;
pub use quantity::{plain_quantity, quantity, range, rare};
pub use report::{Report, Subject, report};
pub use session_story::SessionStory;
pub use settled_by::sharpened_by;
pub use shell::quoted;
pub use sight::{detects, smallest_seen};
pub use throughput::throughput;
pub use verdict_line::verdict_line;
pub use versus::{Versus, versus_line, versus_report};
pub use worse::worse;

use counted::counted;
use drift::drifted;
use last_good_build::last_good_build;
use quantity::four_digits;
