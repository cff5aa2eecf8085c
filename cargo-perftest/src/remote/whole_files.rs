//! Lines of places whose files are only read from their start.

use super::{EachFile, ReadRequest, RemoteError};
use perftest_core::model::Metric;
use perftest_store::line::check_sum;
use perftest_store::{
    Damage, LinePage, LinesWanted, NewRecords, ReadPlace, RecordFileName, WhichLines,
};
use std::collections::HashSet;
use std::ops::Range;

/// Most files that are in memory together.
const MOST_FILES: usize = 16;

/// All of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct WholeFile {
    text: String,
    /// Each with its number, and its place in the text.
    lines: Vec<(u64, Range<usize>)>,
    /// Damaged lines that are not among them.
    damaged: Vec<Damage>,
}

/// Returns the wanted lines of files, of which `whole` returns some in each call.
pub(super) fn lines(
    wanted: &[LinesWanted],
    mut whole: impl FnMut(&[&RecordFileName]) -> EachFile<WholeFile>,
) -> EachFile<LinePage> {
    let mut names: Vec<&RecordFileName> = wanted.iter().map(|it| &it.file).collect();
    names.sort();
    names.dedup();
    let mut pages: Vec<Option<Result<LinePage, RemoteError>>> =
        wanted.iter().map(|_| None).collect();
    for part in names.chunks(MOST_FILES) {
        let files = whole(part)?;
        for (page, wanted) in pages.iter_mut().zip(wanted) {
            if let Ok(index) = part.binary_search(&&wanted.file) {
                let file = files[index].as_ref();
                *page = Some(file.map(|file| file.page(wanted)).map_err(Clone::clone));
            }
        }
    }
    Ok(pages.into_iter().map(|page| page.unwrap_or_else(|| Ok(LinePage::default()))).collect())
}

/// Reads files to their end, by what [`Remote::read`](super::Remote::read) returns.
pub(super) fn read_whole(
    names: &[&RecordFileName],
    mut read: impl FnMut(&[ReadRequest]) -> EachFile<NewRecords>,
) -> EachFile<WholeFile> {
    let mut files: Vec<Result<WholeFile, RemoteError>> =
        names.iter().map(|_| Ok(WholeFile::default())).collect();
    let start =
        |name: &&RecordFileName| ReadRequest { name: (*name).clone(), place: ReadPlace::default() };
    let mut unfinished: Vec<(usize, ReadRequest)> = names.iter().map(start).enumerate().collect();
    while !unfinished.is_empty() {
        let (indices, wanted): (Vec<usize>, Vec<ReadRequest>) = unfinished.into_iter().unzip();
        unfinished = Vec::new();
        for ((index, wanted), new) in indices.into_iter().zip(&wanted).zip(read(&wanted)?) {
            match (new, &mut files[index]) {
                (Ok(new), Ok(file)) if new.place != wanted.place => {
                    new.records.iter().for_each(|record| file.push(record.text()));
                    file.damaged.extend(new.damaged);
                    unfinished.push((index, ReadRequest { place: new.place, ..wanted.clone() }));
                }
                (Ok(_), _) => {}
                (Err(error), file) => *file = Err(error),
            }
        }
    }
    Ok(files)
}

impl WholeFile {
    /// Splits the content of a file, unless it is one record.
    pub(super) fn of_content(name: &RecordFileName, content: Vec<u8>) -> Self {
        let text = String::from_utf8(content)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let mut lines = Vec::new();
        if name.has_lines() {
            let mut start = 0;
            for (line, number) in text.split_inclusive('\n').zip(1..) {
                let whole = line.strip_suffix('\n').unwrap_or(line);
                lines.push((number, start..start + whole.len()));
                start += line.len();
            }
        } else {
            lines.push((1, 0..text.len()));
        }
        Self { text, lines, damaged: Vec::new() }
    }

    fn push(&mut self, line: &str) {
        let start = self.text.len();
        self.text.push_str(line);
        self.lines.push((self.lines.len() as u64 + 1, start..self.text.len()));
    }

    fn page<'a>(&'a self, wanted: &LinesWanted) -> LinePage {
        let lines = self.lines.iter().map(|(number, place)| (*number, &self.text[place.clone()]));
        let lines: Box<dyn Iterator<Item = (u64, &'a str)> + 'a> =
            if wanted.newest_first { Box::new(lines.rev()) } else { Box::new(lines) };
        let is_behind = |(number, _): &(u64, &str)| match wanted.behind {
            Some(last) if wanted.newest_first => *number < last,
            Some(last) => *number > last,
            None => true,
        };
        let mut seen = HashSet::new();
        let is_wanted = |(_, line): &(u64, &'a str)| match &wanted.which {
            WhichLines::All => true,
            // Only a whole line is left out: the reader reports a damaged one.
            WhichLines::OfMetric(metric) => {
                metric_in(line).is_none_or(|found| is_metric(found, metric) || !is_whole(line))
            }
            WhichLines::NewestOfEachMetric => {
                metric_in(line).is_none_or(|found| !is_whole(line) || seen.insert(found))
            }
        };
        let lines = lines.filter(is_behind).filter(is_wanted);
        let mut lines = lines.map(|(number, line)| (number, line.to_owned()));
        let is_first = wanted.behind.is_none();
        LinePage {
            lines: lines.by_ref().take(wanted.count).collect(),
            damaged: if is_first { self.damaged.clone() } else { Vec::new() },
            is_last: lines.next().is_none(),
        }
    }
}

fn is_whole(line: &str) -> bool {
    check_sum(line.as_bytes()).is_ok()
}

/// Name, unit and direction of a line in our own spelling; `None` in any other: a reader has to understand or report
/// it.
fn metric_in(line: &str) -> Option<[&str; 3]> {
    let (_, rest) = line.split_once(",\"metric\":\"")?;
    let (name, rest) = rest.split_once("\",\"unit\":\"")?;
    let (unit, rest) = rest.split_once("\",\"better\":\"")?;
    let (direction, _) = rest.split_once('"')?;
    let parts = [name, unit, direction];
    parts.iter().all(|part| !part.contains(['"', '\\'])).then_some(parts)
}

fn is_metric([name, unit, direction]: [&str; 3], metric: &Metric) -> bool {
    name == metric.name && unit == metric.unit && direction == metric.direction.name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Run;
    use perftest_store::conformance::{example_run, resealed};
    use perftest_store::{Detail, JsonlStore, Project, RecordFiles, Store};

    /// Lines of a file with six runs by turns of two metrics.
    fn page(wanted: impl FnOnce(LinesWanted) -> LinesWanted) -> LinePage {
        let root = tempfile::tempdir().unwrap();
        let project = Project::of_identity("example.org/team/codec");
        let store = JsonlStore::open(root.path(), &project);
        for ordinal in 0..6 {
            let name = if ordinal % 2 == 0 { "wall" } else { "cpu" };
            let metric = Metric { name: name.into(), ..Metric::wall() };
            store.append(&Run { metric, ..example_run(ordinal) }).unwrap();
        }
        let files = RecordFiles::open(root.path(), &project);
        let wanted = wanted(LinesWanted {
            file: files.list().unwrap().remove(0).name,
            newest_first: true,
            which: WhichLines::All,
            detail: Detail::Whole,
            behind: None,
            count: 100,
        });
        let read = |wanted: &[ReadRequest]| {
            let read =
                |it: &ReadRequest| files.read(&it.name, &it.place).map_err(RemoteError::from);
            Ok(wanted.iter().map(read).collect())
        };
        lines(&[wanted], |names| read_whole(names, read)).unwrap().remove(0).unwrap()
    }

    fn numbers(page: &LinePage) -> Vec<u64> {
        page.lines.iter().map(|(number, _)| *number).collect()
    }

    #[test]
    fn lines_come_in_the_wanted_order_and_page_by_page() {
        let all = page(|it| it);
        assert_eq!((numbers(&all), all.is_last), (vec![6, 5, 4, 3, 2, 1], true));
        let first = page(|it| LinesWanted { count: 4, ..it });
        assert_eq!((numbers(&first), first.is_last), (vec![6, 5, 4, 3], false));
        let rest = page(|it| LinesWanted { count: 4, behind: Some(3), ..it });
        assert_eq!((numbers(&rest), rest.is_last), (vec![2, 1], true));
        let oldest = page(|it| LinesWanted { newest_first: false, behind: Some(4), ..it });
        assert_eq!(numbers(&oldest), [5, 6]);
    }

    #[test]
    fn lines_keep_their_numbers_in_the_content_of_a_file() {
        let lines = |name: &str, content: &[u8]| {
            let file = WholeFile::of_content(&RecordFileName::parse(name).unwrap(), content.into());
            let line = |(number, place): (u64, Range<usize>)| (number, file.text[place].to_owned());
            file.lines.clone().into_iter().map(line).collect::<Vec<(u64, String)>>()
        };
        let of_events = lines("events.jsonl", b"one\n\nthree\n\xff\nlast");
        let expected = [(1, "one"), (2, ""), (3, "three"), (4, "\u{fffd}"), (5, "last")];
        assert_eq!(of_events, expected.map(|(number, line)| (number, line.to_owned())));
        let of_context = lines("contexts/0123456789abcdef.json", b"{\n}\n");
        assert_eq!(of_context, [(1, "{\n}\n".to_owned())]);
    }

    #[test]
    fn lines_of_other_metrics_are_left_out() {
        let which = WhichLines::OfMetric(Metric::wall());
        assert_eq!(numbers(&page(|it| LinesWanted { which, ..it })), [5, 3, 1]);
        let which = WhichLines::NewestOfEachMetric;
        assert_eq!(numbers(&page(|it| LinesWanted { which, ..it })), [6, 5]);
    }

    #[test]
    fn a_damaged_line_and_one_in_another_spelling_are_left_to_the_reader() {
        let line = page(|it| it).lines.remove(0).1;
        assert_eq!(metric_in(&line), Some(["cpu", "ns", "lower"]));
        assert!(is_whole(&line) && !is_whole(&line.replacen("\"cpu\"", "\"gpu\"", 1)));
        for (ours, other) in [
            ("\"metric\":\"", "\"metric\": \""),
            ("\"cpu\"", "\"c\\\\pu\""),
            ("\"unit\":\"ns\",", ""),
        ] {
            let other = resealed(&line.replacen(ours, other, 1));
            assert_eq!(metric_in(other.trim_end()), None, "{other}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_costs_only_itself() {
        let wanted = |name: &str| LinesWanted {
            file: RecordFileName::parse(name).unwrap(),
            newest_first: true,
            which: WhichLines::All,
            detail: Detail::Whole,
            behind: None,
            count: 1,
        };
        let wanted = [wanted("models.jsonl"), wanted("events.jsonl")];
        let pages = lines(&wanted, |names| {
            read_whole(names, |files| {
                let read = |it: &ReadRequest| match it.name.as_str() {
                    "models.jsonl" => Err(RemoteError::new("no")),
                    _ => Ok(NewRecords::default()),
                };
                Ok(files.iter().map(read).collect())
            })
        });
        let are_read: Vec<bool> = pages.unwrap().iter().map(Result::is_ok).collect();
        assert_eq!(are_read, [false, true]);
    }
}
