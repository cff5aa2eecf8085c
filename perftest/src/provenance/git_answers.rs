//! Reads what git answers about a checkout.

use perftest_core::list::IntoList;
use perftest_core::model::{Ancestor, Revision};
use perftest_core::text::Text;

/// Parses `status` in the form of `git status --porcelain=v2 --branch`, and the first line of `log`
/// as time, commit and parents.
pub(super) fn parse_revision(status: &str, log: &str) -> Revision {
    let header = |key: &str| {
        let value = status.each_line().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        // Git writes `(initial)` and `(detached)` if there is no name.
        if value.starts_with('(') { String::new() } else { value.to_owned() }
    };
    let mut newest = log.each_line().next().unwrap_or_default().parts(" ");
    Revision {
        commit: header("# branch.oid "),
        branch: header("# branch.head "),
        order: newest.next().and_then(|time| time.parse().ok()).unwrap_or(0),
        parent: newest.nth(1).unwrap_or_default().to_owned(),
        base: String::new(),
        dirty: status.each_line().any(|line| !line.starts_with('#')),
    }
}

/// Parses lines of `log` that begin with a time and a commit. Others are skipped.
pub(super) fn parse_ancestors(log: &str) -> Vec<Ancestor> {
    let ancestor = |line: &str| {
        let mut fields = line.parts(" ");
        let time_s = fields.next()?.parse().ok()?;
        let commit = fields.next().filter(|it| is_object_name(it))?.to_owned();
        Some(Ancestor { commit, time_s })
    };
    log.each_line().filter_map(ancestor).into_list()
}

/// Whether git names an object so: in hexadecimal digits.
fn is_object_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_branch_has_commit_parent_time_and_name() {
        let status = "# branch.oid 1f2e\n# branch.head main\n# branch.ab +0 -0\n";
        let revision = parse_revision(status, "1700000000 1f2e 9d8c 7b6a\n1600000000 9d8c\n");
        assert_eq!((revision.commit.as_str(), revision.branch.as_str()), ("1f2e", "main"));
        assert_eq!((revision.order, revision.parent.as_str()), (1_700_000_000, "9d8c"));
        assert!(!revision.dirty);
    }

    #[test]
    fn a_changed_file_makes_it_dirty_and_a_detached_head_has_no_branch() {
        let status =
            "# branch.oid 1f2e\n# branch.head (detached)\n1 .M N... a b c d e f src/x.rs\n";
        let revision = parse_revision(status, "");
        assert!(revision.dirty);
        assert_eq!(revision.branch, "");
    }

    #[test]
    fn a_repository_without_a_commit_has_no_revision() {
        let revision = parse_revision("# branch.oid (initial)\n# branch.head main\n", "");
        assert_eq!((revision.commit.as_str(), revision.order), ("", 0));
    }

    #[test]
    fn the_list_of_ancestors_has_their_times() {
        let listed = parse_ancestors("17 1f2e 9d8c 7b6a\n16 9d8c\n15 # 9d8c\n14 7b6a\r 9d8c\n");
        let expected = [("1f2e", 17), ("9d8c", 16)];
        let expected = expected.map(|(commit, time_s)| Ancestor { commit: commit.into(), time_s });
        assert_eq!(listed, expected);
    }
}
