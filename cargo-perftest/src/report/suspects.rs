//! Formats the commits that may have caused a change.

use super::short_commit;
use perftest_analysis::verdicts::Suspects;

/// Returns a git range; `None` if a commit is unknown, or both are the same.
pub(crate) fn suspect_range(suspects: &Suspects) -> Option<String> {
    let [after, upto] = [&suspects.after.as_ref()?.commit, &suspects.upto.commit];
    let is_range = !after.is_empty() && !upto.is_empty() && after != upto;
    is_range.then(|| format!("{}..{}", short_commit(after), short_commit(upto)))
}

pub(crate) fn suspects_in_words(suspects: &Suspects) -> String {
    let Suspects { after, upto, has_uncommitted, .. } = suspects;
    let is_unknown = after.as_ref().is_some_and(|after| after.commit.is_empty());
    let mut words = match (suspects.acquittal, suspect_range(suspects)) {
        (Some(acquittal), _) => format!("{} on both sides: not the code", acquittal.in_words()),
        (None, Some(range)) if *has_uncommitted => format!("{range}, and what is not committed"),
        (None, Some(range)) => range,
        (None, None) if upto.commit.is_empty() || is_unknown => "?".into(),
        (None, None) if after.is_none() => format!("up to {}", short_commit(&upto.commit)),
        (None, None) => format!("not committed on {}", short_commit(&upto.commit)),
    };
    if suspects.has_other_context {
        words.push_str("; other toolchain or system");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_analysis::verdicts::RunCode;

    fn code(commit: &str, is_dirty: bool, text: &str) -> RunCode {
        let [commit, text] = [commit, text].map(str::to_owned);
        RunCode { commit, is_dirty, text, ..RunCode::default() }
    }

    fn describe(after: &RunCode, upto: &RunCode) -> String {
        suspects_in_words(&Suspects::at(&[after.clone(), upto.clone()], 1..=1))
    }

    #[test]
    fn two_commits_are_a_range_for_git() {
        let (one, other) = (code("aaaaaaaaaaaa", false, "1"), code("bbbbbbbbbbbb", false, "2"));
        assert_eq!(describe(&one, &other), "aaaaaaaaa..bbbbbbbbb");
        let dirty = code("bbbbbbbbbbbb", true, "2");
        assert_eq!(describe(&one, &dirty), "aaaaaaaaa..bbbbbbbbb, and what is not committed");
        assert_eq!(describe(&other, &dirty), "the same machine code on both sides: not the code");
        assert_eq!(
            describe(&other, &code("bbbbbbbbbbbb", true, "3")),
            "not committed on bbbbbbbbb"
        );
        assert_eq!(describe(&one, &code("", false, "")), "?");
    }

    #[test]
    fn another_toolchain_is_reported_beside_an_acquittal() {
        let [one, other] = ["x", "y"]
            .map(|context| RunCode { context: context.into(), ..code("aaaa", false, "") });
        let words = "the same commit on both sides: not the code; other toolchain or system";
        assert_eq!(describe(&one, &other), words);
    }

    #[test]
    fn a_change_as_old_as_the_history_has_no_range() {
        let suspects = Suspects::at(&[code("aaaaaaaaaaaa", false, "1")], 0..=0);
        assert_eq!(suspects_in_words(&suspects), "up to aaaaaaaaa");
    }
}
