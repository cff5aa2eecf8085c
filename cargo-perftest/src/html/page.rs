//! The text of a page.

use super::{
    OverviewRow, ReportDocument, Section, content_policy, for_markup, for_script, overview_as_json,
};
use crate::report::ratio as in_times;
use perftest_core::words::quantity;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The page, with the names of its parts between `@`.
const FRAME: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = concat!(
    include_str!("assets/format.js"),
    include_str!("assets/ticks.js"),
    include_str!("assets/plot.js"),
    include_str!("assets/plot_input.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/module_table.js"),
    include_str!("assets/history_plot.js"),
    include_str!("assets/comparison_plots.js"),
    include_str!("assets/run_table.js"),
    include_str!("assets/test_view.js"),
    include_str!("assets/main.js"),
);

/// Writes the page of a report.
pub(crate) fn write_page(document: &ReportDocument, out: &mut dyn Write) -> io::Result<()> {
    // As browsers hash them, wherever the sources were checked out.
    let [style, script] = [STYLE, SCRIPT].map(|text| text.replace("\r\n", "\n"));
    for (place, part) in FRAME.split('@').enumerate() {
        match part {
            literal if place % 2 == 0 => out.write_all(literal.as_bytes())?,
            "policy" => out.write_all(for_markup(&content_policy(&style, &script)).as_bytes())?,
            "title" => out.write_all(for_markup(&title(document)).as_bytes())?,
            "style" => out.write_all(style.as_bytes())?,
            "script" => out.write_all(script.as_bytes())?,
            "without-script" => write_plain_table(document, out)?,
            "report" => {
                out.write_all(for_script(&report_as_json(document).to_string()).as_bytes())?
            }
            "tests" => write_tests(document, out)?,
            unknown => unreachable!("the frame of the page names `{unknown}`"),
        }
    }
    Ok(())
}

fn title(document: &ReportDocument) -> String {
    format!("{}: performance tests", document.project)
}

fn write_tests(document: &ReportDocument, out: &mut dyn Write) -> io::Result<()> {
    for (place, entry) in document.entries.iter().enumerate() {
        let data = &entry.data;
        writeln!(out, r#"<script type="application/json" id="test-{place}">{data}</script>"#)?;
    }
    Ok(())
}

fn report_as_json(document: &ReportDocument) -> Value {
    let rows = document.entries.iter().map(|entry| &entry.row);
    let section = |section: Section| {
        let tests = rows.clone().filter(|row| row.section == section).count();
        json!({
            "name": section.name(),
            "title": section.title(),
            "description": section.description(),
            "tests": tests,
        })
    };
    json!({
        "project": document.project,
        "version": document.version,
        "made_s": document.made_ms / 1000,
        "limit": document.limit,
        "problems": document.problems,
        "sections": Section::ALL.map(section),
        "overview": overview_as_json(rows),
    })
}

/// The overview for a browser that runs no script.
fn write_plain_table(document: &ReportDocument, out: &mut dyn Write) -> io::Result<()> {
    for problem in &document.problems {
        writeln!(out, "<p>{}</p>", for_markup(problem))?;
    }
    writeln!(out, "<table>\n<tr><th>verdict<th>test<th>metric<th>testbed<th>now<th>ratio")?;
    for entry in &document.entries {
        writeln!(out, "<tr>{}", plain_cells(&entry.row))?;
    }
    writeln!(out, "</table>")
}

fn plain_cells(row: &OverviewRow) -> String {
    let now = row.now.map_or_else(|| "-".to_owned(), |now| quantity(now, &row.metric.unit));
    let ratio = row.from.clone().or_else(|| row.ratio.map(|it| in_times(it.estimate)));
    let ratio = ratio.unwrap_or_else(|| "-".to_owned());
    let cells = [
        &row.section.title(),
        &row.benchmark.to_string(),
        &row.metric.name,
        &row.testbed,
        &now,
        &ratio,
    ];
    cells.map(|cell| format!("<td>{}", for_markup(cell))).concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::ReportEntry;
    use crate::report::ShownVerdict;
    use perftest_core::model::{BenchmarkId, Interval, Metric, Reason};

    const HOSTILE: &str =
        "</script><script>alert(1)</script></noscript><img src=x onerror='alert(2)'>\u{202e}";

    fn row(name: &str, reason: Option<Reason>) -> OverviewRow {
        OverviewRow {
            benchmark: BenchmarkId::from_recorded(name),
            testbed: name.to_owned(),
            metric: Metric { name: name.to_owned(), ..Metric::wall() },
            section: Section::of(reason.map(ShownVerdict::Of)),
            verdict: reason.map(ShownVerdict::Of),
            now: Some(57.25),
            ratio: None,
            from: None,
            detects: None,
            course: vec![1.0, 2.0],
            runs: 2,
            newest_ms: Some(1_767_225_600_000),
            commit: name.to_owned(),
            spent_ns: 0,
            change: None,
            alarms: 0,
        }
    }

    fn page_of(rows: Vec<OverviewRow>) -> String {
        let entries = rows.into_iter().map(|row| {
            let data = json!({ "name": row.benchmark.as_str() });
            ReportEntry::new(row, &data)
        });
        let mut document = ReportDocument {
            project: HOSTILE.to_owned(),
            version: "0.0.0",
            made_ms: 0,
            limit: 200,
            problems: vec![HOSTILE.to_owned()],
            entries: entries.collect(),
        };
        document.sort();
        let mut page = Vec::new();
        write_page(&document, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    /// The JSON blocks of a page, in its order.
    fn blocks(page: &str) -> Vec<Value> {
        let blocks = page.split(r#"<script type="application/json""#).skip(1);
        let text = |block: &str| {
            let (_, rest) = block.split_once('>').unwrap();
            rest.split_once("</script>").unwrap().0.to_owned()
        };
        blocks.map(|block| serde_json::from_str(&text(block)).unwrap()).collect()
    }

    #[test]
    fn no_text_of_a_record_becomes_markup_of_the_page() {
        let plain = page_of(vec![row("codec::encode", None)]);
        let hostile = page_of(vec![row(HOSTILE, None)]);
        for markup in ["<script", "</script>", "<img", "</noscript>"] {
            let count = |page: &str| page.matches(markup).count();
            assert_eq!(count(&hostile), count(&plain), "{markup}");
        }
        let blocks = blocks(&hostile);
        assert_eq!(blocks[1]["name"], HOSTILE);
        assert_eq!(blocks[0]["overview"]["id"], HOSTILE);
        assert!(!blocks[0]["overview"]["name"].as_str().unwrap().contains('\u{202e}'));
    }

    #[test]
    fn the_worst_tests_come_first_and_each_section_counts_its_own() {
        let reasons = [Reason::Green, Reason::Red, Reason::Unclear, Reason::Red];
        let rows = reasons.iter().enumerate();
        let page = page_of(rows.map(|(n, it)| row(&format!("t{n}"), Some(*it))).collect());
        let report = &blocks(&page)[0];
        assert_eq!(report["overview"]["name"], json!(["t1", "t3", "t2", "t0"]));
        assert_eq!(
            report["sections"][0],
            json!({
                "name": "slower",
                "title": "slower",
                "description": Section::Slower.description(),
                "tests": 2,
            })
        );
    }

    #[test]
    fn what_was_0_is_farther_off_than_any_ratio() {
        let far = Interval { estimate: 9.0, lower: 9.0, upper: 9.0 };
        let ratio = OverviewRow { ratio: Some(far), ..row("ninefold", Some(Reason::Red)) };
        let from = OverviewRow { from: Some("from 0".into()), ..row("from 0", Some(Reason::Red)) };
        let report = &blocks(&page_of(vec![ratio, from]))[0];
        assert_eq!(report["overview"]["name"], json!(["from 0", "ninefold"]));
    }

    #[test]
    fn a_report_without_a_test_is_a_page_too() {
        let page = page_of(Vec::new());
        assert_eq!(blocks(&page)[0]["overview"]["count"], 0);
        assert!(page.ends_with("</html>\n"), "{}", &page[page.len() - 40..]);
    }

    #[test]
    fn the_page_has_no_address_to_load_from_and_its_script_ends_where_it_ends() {
        // A reference within the page loads nothing.
        let own = [FRAME, STYLE, SCRIPT].concat().replace("url(#", "");
        for outside in ["src=", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest"] {
            assert!(!own.contains(outside), "{outside}");
        }
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("innerHTML"));
        assert!(!STYLE.contains("</style"));
    }
}
