//! The first performance test of a package.

use super::project::CargoPackage;

/// Returns a file that compiles as it is, measures an example, and describes what to replace.
pub(super) fn first_test(package: &CargoPackage, target: &str) -> String {
    let CargoPackage { name, perftest, .. } = package;
    let perftest = perftest.as_deref().unwrap_or("perftest");
    let extern_crate = match package.edition.as_str() {
        "2015" => format!("extern crate {perftest};\n\n"),
        _ => String::new(),
    };
    let attribute = match perftest {
        "perftest" => "#[perf_test]".to_owned(),
        renamed => format!("#[perf_test(crate = {renamed})]"),
    };
    let what_to_measure = match &package.library {
        Some(library) => format!(
            "/// An example: replace it with a call of a function that has to stay fast, such as\n\
             /// `{library}::parse(black_box(&text))`.\n"
        ),
        None => format!(
            "/// An example: replace it with code that has to stay fast. A test in this directory \
             cannot call\n/// functions of a program. Put {attribute} above a function in a \
             `#[cfg(test)]` module in `src/`\n/// for that, and run `cargo test --release`.\n"
        ),
    };
    format!(
        r#"//! Performance tests of `{name}`. Run them with `cargo test --release --test {target}`.

{extern_crate}use {perftest}::{{black_box, perf_test}};

{what_to_measure}{attribute}
fn primes() -> usize {{
    let is_prime = |n: &u32| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0);
    (2..black_box(1_000)).filter(is_prime).count()
}}

{perftest}::main!();
"#
    )
}

/// Returns whether a file has performance tests in a target with a `main` of its own.
pub(super) fn is_perf_test(text: &str, perftest: &str) -> bool {
    text.contains(perftest) && text.contains("main!")
}
