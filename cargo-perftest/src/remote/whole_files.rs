//! Lines of places whose files are only read from their start.

use super::{RemoteError, Wanted};
use perftest_core::model::Metric;
use perftest_store::{
    Damage, LinePage, LinesWanted, NewRecords, ReadPlace, Record, RecordFileName, WhichLines,
};
use std::collections::HashSet;

/// Most files that are in memory together.
const MOST_FILES: usize = 16;

/// Returns the wanted lines of files, which `read` reads as [`Remote::read`](super::Remote::read) does.
pub(super) fn lines(
    wanted: &[LinesWanted],
    mut read: impl FnMut(&[Wanted]) -> Result<Vec<Result<NewRecords, RemoteError>>, RemoteError>,
) -> Result<Vec<Result<LinePage, RemoteError>>, RemoteError> {
    let mut names: Vec<&RecordFileName> = wanted.iter().map(|it| &it.file).collect();
    names.sort();
    names.dedup();
    let mut pages: Vec<Option<Result<LinePage, RemoteError>>> =
        wanted.iter().map(|_| None).collect();
    for part in names.chunks(MOST_FILES) {
        let files = whole(part, &mut read)?;
        for (page, wanted) in pages.iter_mut().zip(wanted) {
            if let Ok(index) = part.binary_search(&&wanted.file) {
                let file = files[index].as_ref();
                *page = Some(file.map(|file| file.page(wanted)).map_err(Clone::clone));
            }
        }
    }
    Ok(pages.into_iter().map(|page| page.unwrap_or_else(|| Ok(LinePage::default()))).collect())
}

/// All of a file.
#[derive(Debug, Default)]
struct WholeFile {
    records: Vec<Record>,
    damaged: Vec<Damage>,
}

/// Reads these files from their start to their end.
fn whole(
    names: &[&RecordFileName],
    read: &mut impl FnMut(&[Wanted]) -> Result<Vec<Result<NewRecords, RemoteError>>, RemoteError>,
) -> Result<Vec<Result<WholeFile, RemoteError>>, RemoteError> {
    let mut files: Vec<Result<WholeFile, RemoteError>> =
        names.iter().map(|_| Ok(WholeFile::default())).collect();
    let start =
        |name: &&RecordFileName| Wanted { name: (*name).clone(), place: ReadPlace::default() };
    let mut unfinished: Vec<(usize, Wanted)> = names.iter().map(start).enumerate().collect();
    while !unfinished.is_empty() {
        let (indices, wanted): (Vec<usize>, Vec<Wanted>) = unfinished.into_iter().unzip();
        unfinished = Vec::new();
        for ((index, wanted), new) in indices.into_iter().zip(&wanted).zip(read(&wanted)?) {
            match (new, &mut files[index]) {
                (Ok(new), Ok(file)) if new.place != wanted.place => {
                    file.records.extend(new.records);
                    file.damaged.extend(new.damaged);
                    unfinished.push((index, Wanted { place: new.place, ..wanted.clone() }));
                }
                (Ok(_), _) => {}
                (Err(error), file) => *file = Err(error),
            }
        }
    }
    Ok(files)
}

impl WholeFile {
    fn page(&self, wanted: &LinesWanted) -> LinePage {
        let numbered = self.records.iter().enumerate().map(|(index, it)| (index as u64, it.text()));
        if wanted.newest_first {
            self.page_of(
                numbered.rev().skip_while(|it| wanted.behind.is_some_and(|end| it.0 >= end)),
                wanted,
            )
        } else {
            self.page_of(
                numbered.skip_while(|it| wanted.behind.is_some_and(|end| it.0 <= end)),
                wanted,
            )
        }
    }

    fn page_of<'a>(
        &'a self,
        lines: impl Iterator<Item = (u64, &'a str)>,
        wanted: &LinesWanted,
    ) -> LinePage {
        let mut seen = HashSet::new();
        let is_wanted = |(_, line): &(u64, &'a str)| match (&wanted.which, metric_in(line)) {
            (WhichLines::All, _) | (_, None) => true,
            (WhichLines::OfMetric(metric), Some(found)) => is_metric(found, metric),
            (WhichLines::NewestOfEachMetric, Some(found)) => seen.insert(found),
        };
        let mut lines = lines.filter(is_wanted).map(|(number, line)| (number, line.to_owned()));
        let is_first = wanted.behind.is_none();
        LinePage {
            lines: lines.by_ref().take(wanted.count).collect(),
            damaged: if is_first { self.damaged.clone() } else { Vec::new() },
            is_last: lines.next().is_none(),
        }
    }
}

/// Name, unit and direction of a line in our own spelling; `None` in any other, which a reader has to understand.
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
    use perftest_store::conformance::example_run;
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
        let read = |wanted: &[Wanted]| {
            let read = |it: &Wanted| files.read(&it.name, &it.place).map_err(RemoteError::from);
            Ok(wanted.iter().map(read).collect())
        };
        lines(&[wanted], read).unwrap().remove(0).unwrap()
    }

    fn numbers(page: &LinePage) -> Vec<u64> {
        page.lines.iter().map(|(number, _)| *number).collect()
    }

    #[test]
    fn lines_come_in_the_wanted_order_and_page_by_page() {
        let all = page(|it| it);
        assert_eq!((numbers(&all), all.is_last), (vec![5, 4, 3, 2, 1, 0], true));
        let first = page(|it| LinesWanted { count: 4, ..it });
        assert_eq!((numbers(&first), first.is_last), (vec![5, 4, 3, 2], false));
        let rest = page(|it| LinesWanted { count: 4, behind: Some(2), ..it });
        assert_eq!((numbers(&rest), rest.is_last), (vec![1, 0], true));
        let oldest = page(|it| LinesWanted { newest_first: false, behind: Some(3), ..it });
        assert_eq!(numbers(&oldest), [4, 5]);
    }

    #[test]
    fn lines_of_other_metrics_are_left_out() {
        let which = WhichLines::OfMetric(Metric::wall());
        assert_eq!(numbers(&page(|it| LinesWanted { which, ..it })), [4, 2, 0]);
        let which = WhichLines::NewestOfEachMetric;
        assert_eq!(numbers(&page(|it| LinesWanted { which, ..it })), [5, 4]);
    }

    #[test]
    fn a_metric_in_another_spelling_is_left_to_the_reader() {
        let line = "{\"v\":1,\"metric\":\"wall\",\"unit\":\"ns\",\"better\":\"lower\"}";
        assert_eq!(metric_in(line), Some(["wall", "ns", "lower"]));
        for other in [
            line.replace("\":\"", "\": \""),
            line.replace("wall", "w\\\\all"),
            line.replace("\"unit\":\"ns\",", ""),
        ] {
            assert_eq!(metric_in(&other), None, "{other}");
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
        let pages = lines(&[wanted("models.jsonl"), wanted("events.jsonl")], |files| {
            let read = |it: &Wanted| match it.name.as_str() {
                "models.jsonl" => Err(RemoteError::new("no")),
                _ => Ok(NewRecords::default()),
            };
            Ok(files.iter().map(read).collect())
        });
        let are_read: Vec<bool> = pages.unwrap().iter().map(Result::is_ok).collect();
        assert_eq!(are_read, [false, true]);
    }
}
