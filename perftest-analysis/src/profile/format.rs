//! The formats that are read.

use perftest_core::named;

named! {
    /// A text format of stacks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ProfileFormat {
        /// A stack and its weight a line: `main;parse;read 12`.
        Folded = "folded stacks",
        /// What `perf script` prints.
        PerfScript = "the output of perf script",
        /// What gdb prints for `thread apply all bt`, once or repeatedly.
        Gdb = "the output of gdb",
    }
}

impl ProfileFormat {
    /// The format to which a line belongs; `None` for a line that any of them may have.
    pub fn of_line(line: &str) -> Option<Self> {
        let line = line.trim_end();
        if is_gdb(line) {
            return Some(Self::Gdb);
        }
        let is_indented = line.starts_with(char::is_whitespace);
        let last = line.rsplit(' ').next().unwrap_or_default();
        if line.contains(' ') && !last.is_empty() && last.bytes().all(|it| it.is_ascii_digit()) {
            return (!is_indented && !line.starts_with('#')).then_some(Self::Folded);
        }
        has_time(line).then_some(Self::PerfScript)
    }
}

fn is_gdb(line: &str) -> bool {
    let is_thread = line.starts_with("Thread ") && line.contains('(') && line.ends_with(':');
    is_thread || line.starts_with("#0  ")
}

/// `4794564.109216:` is the time of a sample.
fn has_time(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        let parts = word.strip_suffix(':').and_then(|time| time.split_once('.'));
        parts.is_some_and(|(seconds, fraction)| {
            [seconds, fraction]
                .iter()
                .all(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_its_format_and_a_line_of_any_format_shows_none() {
        let formats = [
            ("main;parse 12", Some(ProfileFormat::Folded)),
            ("a b;c d 7", Some(ProfileFormat::Folded)),
            ("perf 913    72.176760:     257597 cycles:uppp:", Some(ProfileFormat::PerfScript)),
            ("V8 Worker 1/2 [000] 94564.109216: cycles:", Some(ProfileFormat::PerfScript)),
            ("Thread 2 (Thread 0x7f (LWP 7) \"w\"):", Some(ProfileFormat::Gdb)),
            ("#0  0x0000 in main () at a.c:12", Some(ProfileFormat::Gdb)),
            ("# a remark of 2026", None),
            ("[New LWP 123]", None),
            ("    55d5 main (/bin/a)", None),
            ("", None),
        ];
        for (line, format) in formats {
            assert_eq!(ProfileFormat::of_line(line), format, "{line}");
        }
    }
}
