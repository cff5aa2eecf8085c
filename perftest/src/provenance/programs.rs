//! The code of a test that starts programs.

use perftest_core::model::CodeState;
use perftest_process::code_of_file;
use perftest_store::{Cache, Digest};
use std::path::Path;

/// Returns the code of an executable and of these programs, which it starts. Where they are unknown, there is no text:
/// then no other run is known to have the same code.
pub(crate) fn code_with_programs(
    own: &CodeState,
    programs: &[&str],
    cache: Option<&Cache>,
) -> CodeState {
    let text = |program: &&str| code_of_file(Path::new(program), cache).ok().map(|it| it.text);
    let texts: Option<Vec<String>> = programs.iter().map(text).collect();
    let known = texts.filter(|it| !it.is_empty() && it.iter().all(|text| !text.is_empty()));
    let text = known.map_or_else(String::new, |texts| {
        let all = [own.text.as_str()].into_iter().chain(texts.iter().map(String::as_str));
        Digest::of_fields(all).hex16()
    });
    CodeState { executable: own.executable.clone(), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_another_one_where_a_program_is_and_unknown_where_a_program_is() {
        let own =
            CodeState { executable: "e33c3e7bdd5a832e".into(), text: "9a16f3f530765fb6".into() };
        let this = std::env::current_exe().unwrap();
        let this = this.to_str().unwrap();
        let of = |programs: &[&str]| code_with_programs(&own, programs, None);
        assert_eq!(of(&[this]), of(&[this]));
        assert_eq!((of(&[this]).executable, of(&[this]).text.len()), (own.executable.clone(), 16));
        assert!(![own.text.clone(), of(&[this, this]).text].contains(&of(&[this]).text));
        assert_eq!(of(&[this, "/nowhere/tool"]).text, "");
        assert_eq!(of(&[]).text, "");
    }
}
