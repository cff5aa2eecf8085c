//! What `#[perf_test]` writes: tests for the usual harness and a registration for our own.
//!
//! The author's function keeps its name and its tokens, inside an anonymous constant that has
//! the registration beside it. In the module stand the ordinary tests, which only call the harness.
//! A target with `harness = false` has no tests, and the registration remains.
//!
//! Everything written here has a `mixed_site` span. It marks the tokens as not the author's:
//! the author's lints leave it alone, and no `#[allow]` is needed, which a `forbid` would refuse.

use crate::args::AttributeArgs;
use crate::attribute::Ignore;
use crate::cases::{FunctionInstance, instances, spelled};
use crate::item::Item;
use crate::metrics::JudgedMetric;
use crate::optimisation::optimised;
use crate::ordinary::OrdinaryTests;
use crate::routine::RoutineCode;
use crate::started_programs::PROGRAM_VARIABLE;
use crate::threads::on_threads;
use crate::tokens::{line_of, listed, option, perftest};
use crate::unparsed::Path;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use syn::Result;

/// # Errors
/// Parameters that get nothing, and values that no parameter takes.
pub(crate) fn expand(mut args: AttributeArgs, mut item: Item) -> Result<TokenStream> {
    let instances = instances(&item.generics, args.types.take(), args.consts.take())?;
    let instances = on_threads(instances, args.threads.as_deref());
    // A name that the author gives is known only when the test runs.
    let values = args.args.as_ref().filter(|_| args.names.is_none());
    let literals = values.and_then(|values| values.literals.as_deref());
    let ordinary = OrdinaryTests::new(&item, &instances, literals);
    let routine = RoutineCode::new(&mut args, &mut item)?;
    let rival = args.versus.take();
    let site = Span::mixed_site();
    let krate = args.krate.take().unwrap_or_else(perftest);
    let private = quote_spanned!(site=> #krate::__private);
    let instances: Vec<TokenStream> = instances
        .iter()
        .zip(ordinary.names())
        .map(|(it, tests)| {
            let body = routine.body(&item.name, it, &private);
            let rival = rival.as_ref().map(|path| {
                registered_rival(path, &routine.rival_body(path, it, &private), &private)
            });
            registered(it, &tests, &body, &option(rival), &private)
        })
        .collect();
    let descriptor = descriptor(&item, &private, args, &instances);
    let tests = ordinary.items(&item.attributes, &krate);
    let (others, function) = (&item.attributes.others, &item.function);
    Ok(quote_spanned! {site=>
        #tests
        #[cfg(test)]
        const _: () = {
            #(#others)*
            #function
            use #private::line as line_of_perf_test;
            #private::inventory::submit! { #descriptor }
        };
    })
}

/// A function with its parameters given, as the registration takes it.
fn registered(
    instance: &FunctionInstance,
    tests: &[String],
    body: &TokenStream,
    rival: &TokenStream,
    private: &TokenStream,
) -> TokenStream {
    let (label, threads) = (&instance.label, instance.threads.unwrap_or(1));
    quote_spanned! {Span::mixed_site()=>
        #private::Instance {
            label: #label,
            tests: &[#(#tests),*],
            threads: #threads,
            body: #body,
            rival: #rival,
        }
    }
}

/// The function that a test is compared with, as the registration takes it.
fn registered_rival(path: &Path, body: &TokenStream, private: &TokenStream) -> TokenStream {
    let name = spelled(path);
    quote_spanned!(Span::mixed_site()=> #private::Rival { name: #name, body: #body })
}

fn descriptor(
    item: &Item,
    private: &TokenStream,
    args: AttributeArgs,
    instances: &[TokenStream],
) -> TokenStream {
    let name = listed(&item.name);
    let line = line_of(&item.name);
    let ignore = option(item.attributes.ignores.first().map(reason));
    let optimised = optimised();
    let own_programs = own_programs();
    let program_directories = directories_outside(build_directory(), &own_programs);
    let program_directories = list(program_directories.iter());
    let programs = option(item.starts_programs.then(|| list(own_programs.iter())));
    let (layer, tolerance) = (args.settings.layer(private), args.settings.tolerance(private));
    let curve = option(args.curve.map(|curve| curve.checked(&tolerance, private)));
    let metrics = args.metrics.unwrap_or_default();
    let metric_tolerances = tolerances(&metrics, private);
    let metrics = list(metrics.iter().map(|it| it.name.to_string()));
    let disk_probe = args.disk_probe;
    let formerly = option(args.formerly.map(ToTokens::into_token_stream));
    quote_spanned! {Span::mixed_site()=>
        #private::Descriptor {
            package: ::core::env!("CARGO_PKG_NAME"),
            manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
            module_path: ::core::module_path!(),
            name: #name,
            place: #private::Place::new(::core::file!(), #line),
            ignore: #ignore,
            settings: #layer,
            curve: #curve,
            metrics: #metrics,
            metric_tolerances: #metric_tolerances,
            disk_probe: #disk_probe,
            formerly: #formerly,
            programs: #programs,
            program_directories: #program_directories,
            target: #private::target_kind(
                ::core::option_env!("CARGO_BIN_NAME"),
                ::core::option_env!("CARGO_TARGET_TMPDIR"),
            ),
            build: #private::Build {
                optimised: #optimised,
                debug_assertions: ::core::cfg!(debug_assertions),
            },
            instances: &[#(#instances),*],
        }
    }
}

/// The package's own programs: cargo gives their paths to the compiler of a test or a bench target.
fn own_programs() -> BTreeSet<String> {
    let is_program =
        |name: &OsString| name.to_str().is_some_and(|it| it.starts_with(PROGRAM_VARIABLE));
    let variables = std::env::vars_os().filter(|(name, _)| is_program(name));
    variables.filter_map(|(_, path)| path.into_string().ok()).collect()
}

fn list(elements: impl Iterator<Item = impl ToTokens>) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> &[#(#elements),*])
}

/// The directories of programs that are not in `build`, the directory of the build: `build.build-dir` is set. Other
/// tests have none, so that their code does not depend on where they were built.
fn directories_outside(build: Option<PathBuf>, programs: &BTreeSet<String>) -> BTreeSet<String> {
    let parents = programs.iter().filter_map(|it| std::path::Path::new(it).parent());
    let elsewhere = parents.filter(|it| build.as_ref().is_none_or(|build| !it.starts_with(build)));
    elsewhere.filter_map(|it| it.to_str()).map(str::to_owned).collect()
}

/// The directory in which cargo builds test and bench targets.
fn build_directory() -> Option<PathBuf> {
    PathBuf::from(std::env::var_os("CARGO_TARGET_TMPDIR")?).parent().map(Into::into)
}

/// Of those that have one of their own.
fn tolerances(metrics: &[JudgedMetric], private: &TokenStream) -> TokenStream {
    list(metrics.iter().filter_map(|JudgedMetric { name, tolerance }| {
        let (name, tolerance) = (name.to_string(), tolerance.as_ref()?.checked(private));
        Some(quote_spanned!(Span::mixed_site()=> (#name, #tolerance)))
    }))
}

/// Ignored without a reason is ignored with an empty one.
fn reason(ignore: &Ignore) -> TokenStream {
    match &ignore.reason {
        Some(reason) => reason.to_token_stream(),
        None => quote_spanned!(Span::mixed_site()=> ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_of_programs_outside_of_the_build_are_registered() {
        let programs = BTreeSet::from(["/w/target/release/walker".to_owned()]);
        let outside = |build: &str| directories_outside(Some(build.into()), &programs);
        assert_eq!(outside("/w/target"), BTreeSet::new());
        assert_eq!(outside("/w/build"), BTreeSet::from(["/w/target/release".to_owned()]));
    }
}
