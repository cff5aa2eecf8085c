//! Lines of the tables for commands that answer from the remote: many files in one statement.

use super::session::{PostgresSession, unsigned, value};
use super::{FILE_ID, signed};
use crate::remote::RemoteError;
use perftest_store::{Detail, LinePage, LinesWanted, RunSummary, WhichLines};

/// What the statements for some wanted lines have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    newest_first: bool,
    detail: Detail,
    is_of_each_metric: bool,
}

impl Form {
    fn of(wanted: &LinesWanted) -> Self {
        Self {
            newest_first: wanted.newest_first,
            detail: wanted.detail,
            is_of_each_metric: wanted.which == WhichLines::NewestOfEachMetric,
        }
    }

    /// Returns the statement for the project `$1`, the files `$2`, their metrics `$3`, the numbers to begin behind
    /// `$4`, and the numbers of lines `$5`.
    fn statement(self) -> String {
        // Only records of runs have a metric and a summary.
        let line = match self.detail {
            Detail::Whole => "line",
            Detail::Center => "coalesce(summary, line)",
        };
        let (is_behind, order) = if self.newest_first { ("<", "DESC") } else { (">", "ASC") };
        let found = if self.is_of_each_metric {
            // In the order of numbers: otherwise a server may look each row up by its digest.
            format!(
                "SELECT DISTINCT ON (metric) number, line FROM ( \
                     SELECT number, coalesce(metric, encode(digest, 'hex')) AS metric, {line} AS line \
                     FROM perftest_record WHERE file_id = {FILE_ID} ORDER BY number DESC \
                 ) AS newest ORDER BY metric, number DESC"
            )
        } else {
            format!(
                "SELECT number, {line} AS line FROM perftest_record \
                 WHERE file_id = {FILE_ID} AND number {is_behind} wanted.behind \
                 AND (wanted.metric IS NULL OR metric IS NULL OR metric = wanted.metric) \
                 ORDER BY number {order} LIMIT wanted.count"
            )
        };
        format!(
            "SELECT wanted.place, found.number, found.line \
             FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) WITH ORDINALITY \
             AS wanted (file, metric, behind, count, place) \
             CROSS JOIN LATERAL ({found}) AS found \
             ORDER BY wanted.place, found.number {order}"
        )
    }
}

/// Returns the wanted lines, with one statement for all that are wanted in the same way.
pub(super) fn lines(
    session: &mut PostgresSession,
    project: &str,
    wanted: &[LinesWanted],
) -> Result<Vec<LinePage>, RemoteError> {
    let mut pages: Vec<LinePage> = wanted.iter().map(|_| LinePage::default()).collect();
    let mut forms: Vec<Form> = Vec::new();
    for form in wanted.iter().map(Form::of) {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    for form in forms {
        let like = |(_, it): &(usize, &LinesWanted)| Form::of(it) == form;
        let (indices, alike): (Vec<usize>, Vec<&LinesWanted>) =
            wanted.iter().enumerate().filter(like).unzip();
        let files: Vec<&str> = alike.iter().map(|it| it.file.as_str()).collect();
        let metrics: Vec<Option<String>> = alike.iter().map(|it| metric(it)).collect();
        let start = if form.newest_first { u64::MAX } else { 0 };
        let behind: Vec<i64> = alike.iter().map(|it| signed(it.behind.unwrap_or(start))).collect();
        let counts: Vec<i64> = alike.iter().map(|it| signed(it.count as u64)).collect();
        let rows =
            session.rows(&form.statement(), &[&project, &files, &metrics, &behind, &counts])?;
        for row in &rows {
            let place = usize::try_from(unsigned(row, 0)?).unwrap_or(0).wrapping_sub(1);
            if let Some(index) = indices.get(place) {
                pages[*index].lines.push((unsigned(row, 1)?, value(row, 2)?));
            }
        }
    }
    for (page, wanted) in pages.iter_mut().zip(wanted) {
        page.is_last =
            wanted.which == WhichLines::NewestOfEachMetric || page.lines.len() < wanted.count;
    }
    Ok(pages)
}

fn metric(wanted: &LinesWanted) -> Option<String> {
    match &wanted.which {
        WhichLines::OfMetric(metric) => Some(RunSummary::metric_text(metric)),
        WhichLines::All | WhichLines::NewestOfEachMetric => None,
    }
}
