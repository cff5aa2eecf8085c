//! The code of a test that starts programs.

use super::code::code_of_file;
use perftest_core::list::IntoList;
use perftest_core::model::{CodeState, ProgramCode};
use perftest_store::{Cache, Digest};
use std::path::{Path, PathBuf};

/// Returns the code of an executable and of these programs, which it starts. Where they are unknown, there is no text:
/// then no other run is known to have the same code. For `library_path` and `cache` see [`code_of_file`].
pub fn code_with_programs(
    own: &CodeState,
    programs: &[&str],
    library_path: &[PathBuf],
    cache: Option<&Cache>,
) -> CodeState {
    let code = |program: &&str| {
        let code = code_of_file(Path::new(program), library_path, cache).ok()?;
        Some((file_name(program)?, code)).filter(|(_, code)| !code.text.is_empty())
    };
    let programs: Vec<(String, CodeState)> =
        programs.iter().map(code).into_list_of_some().unwrap_or_default();
    let texts = programs.iter().map(|(_, code)| code.text.as_str());
    let text = match programs.is_empty() {
        true => String::new(),
        false => Digest::of_fields([own.text.as_str()].into_iter().chain(texts)).hex16(),
    };
    let program = |(file, code): (String, CodeState)| {
        let CodeState { executable, .. } = code;
        ProgramCode { file, executable }
    };
    let programs = programs.into_iter().map(program).into_list();
    CodeState { executable: own.executable.clone(), text, programs }
}

fn file_name(program: &str) -> Option<String> {
    Some(Path::new(program).file_name()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_another_one_where_a_program_is_and_unknown_where_a_program_is() {
        let own = CodeState {
            executable: "e33c3e7bdd5a832e".into(),
            text: "9a16f3f530765fb6".into(),
            programs: Vec::new(),
        };
        let this = std::env::current_exe().unwrap();
        let this = this.to_str().unwrap();
        let of = |programs: &[&str]| code_with_programs(&own, programs, &[], None);
        assert_eq!(of(&[this]), of(&[this]));
        assert_eq!((of(&[this]).executable, of(&[this]).text.len()), (own.executable.clone(), 16));
        assert!(![own.text.clone(), of(&[this, this]).text].contains(&of(&[this]).text));
        let [program] = of(&[this]).programs.try_into().unwrap();
        assert!(this.ends_with(&program.file) && program.executable.len() == 16, "{program:?}");
        for unknown in [of(&[this, "/nowhere/tool"]), of(&[])] {
            assert_eq!((unknown.text.as_str(), unknown.programs), ("", Vec::new()));
        }
    }
}
