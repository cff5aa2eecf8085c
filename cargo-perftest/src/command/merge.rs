//! `cargo perftest merge`: the stores of several machines as one.

use crate::args::{MergeArgs as Args, OutputFormat};
use crate::exit::{CommandError, Result, refuse};
use crate::history_directory::{absolute, find, here, writable};
use crate::profiler::ProfileStore;
use crate::remote::{SyncState, show_only_words};
use crate::report::{counted, print_damage, report_errors, write_json_line};
use perftest_process::{Executables, find_project_left_behind};
use perftest_store::{
    MergedStores, Project, StoreError, Testbeds, merge_project, merge_show_only, merge_stores,
    move_project, remove_moved_project,
};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Files beside the records that were added.
#[derive(Debug, Clone, Copy, Default)]
struct AddedFiles {
    executables: usize,
    /// Those of another project of the store: profiles stay on the machine that took them.
    profiles: usize,
}

pub(crate) fn run(args: &Args, store: Option<PathBuf>, out: &mut dyn Write) -> Result<()> {
    if let Some(former) = &args.project {
        return merge_former(former, args, store, out);
    }
    let root = writable(store)?;
    let merge = if args.show_only { merge_show_only } else { merge_stores };
    let mut merged = merge(&root, &args.stores).map_err(nothing_merged)?;
    let mut kept = AddedFiles::default();
    // A kept executable runs on this machine.
    let vouched_for = if args.show_only { &[][..] } else { &args.stores };
    for other in vouched_for {
        for project in &merged.projects {
            let project = project_at(project);
            let of_other = Executables::open(other, &project);
            let adopted = Executables::open(&root, &project).adopt(&of_other);
            kept.executables += count_adopted(adopted, &mut merged.failed);
            SyncState::adopt_cuts(&root, &project, SyncState::all(other, &project))?;
        }
    }
    let stores = counted(args.stores.len(), "store");
    write_merged(merged, kept, &stores, args, out)
}

/// Adds the history of another project of the store to that of the project here.
fn merge_former(
    former: &str,
    args: &Args,
    store: Option<PathBuf>,
    out: &mut dyn Write,
) -> Result<()> {
    let place = find(store)?;
    place.refuse_read_only()?;
    let root = absolute(place.root.clone())?;
    let project = place.project_of(&here()?);
    let former = Project { name: former.to_owned(), slug: former.to_owned() };
    if former.slug == project.slug {
        return refuse(format!("{} is the project here", project.slug));
    }
    let left_behind = find_project_left_behind(&root, &here()?);
    let is_left_behind = left_behind.is_some_and(|it| it.slug == former.slug);
    // Both are names of this repository.
    let merge = if is_left_behind { move_project } else { merge_project };
    // Before the runs are added, and before the states of the former project are removed.
    SyncState::adopt_cuts(&root, &project, SyncState::all(&root, &former))?;
    let merged = merge(&root, &former, &project);
    let mut merged = merged.map_err(nothing_merged)?;
    let adopted = Executables::open(&root, &project).adopt(&Executables::open(&root, &former));
    let executables = count_adopted(adopted, &mut merged.failed);
    let profiles = [&project, &former]
        .map(|it| ProfileStore::of_this_machine(&root, it, &Testbeds::default()));
    let profiles = count_adopted(profiles[0].adopt(&profiles[1]), &mut merged.failed);
    if is_left_behind && merged.failed.is_empty() {
        remove_moved_project(&root, &former);
    }
    let kept = AddedFiles { executables, profiles };
    write_merged(merged, kept, &format!("project {}", former.slug), args, out)
}

fn nothing_merged(error: StoreError) -> CommandError {
    match error {
        StoreError::Unreadable { path, why } => {
            CommandError::Usage(format!("{}: {why}; nothing was merged", path.display()))
        }
        error => CommandError::Store(error),
    }
}

/// Prints what was added from this `source`.
fn write_merged(
    merged: MergedStores,
    kept: AddedFiles,
    source: &str,
    args: &Args,
    out: &mut dyn Write,
) -> Result<()> {
    let MergedStores { added, known, left_out, damaged, failed, projects } = merged;
    print_damage(&damaged);
    match args.answer.format() {
        OutputFormat::Json => {
            let answer = json!({
                "event": "merge",
                "v": 1,
                "stores": args.stores.len(),
                "projects": projects.len(),
                "added": added,
                "known": known,
                "damaged": damaged.len(),
                "executables": kept.executables,
                "profiles": kept.profiles,
                "show_only": args.show_only,
                "left_out": left_out,
            });
            write_json_line(out, &answer)?;
        }
        OutputFormat::Table => {
            writeln!(out, "{} of {source} added, {known} were there", counted(added, "record"))?;
            if args.show_only {
                writeln!(out, "{}", show_only_words(left_out))?;
            }
            let kept = [(kept.executables, "kept executable"), (kept.profiles, "kept profile")];
            for (count, what) in kept.into_iter().filter(|(count, _)| *count > 0) {
                writeln!(out, "{} added", counted(count, what))?;
            }
            if !damaged.is_empty() {
                let lines = counted(damaged.len(), "damaged line");
                writeln!(out, "{lines} left out; each is named above")?;
            }
        }
    }
    Ok(report_errors(failed)?)
}

/// Returns how many files were copied; none where that failed.
fn count_adopted(adopted: Result<usize, StoreError>, failed: &mut Vec<StoreError>) -> usize {
    adopted.unwrap_or_else(|error| {
        failed.push(error);
        0
    })
}

/// The project in this directory below the projects of a store.
fn project_at(directory: &Path) -> Project {
    let name = directory.to_string_lossy().into_owned();
    Project { name: name.clone(), slug: name }
}
