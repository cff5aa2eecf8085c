//! No files of a crate need each other in a circle: each can be read without the others that use it.

#![allow(clippy::unwrap_used)] // A test fails with the text of the error.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The crates that are published.
const SHIPPED: [&str; 8] = [
    "perftest-core",
    "perftest-store",
    "perftest-process",
    "perftest-machine",
    "perftest-analysis",
    "perftest-macros",
    "perftest",
    "cargo-perftest",
];

/// The names from the root of a crate to a module.
type Module = Vec<String>;

/// The code of each file of a crate, without comments and tests.
struct Crate(BTreeMap<Module, String>);

/// What a `use` names.
struct Import {
    path: Vec<String>,
    is_public: bool,
}

impl Crate {
    fn read(source: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut open = vec![(source.to_owned(), Module::new())];
        while let Some((directory, module)) = open.pop() {
            for entry in fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                let below = [module.clone(), vec![name.clone()]].concat();
                if path.is_dir() {
                    open.push((path, below));
                } else if path.extension().is_some_and(|it| it == "rs") {
                    let is_of_directory = matches!(name.as_str(), "lib" | "main" | "mod");
                    let text = code_of(&fs::read_to_string(&path).unwrap());
                    files.insert(if is_of_directory { module.clone() } else { below }, text);
                }
            }
        }
        Self(files)
    }

    /// The file that has the item of this path, seen from `module`; `None` for other crates.
    fn home(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (mut home, mut rest) = match path.split_first()? {
            (first, rest) if first == "crate" => (Module::new(), rest),
            (first, rest) if first == "self" => (module.clone(), rest),
            (first, rest) if first == "super" => (above(module), rest),
            (first, _) if self.0.contains_key(&below(module, first)) => (module.clone(), path),
            _ => return None,
        };
        while let Some((first, behind)) = rest.split_first() {
            if first == "super" {
                home = above(&home);
            } else if self.0.contains_key(&below(&home, first)) {
                home = below(&home, first);
            } else {
                let handed_on = imports(&self.0[&home]).into_iter().find(|import| {
                    import.is_public && import.path.last() == Some(first) && import.path != path
                });
                let real = handed_on.and_then(|import| self.home(&home, &import.path));
                return Some(real.unwrap_or(home));
            }
            rest = behind;
        }
        Some(home)
    }

    /// The files that this one needs. What a directory's file hands on from its own files is none of it.
    fn needs(&self, module: &Module) -> BTreeSet<Module> {
        let imports = imports(&self.0[module]).into_iter();
        let homes = imports.filter_map(|import| self.home(module, &import.path));
        homes.filter(|home| !home.starts_with(module)).collect()
    }

    /// Whether a file needs itself through others.
    fn is_in_circle(&self, module: &Module) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![module.clone()]);
        while let Some(next) = open.pop() {
            for needed in self.needs(&next) {
                if needed == *module {
                    return true;
                }
                if seen.insert(needed.clone()) {
                    open.push(needed);
                }
            }
        }
        false
    }
}

fn above(module: &Module) -> Module {
    module[..module.len().saturating_sub(1)].to_vec()
}

fn below(module: &Module, name: &str) -> Module {
    [module.clone(), vec![name.to_owned()]].concat()
}

fn code_of(text: &str) -> String {
    let code = text.split("\nmod tests").next().unwrap_or_default().lines();
    code.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Every `use`, one for each name.
fn imports(code: &str) -> Vec<Import> {
    let mut all = Vec::new();
    for statement in code.split(';') {
        // Whatever stands between the last statement and this one.
        let Some((before, names)) = statement.rsplit_once("use ") else { continue };
        let visibility = before.rsplit(['\n', '}']).next().unwrap_or_default().trim();
        if visibility.is_empty() || visibility.starts_with("pub") {
            let is_public = !visibility.is_empty();
            let names = names.replace(char::is_whitespace, "");
            all.extend(flat(&names).into_iter().map(|path| Import { path, is_public }));
        }
    }
    all
}

/// `a::{b, c::d}` is `a::b` and `a::c::d`.
fn flat(names: &str) -> Vec<Vec<String>> {
    let Some((start, inside)) = names.split_once('{') else {
        return vec![names.split("::").map(str::to_owned).collect()];
    };
    let start: Vec<String> =
        start.split("::").filter(|it| !it.is_empty()).map(str::to_owned).collect();
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for character in inside.strip_suffix('}').unwrap_or(inside).chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if character == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().unwrap().push(character);
        }
    }
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts.flat_map(|part| flat(part)).map(|path| [start.clone(), path].concat()).collect()
}

#[test]
fn files_of_a_crate_need_each_other_in_no_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for krate in SHIPPED {
        let files = Crate::read(&root.join(krate).join("src"));
        assert!(files.0.len() > 10, "{krate} has only {} files", files.0.len());
        let circle: Vec<String> =
            files.0.keys().filter(|it| files.is_in_circle(it)).map(|it| it.join("/")).collect();
        assert!(circle.is_empty(), "{krate}: in circles are {circle:?}");
    }
}

#[test]
fn a_circle_is_found_directly_through_a_third_file_and_through_what_a_directory_hands_on() {
    let files = |texts: &[(&str, &str)]| {
        let module = |name: &str| -> Module {
            name.split('/').filter(|it| !it.is_empty()).map(str::to_owned).collect()
        };
        Crate(texts.iter().map(|(name, text)| (module(name), (*text).to_owned())).collect())
    };
    let circles = |texts: &[(&str, &str)]| {
        let files = files(texts);
        files.0.keys().filter(|it| files.is_in_circle(it)).count()
    };
    let root = ("", "mod a;\nmod b;\npub use a::A;\npub(crate) use b::{B, C};\n");
    assert_eq!(circles(&[root, ("a", "use crate::B;\n"), ("b", "use crate::b::C;\n")]), 0);
    assert_eq!(circles(&[root, ("a", "use crate::B;\n"), ("b", "use crate::{x, A};\n")]), 2);
    let third = ("c", "use super::b::{B, C};\n");
    assert_eq!(circles(&[root, ("a", "use crate::c::D;\n"), third, ("b", "use crate::A;\n")]), 3);
    let directory = [("d", "mod e;\npub use e::E;\n"), ("d/e", "use crate::a::A;\n")];
    assert_eq!(circles(&[root, directory[0], directory[1], ("a", "use crate::d::E;\n")]), 2);
    assert_eq!(circles(&[root, directory[0], directory[1], ("a", "fn a() {}\n")]), 0);
}
