//! Lines of the tables for commands that answer from the remote: many files in one statement.

use super::sql::literal;
use super::{ClickHouseRemote, MOST_FILES, RemoteError, by_file};
use perftest_store::{Detail, LinePage, LinesWanted, RunSummary, WhichLines};
use std::collections::{BTreeSet, HashMap};

/// Lines that are read beyond those that are wanted. Machines that push at once may use the same number, and a page
/// does not end between two lines with the same number.
const SPARE_LINES: usize = 16;

/// More machines do not push at once: a server with more lines of one number is none of ours.
const MOST_SPARE_LINES: usize = SPARE_LINES * 512;

/// Where all lines are wanted.
const MOST_LINES: usize = usize::MAX >> 2;

struct NumberedLine {
    file: String,
    number: u64,
    digest: u64,
    /// Empty where a summary is wanted and there is none.
    text: String,
}

/// Requested lines of different files that one statement returns.
struct LinesQuestion<'a> {
    /// Each with its place among all that are wanted.
    wanted: Vec<(usize, &'a LinesWanted)>,
    files: BTreeSet<&'a str>,
}

impl<'a> LinesQuestion<'a> {
    /// Divides what is wanted into questions.
    fn all(wanted: &'a [LinesWanted]) -> Vec<Self> {
        let mut questions: Vec<Self> = Vec::new();
        for (place, wanted) in wanted.iter().enumerate() {
            let file = wanted.file.as_str();
            if let Some(question) = questions.iter_mut().find(|it| it.is_for(wanted)) {
                question.wanted.push((place, wanted));
                question.files.insert(file);
            } else {
                let files = BTreeSet::from([file]);
                questions.push(Self { wanted: vec![(place, wanted)], files });
            }
        }
        questions
    }

    fn is_for(&self, other: &LinesWanted) -> bool {
        let first = self.wanted[0].1;
        let form = |it: &LinesWanted| (it.newest_first, it.detail, it.file.is_history());
        form(first) == form(other)
            && first.which == other.which
            && self.wanted.len() < MOST_FILES
            && !self.files.contains(other.file.as_str())
    }

    /// Most lines of a file that the statement returns.
    fn limit(&self, spare: usize) -> usize {
        self.wanted.iter().map(|(_, it)| it.count).max().unwrap_or(0).min(MOST_LINES) + spare
    }

    /// The statement for the files that fulfil this condition.
    fn statement(&self, of_files: &str, limit: usize) -> String {
        let first = self.wanted[0].1;
        let text = match first.detail {
            Detail::Whole => "line",
            // The server reads no whole lines for it, which are most of what it has.
            Detail::Center => "summary",
        };
        let (is_behind, order, start) =
            if first.newest_first { ("<", "DESC", u64::MAX) } else { (">", "ASC", 0) };
        let metric = match &first.which {
            WhichLines::NewestOfEachMetric => {
                // What is no run has no metric.
                return format!(
                    "SELECT file, max(number), argMax(digest, number), argMax({text}, number) \
                     FROM perftest_record WHERE {of_files} \
                     GROUP BY file, metric, if(metric = '', digest, 0) ORDER BY file, max(number) DESC"
                );
            }
            WhichLines::OfMetric(metric) => {
                format!("AND metric IN ('', {}) ", literal(&RunSummary::metric_text(metric)))
            }
            WhichLines::All => String::new(),
        };
        let mut behind = String::new();
        if self.wanted.iter().any(|(_, it)| it.behind.is_some()) {
            let end =
                |(_, it): &(usize, &'a LinesWanted)| (it.file.as_str(), it.behind.unwrap_or(start));
            behind = format!("AND number {is_behind} {} ", by_file(self.wanted.iter().map(end)));
        }
        // FINAL: a record that was sent twice is there once. It takes the server long, and a reader of runs takes each once.
        let merged = if first.file.is_history() { "" } else { "FINAL " };
        format!(
            "SELECT file, number, digest, {text} FROM perftest_record {merged}WHERE {of_files} \
             {metric}{behind}ORDER BY file, number {order} LIMIT {limit} BY file"
        )
    }

    /// Puts the lines of each file on its page. Returns whether all lines with the last number of each page are
    /// there.
    fn fill(&self, rows: Vec<NumberedLine>, limit: usize, pages: &mut [LinePage]) -> bool {
        let mut lines_of: HashMap<String, Vec<(u64, String)>> = HashMap::new();
        for row in rows {
            lines_of.entry(row.file).or_default().push((row.number, row.text));
        }
        for (place, wanted) in &self.wanted {
            let mut lines = lines_of.remove(wanted.file.as_str()).unwrap_or_default();
            let is_of_each = wanted.which == WhichLines::NewestOfEachMetric;
            let is_cut = !is_of_each && lines.len() >= limit;
            let mut is_last = !is_cut;
            if !is_of_each && lines.len() > wanted.count.max(1) {
                let last = lines[wanted.count.max(1) - 1].0;
                match lines.iter().rposition(|(number, _)| *number == last) {
                    Some(end) if end + 1 < lines.len() => {
                        lines.truncate(end + 1);
                        is_last = false;
                    }
                    _ if is_cut => return false,
                    _ => {}
                }
            }
            if is_of_each && !wanted.newest_first {
                lines.reverse();
            }
            pages[*place] = LinePage { lines, damaged: Vec::new(), is_last };
        }
        true
    }
}

impl ClickHouseRemote {
    /// Returns the wanted lines, with one statement for those of many files.
    pub(super) fn pages(&self, wanted: &[LinesWanted]) -> Result<Vec<LinePage>, RemoteError> {
        let mut pages: Vec<LinePage> = wanted.iter().map(|_| LinePage::default()).collect();
        for question in LinesQuestion::all(wanted) {
            let mut spare = SPARE_LINES;
            while !self.answer(&question, question.limit(spare), &mut pages)? {
                if spare > MOST_SPARE_LINES {
                    return Err(RemoteError::new(
                        "the database has too many lines with one number",
                    ));
                }
                spare *= 8;
            }
        }
        Ok(pages)
    }

    /// Gives the whole lines to rows without a summary: those of other kinds than runs.
    fn add_lines_without_summary(&self, rows: &mut [NumberedLine]) -> Result<(), RemoteError> {
        let mut without: HashMap<(String, u64), &mut String> = HashMap::new();
        for row in rows.iter_mut().filter(|row| row.text.is_empty()) {
            without.insert((row.file.clone(), row.digest), &mut row.text);
        }
        let keys: BTreeSet<(String, u64)> = without.keys().cloned().collect();
        let digests: Vec<(&str, u64)> =
            keys.iter().map(|(file, digest)| (file.as_str(), *digest)).collect();
        for condition in self.of_digests(&digests) {
            let query = format!("SELECT file, digest, line FROM perftest_record WHERE {condition}");
            let lines = self
                .server
                .rows(&query, |[file, digest, line]| Some(((file, digest.parse().ok()?), line)));
            for (key, line) in lines? {
                if let Some(text) = without.get_mut(&key) {
                    **text = line;
                }
            }
        }
        Ok(())
    }

    fn answer(
        &self,
        question: &LinesQuestion<'_>,
        limit: usize,
        pages: &mut [LinePage],
    ) -> Result<bool, RemoteError> {
        let of_files = self.of_files(question.files.iter().copied());
        let statement = question.statement(&of_files, limit);
        let mut rows = self.server.rows(&statement, |[file, number, digest, text]| {
            let (number, digest) = (number.parse().ok()?, digest.parse().ok()?);
            Some(NumberedLine { file, number, digest, text })
        })?;
        self.add_lines_without_summary(&mut rows)?;
        Ok(question.fill(rows, limit, pages))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::RecordFileName;

    fn wanted(count: usize) -> LinesWanted {
        LinesWanted {
            file: RecordFileName::parse("events.jsonl").unwrap(),
            newest_first: true,
            which: WhichLines::All,
            detail: Detail::Whole,
            behind: None,
            count,
        }
    }

    /// The page of these numbers, if it is whole.
    fn page(numbers: &[u64], count: usize, limit: usize) -> Option<(Vec<u64>, bool)> {
        let wanted = [wanted(count)];
        let question = &LinesQuestion::all(&wanted)[0];
        let file = "events.jsonl".to_owned();
        let row = |number: &u64| NumberedLine {
            file: file.clone(),
            number: *number,
            digest: 0,
            text: String::new(),
        };
        let mut pages = [LinePage::default()];
        let is_whole = question.fill(numbers.iter().map(row).collect(), limit, &mut pages);
        let numbers = pages[0].lines.iter().map(|(number, _)| *number).collect();
        is_whole.then_some((numbers, pages[0].is_last))
    }

    #[test]
    fn a_page_never_ends_between_two_lines_with_the_same_number() {
        assert_eq!(page(&[9, 8, 7, 6], 2, 4), Some((vec![9, 8], false)));
        assert_eq!(page(&[9, 8, 8, 7], 2, 4), Some((vec![9, 8, 8], false)));
        assert_eq!(page(&[9, 8, 8, 8], 2, 4), None);
        assert_eq!(page(&[9, 8, 8], 2, 4), Some((vec![9, 8, 8], true)));
        assert_eq!(page(&[9], 2, 4), Some((vec![9], true)));
        assert_eq!(page(&[], 2, 4), Some((vec![], true)));
        assert_eq!(page(&[9, 8], 2, 4), Some((vec![9, 8], true)));
    }

    #[test]
    fn a_file_that_is_wanted_twice_is_asked_for_twice() {
        let other = LinesWanted { newest_first: false, ..wanted(1) };
        let all = [wanted(1), wanted(2), other];
        let places: Vec<usize> = LinesQuestion::all(&all).iter().map(|it| it.wanted[0].0).collect();
        assert_eq!(places, [0, 1, 2]);
    }
}
