//! Adds the flag that aligns functions to a configuration of cargo.

use super::addition::Addition;
use crate::doctor::{ALIGNMENT_FLAG, CACHE_LINE, FlagPlace, FlagSource, flag_sources};
use crate::target_platform::TargetPlatform;
use toml::{Table, Value};
use toml_edit::{Array, DocumentMut, Item, TomlError, table, value};

/// A table of flags that holds for every target, joined with those of the target.
const EVERY_TARGET: &str = "cfg(all())";

/// Adds the flag to the configuration `own`. `others` are cargo's further configurations, the
/// nearest first; `platform` is what is compiled for. Cargo reads flags from one place only, and the
/// compiler accepts this flag only once.
///
/// # Errors
/// When `own` is not valid TOML.
pub(super) fn align(
    own: &str,
    others: &[Table],
    platform: &TargetPlatform,
) -> Result<Addition, TomlError> {
    let mut document: DocumentMut = own.parse()?;
    let own: Table = own.parse().unwrap_or_default();
    let all: Vec<Table> = [&own].into_iter().chain(others).cloned().collect();
    let used = flag_sources(|_| None, &all, platform).into_iter().next();
    if let Some(power) = used.as_ref().and_then(FlagSource::alignment) {
        return Ok(match power {
            CACHE_LINE.. => Addition::There,
            _ => Addition::ByHand(format!(
                "functions are aligned to {} bytes only; write align-all-functions={CACHE_LINE} \
                 to align them to a cache line",
                1_u64 << power
            )),
        });
    }
    let targets = targets_with_flags(&own);
    let is_own = targets.iter().any(|target| platform.has_key(target));
    if is_target(used.as_ref()) && !is_own {
        return Ok(beside_farther_target(document, &targets, &all));
    }
    let is_one_at_a_time = targets.len() == 1 || targets.iter().all(|it| !it.starts_with("cfg("));
    if !is_one_at_a_time {
        return Ok(Addition::ByHand(format!(
            "functions are not aligned: several of the lists target.*.rustflags may hold at once, \
             and the compiler takes the flag once; add \"-C\", \"{ALIGNMENT_FLAG}\" to the one that \
             always holds"
        )));
    }
    for target in &targets {
        add_flag(&mut document["target"][target.as_str()]["rustflags"]);
    }
    if has_text(&own, others) {
        return Ok(Addition::ByHand(format!(
            "functions are not aligned: a farther configuration of cargo has build.rustflags as one \
             text, which a list in this project would not go with; add -C {ALIGNMENT_FLAG} there"
        )));
    }
    let build = document.entry("build").or_insert_with(table);
    match build.as_table_like_mut() {
        Some(build) => add_flag(build.entry("rustflags").or_insert(Item::None)),
        None => return Ok(Addition::ByHand("`build` is no table".into())),
    }
    Ok(Addition::Added(document.to_string()))
}

fn is_target(used: Option<&FlagSource>) -> bool {
    used.is_some_and(|source| source.place() == FlagPlace::Target)
}

/// Another configuration has flags for this target, so those of `build` would have no effect. Own flags for other
/// `targets` might have the flag already.
fn beside_farther_target(mut document: DocumentMut, targets: &[String], all: &[Table]) -> Addition {
    if !targets.is_empty() {
        return Addition::ByHand(format!(
            "functions are not aligned: cargo takes target.*.rustflags of a farther \
             configuration or a variable here; add \"-C\", \"{ALIGNMENT_FLAG}\" there"
        ));
    }
    if all.iter().any(|config| flags_of(config.get("build")).is_some()) {
        return Addition::ByHand(format!(
            "functions are not aligned: cargo takes target.*.rustflags of a farther \
             configuration or a variable, and build.rustflags on other machines; add \"-C\", \
             \"{ALIGNMENT_FLAG}\" to both"
        ));
    }
    let targets = document.entry("target").or_insert_with(implicit);
    match targets.as_table_like_mut().map(|it| it.entry(EVERY_TARGET).or_insert_with(table)) {
        Some(every) => add_flag(&mut every["rustflags"]),
        None => return Addition::ByHand("`target` is no table".into()),
    }
    Addition::Added(document.to_string())
}

/// Returns a table without a heading of its own.
fn implicit() -> Item {
    let mut table = toml_edit::Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

/// Returns the targets for which a configuration has flags.
fn targets_with_flags(config: &Table) -> Vec<String> {
    let Some(Value::Table(targets)) = config.get("target") else {
        return Vec::new();
    };
    let with_flags = targets.iter().filter(|(_, target)| flags_of(Some(target)).is_some());
    with_flags.map(|(name, _)| name.clone()).collect()
}

fn flags_of(table: Option<&Value>) -> Option<&Value> {
    table?.get("rustflags")
}

/// Returns whether `build.rustflags` is a text, and in another file than ours.
fn has_text(own: &Table, others: &[Table]) -> bool {
    let is_text = |config: &Table| flags_of(config.get("build")).is_some_and(Value::is_str);
    flags_of(own.get("build")).is_none() && others.iter().any(is_text)
}

/// Adds the flag to a list of flags, or to a text of them.
fn add_flag(flags: &mut Item) {
    if let Some(text) = flags.as_str() {
        if !text.contains("align-all-functions=") {
            *flags = value(format!("{text} -C {ALIGNMENT_FLAG}").trim_start());
        }
        return;
    }
    if flags.is_none() {
        *flags = value(Array::new());
    }
    let Some(list) = flags.as_array_mut() else { return };
    let is_there = |flag: &toml_edit::Value| {
        flag.as_str().is_some_and(|flag| flag.contains("align-all-functions="))
    };
    if list.iter().any(is_there) {
        return;
    }
    // In a list with one flag a line, each new flag gets its own line.
    let last = list.len().checked_sub(1).and_then(|last| list.get(last));
    let before = last.and_then(|it| it.decor().prefix()?.as_str()).unwrap_or_default().to_owned();
    let mut first = toml_edit::Value::from("-C");
    if before.contains('\n') {
        first.decor_mut().set_prefix(before);
    } else if !list.is_empty() {
        first.decor_mut().set_prefix(" ");
    }
    list.push_formatted(first);
    let mut second = toml_edit::Value::from(ALIGNMENT_FLAG);
    second.decor_mut().set_prefix(" ");
    list.push_formatted(second);
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"["-C", "llvm-args=-align-all-functions=6"]"#;

    fn aligned(own: &str, others: &[&str]) -> Addition {
        let others: Vec<Table> = others.iter().map(|text| text.parse().unwrap()).collect();
        align(own, &others, &TargetPlatform::linux()).unwrap()
    }

    fn added(own: &str, others: &[&str]) -> String {
        match aligned(own, others) {
            Addition::Added(text) => text,
            other => panic!("{other:?}"),
        }
    }

    fn by_hand(own: &str, others: &[&str]) -> String {
        match aligned(own, others) {
            Addition::ByHand(why) => why,
            other => panic!("{other:?}"),
        }
    }

    fn own_target(flags: &str) -> String {
        format!("[target.x86_64-unknown-linux-gnu]\nrustflags = {flags}\n")
    }

    #[test]
    fn a_new_file_has_the_two_lines_that_the_documentation_shows() {
        assert_eq!(added("", &[]), format!("[build]\nrustflags = {LIST}\n"));
    }

    #[test]
    fn everything_else_stays_as_it_was() {
        let own = "# ours\n[alias]\nb = \"build\" # short\n\n[build]\njobs = 2\n";
        assert_eq!(added(own, &[]), format!("{own}rustflags = {LIST}\n"));
    }

    #[test]
    fn flags_that_are_there_are_kept() {
        let list = "[build]\nrustflags = [\"-g\"] # lines\n";
        let more =
            "[build]\nrustflags = [\"-g\", \"-C\", \"llvm-args=-align-all-functions=6\"] # lines\n";
        assert_eq!(added(list, &[]), more);
        let lines = "build.rustflags = [\n    \"-g\",\n]\n";
        let more = "build.rustflags = [\n    \"-g\",\n    \"-C\", \"llvm-args=-align-all-functions=6\",\n]\n";
        assert_eq!(added(lines, &[]), more);
        let text = "[build]\nrustflags = \"-g\"\n";
        let more = "[build]\nrustflags = \"-g -C llvm-args=-align-all-functions=6\"\n";
        assert_eq!(added(text, &[]), more);
        assert_eq!(
            added("[build]\nrustflags = []\n", &[]),
            format!("[build]\nrustflags = {LIST}\n")
        );
    }

    #[test]
    fn flags_of_a_target_hide_those_of_the_build_so_both_get_it() {
        let expected = "\"-g\", \"-C\", \"llvm-args=-align-all-functions=6\"";
        let own = own_target("[\"-g\"]");
        let both = added(&own, &[]);
        assert_eq!(
            both,
            format!("{}\n[build]\nrustflags = {LIST}\n", own.replace("\"-g\"", expected))
        );
        let condition = "[target.'cfg(unix)']\nrustflags = \"-g\"\n";
        assert!(added(condition, &[]).starts_with(
            "[target.'cfg(unix)']\nrustflags = \"-g -C llvm-args=-align-all-functions=6\"\n"
        ));
    }

    #[test]
    fn a_second_call_has_nothing_to_add_whatever_the_first_one_met() {
        for (own, others) in [
            ("", &[][..]),
            ("build.rustflags = '-g'", &[]),
            ("[target.'cfg(unix)']\nrustflags = ['-g']", &[]),
            (&own_target("['-g']"), &[]),
            ("", &[own_target("['-g']").as_str()]),
            ("", &["build.rustflags = ['-g']"]),
        ] {
            let once = added(own, others);
            assert_eq!(aligned(&once, others), Addition::There, "{once}");
        }
    }

    #[test]
    fn flags_of_a_target_in_another_file_are_joined() {
        let far = own_target("[\"-Clink-arg=-fuse-ld=mold\"]");
        let expected = format!("[target.\"cfg(all())\"]\nrustflags = {LIST}\n");
        assert_eq!(added("", &[&far]), expected);
    }

    #[test]
    fn own_flags_for_another_target_do_not_stand_for_those_of_a_farther_file() {
        let own = "[target.x86_64-pc-windows-msvc]\nrustflags = ['-Ctarget-feature=+crt-static']\n";
        let why = by_hand(own, &[&own_target("['-Clink-arg=-fuse-ld=mold']")]);
        assert!(why.contains("or a variable here; add \"-C\""), "{why}");
        let aligned_there = own_target("['-Cllvm-args=-align-all-functions=6']");
        assert_eq!(aligned(own, &[&aligned_there]), Addition::There);
        assert!(added(own, &[]).ends_with(&format!("[build]\nrustflags = {LIST}\n")));
    }

    #[test]
    fn where_the_flag_could_be_given_twice_or_take_others_away_a_person_decides() {
        let overlapping = own_target("['-g']") + "[target.'cfg(unix)']\nrustflags = ['-g']\n";
        assert!(by_hand(&overlapping, &[]).contains("may hold at once"));
        let hidden = by_hand("build.rustflags = ['-g']", &[&own_target("['-g']")]);
        assert!(hidden.contains("to both"), "{hidden}");
        assert!(by_hand("", &["build.rustflags = '-g'"]).contains("as one text"));
        let smaller = by_hand("build.rustflags = '-Cllvm-args=-align-all-functions=5'", &[]);
        assert!(smaller.contains("32 bytes"), "{smaller}");
        assert!(align("[build", &[], &TargetPlatform::linux()).is_err());
    }
}
