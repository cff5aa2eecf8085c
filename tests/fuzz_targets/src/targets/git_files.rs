//! The files of a git repository, and what git answers.

use crate::file_list::write_files;
use crate::provenance::{parse_ancestors, parse_revision};
use crate::scratch::in_empty_directory;
use perftest_process::{DefaultBranch, Repository, find_project, project_root};
use std::fs;
use std::path::{Component, Path};

/// A branch whose name is in the question, too.
const NAMED: &str = "topic/one";

/// A reference is a commit under a name that was asked for, and the same one when it is packed. Each directory of a
/// repository is the same project, whose name leaves no directory.
pub(super) fn run(data: &[u8]) {
    of_answers(&String::from_utf8_lossy(data));
    in_empty_directory(|root| {
        let (read, packed) = (root.join("read"), root.join("packed"));
        fs::create_dir(&read).unwrap();
        write_files(data, &read);
        let project = find_project(&read);
        let mut parts = Path::new(&project.slug).components();
        assert!(matches!(parts.next(), Some(Component::Normal(_))), "{}", project.slug);
        assert!(parts.next().is_none() && !project.slug.contains(char::is_control));
        let Some(repository) = Repository::containing(&read) else { return };
        let inside = read.join("a/deeper/directory");
        if fs::create_dir_all(&inside).is_ok() && project_root(&inside) == project_root(&read) {
            assert_eq!(find_project(&inside), project);
        }
        let _ = (repository.shallow_commits(), repository.index_state());
        assert!(repository.head().is_none_or(|head| is_commit(&head)));
        if let Some(answer) = repository.references(&DefaultBranch::references(NAMED)) {
            are_the_same_when_packed(&answer, &packed);
            for named in ["", NAMED] {
                let tips = DefaultBranch::find(named, &answer).tips;
                assert!(tips.iter().all(|tip| is_commit(tip)), "{tips:?}");
            }
        }
    });
}

fn is_commit(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|it| it.is_ascii_hexdigit())
}

/// Writes the references of the answer as `git pack-refs` does.
fn are_the_same_when_packed(answer: &str, directory: &Path) {
    let names = DefaultBranch::references(NAMED);
    let mut rest = names.iter();
    let lines: Vec<[&str; 2]> = answer
        .lines()
        .map(|line| {
            let mut fields = line.split(' ');
            let [name, commit] = [(); 2].map(|()| fields.next().unwrap_or_default());
            assert!(rest.any(|it| it == name), "{name} was not asked for at this place: {answer}");
            assert!(is_commit(commit), "{answer}");
            [name, commit]
        })
        .collect();
    let git = directory.join(".git");
    fs::create_dir_all(&git).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let packed: String =
        lines.iter().map(|[name, commit]| format!("{commit} {name}\n^{commit}\n")).collect();
    fs::write(git.join("packed-refs"), format!("# pack-refs with: peeled\n{packed}")).unwrap();
    let again = Repository::containing(directory).unwrap().references(&names).unwrap();
    let expected: String =
        lines.iter().map(|[name, commit]| format!("{name} {commit} \n")).collect();
    assert_eq!(again, expected);
}

/// What is read of git's list is read again when it is written as git does.
fn of_answers(text: &str) {
    let (status, log) = text.split_once("\n\n").unwrap_or((text, ""));
    let revision = parse_revision(status, log);
    for name in [&revision.commit, &revision.branch, &revision.parent] {
        assert!(!name.contains('\n') && text.contains(name.as_str()), "{name:?}");
    }
    let ancestors = parse_ancestors(log);
    let written: String =
        ancestors.iter().map(|it| format!("{} {}\n", it.time_s, it.commit)).collect();
    assert_eq!(parse_ancestors(&written), ancestors);
}
