//! Whether a body starts programs, as far as its own text says.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

/// Beginning of the variables by which cargo gives the paths of the package's programs to the compiler.
pub(crate) const PROGRAM_VARIABLE: &str = "CARGO_BIN_EXE_";

/// Whether a body names a program of its package.
pub(crate) fn names_program(body: &TokenStream) -> bool {
    has_place(body, &|_, from| match from {
        [TokenTree::Literal(literal), ..] => literal.to_string().contains(PROGRAM_VARIABLE),
        _ => false,
    })
}

/// Whether a body gives a command to its bencher: `command` of others, such as of a shell, starts no program of ours.
///
/// `bencher` is the bencher's name if it is a plain one. A body that hands the bencher on may call it by another name:
/// there `command` of anything counts.
pub(crate) fn gives_command(body: &TokenStream, bencher: Option<&Ident>) -> bool {
    match bencher.filter(|name| !is_handed_on(body, name)) {
        Some(name) => has_place(body, &|before, from| is_command(from) && ends_in(before, name)),
        None => has_place(body, &|before, from| is_command(from) && is_of_something(before)),
    }
}

/// Whether a body does anything with its bencher but call methods.
fn is_handed_on(body: &TokenStream, bencher: &Ident) -> bool {
    has_place(body, &|_, from| match from {
        [TokenTree::Ident(name), behind @ ..] => {
            name == bencher && !behind.first().is_some_and(|mark| is_mark(mark, '.'))
        }
        _ => false,
    })
}

/// Whether `command` with an argument comes first. The `command()` of others, as of clap, has none.
fn is_command(from: &[TokenTree]) -> bool {
    match from {
        [TokenTree::Ident(name), TokenTree::Group(group), ..] => {
            name == "command"
                && group.delimiter() == Delimiter::Parenthesis
                && !group.stream().is_empty()
        }
        _ => false,
    }
}

/// Whether what follows is a method of the bencher.
fn ends_in(before: &[TokenTree], bencher: &Ident) -> bool {
    match before {
        [.., TokenTree::Ident(name), dot] => name == bencher && is_mark(dot, '.'),
        _ => false,
    }
}

/// Whether what follows is behind `.` or `::`. A single colon stands before a value.
fn is_of_something(before: &[TokenTree]) -> bool {
    match before {
        [.., first, last] if is_mark(last, ':') => is_mark(first, ':'),
        [.., last] => is_mark(last, '.'),
        [] => false,
    }
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Whether there is such a place, in a group or outside: between the tokens before it and those from there on.
fn has_place(tokens: &TokenStream, is_such: &dyn Fn(&[TokenTree], &[TokenTree]) -> bool) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| {
        let (before, from) = tokens.split_at(at);
        is_such(before, from)
            || matches!(token, TokenTree::Group(group) if has_place(&group.stream(), is_such))
    })
}

#[cfg(test)]
mod tests {
    use crate::item::Item;

    fn starts(item: &str) -> bool {
        syn::parse_str::<Item>(item).unwrap().starts_programs
    }

    fn body_starts(body: &str) -> bool {
        starts(&format!("fn tool(b: &mut Bencher) {{ {body} }}"))
    }

    #[test]
    fn a_body_that_names_a_program_of_its_package_starts_programs() {
        assert!(starts("fn tool() { Command::new(env!(\"CARGO_BIN_EXE_tool\")).status() }"));
        let served = "let server = start(env!(\"CARGO_BIN_EXE_server\")); b.iter(|| ask(&server))";
        assert!(body_starts(served));
        assert!(!starts("fn tool() { read(env!(\"CARGO_MANIFEST_DIR\")) }"));
    }

    #[test]
    fn a_body_that_gives_a_command_to_its_bencher_anywhere_starts_programs() {
        assert!(body_starts("b.command(|| tool());"));
        assert!(body_starts("for _ in 0..1 { if true { b.command(tool) } }"));
        assert!(body_starts("Bencher::command(b, tool);"));
        assert!(starts(
            "fn tool(mut bench: &mut Bencher) -> u8 where u8: Copy { bench.command(tool) }"
        ));
    }

    #[test]
    fn a_command_of_something_else_starts_no_program() {
        assert!(!body_starts("b.iter(|| shell.command(\"ls\"));"));
        assert!(!body_starts("let args = cli::command(&words); b.iter(|| run(&args));"));
        assert!(!body_starts("b.iter(|| commands(\"command\"));"));
        assert!(!body_starts("let command = \"list\"; b.iter(|| parse(command));"));
        assert!(!body_starts("b.iter(|| parse(Line { text: command }));"));
        assert!(!body_starts("b.iter(|| Cli::command().get_matches());"));
        assert!(!body_starts("b.iter(|| match cli.command { _ => 1 });"));
        assert!(!body_starts("b.iter(|| clap::command!());"));
        assert!(!starts("fn tool() { shell.command(\"ls\") }"));
    }

    #[test]
    fn where_a_bencher_may_have_another_name_every_command_counts() {
        assert!(body_starts("let renamed = b; renamed.command(tool);"));
        assert!(body_starts("with(b, |it| it.command(tool));"));
        assert!(starts("fn tool(&mut ref b: &mut Bencher) { it.command(tool) }"));
        assert!(!body_starts("helper(b, cli::command());"));
    }
}
