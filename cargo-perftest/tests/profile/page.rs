//! The page as a file. What people do with it in a browser: `ci/campaigns/flamegraph.sh`.

use super::{error, files, text};
use std::fs;
use tempfile::TempDir;

fn page(args: &[&str]) -> String {
    let root = TempDir::new().unwrap();
    let out = root.path().join("page.html");
    let printed = text(&[&["flamegraph"], args, &["--out", out.to_str().unwrap()]].concat());
    let cause = if args.contains(&"--base") { CAUSE } else { "" };
    assert_eq!(printed, format!("wrote {}\n{cause}", out.display()));
    fs::read_to_string(out).unwrap()
}

/// Of `base.folded` and `new.folded`: their difference is small for so few samples.
const CAUSE: &str =
    "no function's own time changed beyond chance: more samples show smaller changes\n";

#[test]
fn a_page_is_one_file_that_loads_nothing() {
    let page = page(&["--base", "base.folded", "new.folded"]);
    assert!(page.contains("default-src 'none'"));
    for loaded in ["http://", "https://", "src=", "url(", "@import", "fetch(", "<link"] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    assert!(page.contains("\"base\":\"base.folded\"") && page.contains("\"new\":\"new.folded\""));
    assert!(page.contains("What this page cannot show"));
}

#[test]
fn a_page_of_one_profile_has_no_base() {
    let page = page(&["recorded.perf"]);
    assert!(page.contains("\"base\":null") && !page.contains("\"baseOwn\":"));
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let base = files().join("base.folded");
    let wrong = error(&["flamegraph", base.to_str().unwrap(), "--out", "no/such/page.html"]);
    assert!(wrong.contains("cannot write no/such/page.html"), "{wrong}");
}
