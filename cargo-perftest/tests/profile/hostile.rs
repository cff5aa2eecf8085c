//! Files that are damaged, empty, huge or made to do harm.

use super::{OneFile, error, json_lines, stacks_of, text};
use std::fmt::Write;

fn show(file: &OneFile, format: &str) -> String {
    text(&["profile", "show", &file.path(), "--format", format])
}

fn error_of(text: impl AsRef<[u8]>) -> String {
    error(&["profile", "show", &OneFile::new(text).path()])
}

#[test]
fn a_file_that_is_no_profile_is_refused_with_the_way_out() {
    let cases = [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("hello\n", "the format is unknown: give folded stacks"),
        ("a;b 0\n", "there are no stacks: each line is"),
        ("a 18446744073709551615\n", "line 1: the weights add up to more than 2^53"),
        ("a 9007199254740992\nb 1\n", "line 2: the weights add up to more than 2^53"),
    ];
    for (text, expected) in cases {
        let error = error_of(text);
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    let error = error(&["profile", "show", "."]);
    assert!(error.contains("cannot be read"), "{error}");
}

#[test]
fn a_torn_file_is_a_profile_with_a_note() {
    let file = OneFile::new("main;a 3\nmain;b 4\nmain;c");
    let whole = &json_lines(&["profile", "show", &file.path()])[0];
    assert_eq!(whole["samples"], 7);
    let notes = whole["notes"].to_string();
    assert!(
        notes.contains("the first is line 3") && notes.contains("its end may be missing"),
        "{notes}"
    );
    assert!(file.page().contains("its end may be missing"));
}

#[test]
fn bytes_that_are_no_text_are_a_name() {
    let folded = show(&OneFile::new(b"a\xff;b 3\n"), "folded");
    assert_eq!(stacks_of(&folded), "a\u{fffd};b 3");
}

#[test]
fn a_name_of_100_kilobytes_is_cut() {
    let file = OneFile::new(format!("main;{} 3\n", "x".repeat(100_000)));
    let folded = show(&file, "folded");
    assert!(folded.len() < 2_100 && folded.ends_with("x.. 3\n"), "{} bytes", folded.len());
    assert!(file.page().len() < 200_000);
}

#[test]
fn a_recursion_of_10_000_frames_has_a_table_a_page_and_a_picture() {
    let stack = vec!["f"; 10_000].join(";");
    let file = OneFile::new(format!("{stack} 3\n{stack};g 1\n"));
    let lines = json_lines(&["profile", "show", &file.path()]);
    assert_eq!((&lines[1]["function"], &lines[1]["total_weight"]), (&"f".into(), &4.into()));
    assert_eq!(stacks_of(&show(&file, "folded")).lines().count(), 2);
    assert_eq!(show(&file, "svg").matches("<g>").count(), 1_000);
    for format in ["speedscope", "firefox"] {
        serde_json::from_str::<serde_json::Value>(&show(&file, format)).unwrap();
    }
    assert!(file.page().contains("9999,10000,10001]"));
}

#[test]
fn a_thousand_threads_are_a_thousand_slices() {
    let mut folded = String::new();
    for thread in 0..1_000 {
        writeln!(folded, "[worker-{thread}];main;work {}", thread + 1).unwrap();
    }
    let file = OneFile::new(folded);
    let lines = json_lines(&["profile", "show", &file.path(), "--slice", "[worker-7]"]);
    assert_eq!(lines[0]["samples"], 8);
    assert!(file.page().contains("[worker-999]"));
}

#[test]
fn names_of_others_are_text_in_a_page_and_in_a_picture() {
    let names = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(2)>",
        "\"'`${alert(3)}",
        "<!--",
        "a\u{202e}txet\u{2069}",
        "\u{1b}[31mred",
    ];
    let file = OneFile::new(format!("{} 5\n", names.join(";")));
    let page = file.page();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, behind) = data.split_once("</script>").unwrap();
    assert!(!data.contains(['<', '>', '&']), "{data}");
    assert!(!behind.contains("alert("));
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'));
    let picture = show(&file, "svg");
    assert!(
        !picture.contains("<script") && !picture.contains("<img") && !picture.contains('\u{202e}')
    );
    let table = show(&file, "table");
    assert!(!table.contains('\u{1b}') && !table.contains('\u{202e}'), "{table:?}");
}

#[test]
fn no_line_of_a_foreign_profile_is_a_command_of_a_ci_job() {
    let file = OneFile::new(
        "# note: x ###vso[task.setvariable variable=A]y.\n\
         ::error::forged;b####[error] 5\n : ::warning::two;c 7\n",
    );
    let difference = text(&["profile", "diff", &file.path(), &file.path()]);
    for text in [show(&file, "table"), show(&file, "folded"), show(&file, "svg"), difference] {
        assert!(!text.contains("##"), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
        assert!(text.contains("error::forged"), "{text}");
    }
}

/// Each stack is another one, of 6 frames. `ci/campaigns/flamegraph.sh` has a million.
#[test]
fn hundreds_of_thousands_of_stacks_are_a_page_of_bounded_size() {
    let mut folded = String::new();
    for stack in 0..300_000_u32 {
        let [a, b, c] = [stack % 10, stack / 10 % 100, stack / 1_000];
        writeln!(folded, "main;run;a{a};b{b};c{c};d{stack} {}", 1 + stack % 3).unwrap();
    }
    let page = OneFile::new(folded).page();
    assert!(page.len() < 20_000_000, "{} bytes", page.len());
    assert!(page.contains("\"smallest\":") && !page.contains("\"smallest\":0.0"));
}
