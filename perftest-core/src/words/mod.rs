//! Plain words for numbers and verdicts, the same in the test binary and in the tool.

mod conditions;
mod counted;
mod detectable;
mod drift;
mod explanatory_metrics;
mod instructions;
mod last_good_build;
mod machine;
mod notes;
mod one_line;
mod quantity;
mod ratio;
mod report;
mod session_summary;
mod settled_by;
mod shell;
mod throughput;
mod verdict_line;
mod versus;
mod worse;

pub use conditions::{Conditions, condition, learned_input};
pub use detectable::{detects, format_detectable};
pub use explanatory_metrics::explanatory_metrics;
pub use instructions::instructions;
pub use machine::machine;
pub use notes::{covariate, describe_note, notes};
pub use one_line::one_line;
pub use quantity::{plain_quantity, quantity, range, rare};
pub use report::{Report, ReportSubject, report};
pub use session_summary::SessionSummary;
pub use settled_by::sharpened_by;
pub use shell::quoted;
pub use throughput::throughput;
pub use verdict_line::verdict_line;
pub use versus::{VersusText, versus_line, versus_report};
pub use worse::worse;

use counted::counted;
use drift::drifted;
use last_good_build::last_good_build;
use quantity::four_digits;
