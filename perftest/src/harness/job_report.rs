//! What surrounds a session and gets its findings beside the output: a job of GitHub Actions, and
//! nextest, which takes the message of a failure for its JUnit file from standard error.

use super::session::Session;
use crate::sink;
use std::path::Path;

/// Reports the session that ends. Nothing that fails here changes how it ends.
pub(super) fn report_to_job(session: &Session) {
    let totals = session.totals();
    let job = &session.config.ci;
    if job.is_github {
        sink::print_to_stderr(&sink::annotations(&totals));
    }
    if !job.summary_file.is_empty() {
        let file = Path::new(&job.summary_file);
        if let Err(error) = sink::add_to_summary(&totals, file) {
            let file = file.display();
            sink::print_to_stderr(&format!(
                "   the summary of this step cannot be written to `{file}`: {error}\n"
            ));
        }
    }
    if session.config.is_nextest
        && let Some(worst) = totals.worst_first().first().filter(|it| it.has_failed)
    {
        // Source of the form: nextest's `reporter/error_description.rs`.
        sink::print_to_stderr(&format!("Error: {}\n", worst.line()));
    }
}
