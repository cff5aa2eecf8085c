//! What `#[perf_test]` writes: a test for the usual harness and a registration for our own.
//!
//! The author's function keeps its name and its tokens, inside an anonymous constant that has
//! the registration beside it. Under its name in the module stands the test, which only calls
//! the harness. A target with `harness = false` has no tests, and the registration remains.
//!
//! Everything written here has a `mixed_site` span. It marks the tokens as not the author's:
//! the author's lints leave it alone, and no `#[allow]` is needed, which a `forbid` would refuse.

use crate::args::{Args, IgnoreKey, Quantity};
use crate::attribute::{Attributes, Ignore};
use crate::item::Item;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprPath, Result, Type};

const NO_INPUTS: &str = "the parameter of a perf test is `&mut Bencher`, or an input that `inputs` \
                         makes: #[perf_test(inputs = make_input)] with fn make_input(i: u64)";
const NO_PARAMETER: &str = "`inputs` makes inputs that nobody takes; give the function a parameter \
                            of the input's type, or remove `inputs`";
const BENCHER_AND_INPUTS: &str = "with `inputs` the parameter takes the input by value; where it is \
                                  `&mut Bencher`, remove `inputs` and call `with_inputs` on it";

const NO_RUNTIME: &str = "an async perf test needs a runtime that blocks on it: \
                          #[perf_test(runtime = tokio_rt())] with a function that makes one, or \
                          runtime = pollster::block_on";
const NOT_ASYNC: &str = "`runtime` blocks on the body of an `async fn`; make the function async, or \
                         remove `runtime`";

/// What the harness is given to measure.
enum Routine {
    /// The whole body.
    Body,
    /// What the body hands to the bencher, its parameter.
    Handed(Type),
    /// The whole body, with inputs for its parameter.
    Fed(ExprPath, Type),
}

/// What the keys say, as the registration takes it.
struct Settings {
    tolerance: TokenStream,
    curve: TokenStream,
    budget: TokenStream,
    metrics: TokenStream,
    disk_probe: bool,
    ratchet: bool,
}

/// # Errors
/// A test that is ignored by the key and by an attribute, and a parameter that `inputs` leaves
/// without input or an input without parameter.
pub(crate) fn expand(args: Args, mut item: Item) -> Result<TokenStream> {
    if let Some(key) = args.ignore {
        add_ignore(&mut item.attributes, key)?;
    }
    let routine = routine(args.inputs, item.parameter.take())?;
    check_runtime(&args.runtime, &item)?;
    let site = Span::mixed_site();
    let private = match args.krate {
        Some(path) => quote_spanned!(site=> #path::__private),
        None => quote_spanned!(site=> ::perftest::__private),
    };
    let tolerance = option(args.tolerance.map(|share| tolerance(&share, &private)));
    let curve = args.curve.map(|curve| curve.checked(&tolerance, &private));
    let budget = args.budget_ns.map(|time| budget(&time));
    let settings = Settings {
        tolerance,
        curve: option(curve),
        budget: option(budget),
        metrics: metrics(&args.metrics.unwrap_or_default()),
        disk_probe: args.disk_probe.is_some(),
        ratchet: args.ratchet.is_some(),
    };
    let test = test(&item, &private);
    let run = match &args.runtime {
        Some(runtime) => run_async(&item.name, &routine, runtime, &private),
        None => run(&item.name, &routine, &private),
    };
    let descriptor = descriptor(&item, &private, &settings, &run);
    let (others, function) = (&item.attributes.others, &item.function);
    Ok(quote_spanned! {site=>
        #test
        #[cfg(test)]
        const _: () = {
            #(#others)*
            #function
            #private::inventory::submit! { #descriptor }
        };
    })
}

fn add_ignore(attributes: &mut Attributes, IgnoreKey { key, reason }: IgnoreKey) -> Result<()> {
    if !attributes.ignores.is_empty() {
        let message = "`ignore` is given twice; keep the key or the attribute";
        return Err(Error::new(key.span(), message));
    }
    attributes.ignores.push(Ignore { reason });
    Ok(())
}

fn routine(inputs: Option<ExprPath>, parameter: Option<Type>) -> Result<Routine> {
    match (inputs, parameter) {
        (None, None) => Ok(Routine::Body),
        (None, Some(bencher)) if is_exclusive(&bencher) => Ok(Routine::Handed(bencher)),
        (None, Some(other)) => Err(Error::new_spanned(other, NO_INPUTS)),
        (Some(inputs), None) => Err(Error::new_spanned(inputs, NO_PARAMETER)),
        (Some(_), Some(bencher)) if is_exclusive(&bencher) => {
            Err(Error::new_spanned(bencher, BENCHER_AND_INPUTS))
        }
        (Some(inputs), Some(input)) => Ok(Routine::Fed(inputs, input)),
    }
}

/// An async body and the runtime need each other.
fn check_runtime(runtime: &Option<Expr>, item: &Item) -> Result<()> {
    match (runtime, &item.asyncness) {
        (None, Some(asyncness)) => Err(Error::new_spanned(asyncness, NO_RUNTIME)),
        (Some(runtime), None) => Err(Error::new_spanned(runtime, NOT_ASYNC)),
        _ => Ok(()),
    }
}

/// Whether this is `&mut` something.
fn is_exclusive(parameter: &Type) -> bool {
    matches!(parameter, Type::Reference(reference) if reference.mutability.is_some())
}

/// The test that libtest finds. Its name has the author's place and not the author's lints,
/// which judge the name on the author's function.
fn test(item: &Item, private: &TokenStream) -> TokenStream {
    let Attributes { docs, ignores, .. } = &item.attributes;
    let mut name = item.name.clone();
    name.set_span(name.span().resolved_at(Span::mixed_site()));
    let text = name.to_string();
    quote_spanned! {Span::mixed_site()=>
        #[cfg(test)]
        #[::core::prelude::v1::test]
        #(#ignores)*
        #(#docs)*
        fn #name() -> #private::ExitCode {
            #private::run_in_libtest(::core::module_path!(), #text)
        }
    }
}

fn descriptor(
    item: &Item,
    private: &TokenStream,
    settings: &Settings,
    run: &TokenStream,
) -> TokenStream {
    // Libtest lists a raw identifier with its `r#`, and so do we.
    let name = item.name.to_string();
    // `line!` answers for the token it stands at: the function's name.
    let line = quote_spanned!(item.name.span()=> ::core::line!());
    let ignore = option(item.attributes.ignores.first().map(reason));
    let Settings { tolerance, curve, budget, metrics, disk_probe, ratchet } = settings;
    quote_spanned! {Span::mixed_site()=>
        #private::Descriptor {
            package: ::core::env!("CARGO_PKG_NAME"),
            manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
            module_path: ::core::module_path!(),
            name: #name,
            file: ::core::file!(),
            line: #line,
            ignore: #ignore,
            tolerance: #tolerance,
            curve: #curve,
            budget: #budget,
            metrics: #metrics,
            disk_probe: #disk_probe,
            ratchet: #ratchet,
            optimised: !::core::cfg!(debug_assertions),
            run: #run,
        }
    }
}

/// A wrong type is reported where the author wrote it.
fn argument(name: &str, parameter: &Type) -> Ident {
    Ident::new(name, parameter.span().resolved_at(Span::mixed_site()))
}

/// How the harness runs the function: a closure, so that no name can collide with the author's
/// and the descriptor alone says what it takes and returns.
fn run(function: &Ident, routine: &Routine, private: &TokenStream) -> TokenStream {
    let site = Span::mixed_site();
    let check = quote_spanned!(site=> |output| (&#private::Probe(output)).failure());
    let call = match routine {
        Routine::Body => quote_spanned!(site=> #private::run_routine(bencher, #function, #check)),
        Routine::Handed(parameter) => {
            let bencher = argument("bencher", parameter);
            quote_spanned! {site=>
                let output = #function(#bencher);
                #private::finish((&#private::Probe(&output)).failure())
            }
        }
        Routine::Fed(inputs, parameter) => {
            let input = argument("input", parameter);
            quote_spanned! {site=>
                #private::run_with_inputs(bencher, #inputs, |input| #function(#input), #check)
            }
        }
    };
    quote_spanned! {site=>
        |bencher| {
            use #private::{ResultProbe as _, ValueProbe as _};
            #call
        }
    }
}

/// The same for an async function: its runtime blocks on each stretch of the body. The method may
/// be the runtime's own; a function has the one of `BlockOn`.
fn run_async(
    function: &Ident,
    routine: &Routine,
    runtime: &Expr,
    private: &TokenStream,
) -> TokenStream {
    let site = Span::mixed_site();
    let check = quote_spanned!(site=> |output| (&#private::Probe(output)).failure());
    let body = match routine {
        Routine::Body => {
            quote_spanned!(site=> #private::run_async_routine(bencher, #function, #check).await)
        }
        Routine::Handed(parameter) => {
            let bencher = argument("bencher", parameter);
            quote_spanned! {site=>
                let output = #function(#bencher).await;
                #private::finish((&#private::Probe(&output)).failure())
            }
        }
        Routine::Fed(inputs, parameter) => {
            let input = argument("input", parameter);
            quote_spanned! {site=>
                let body = async |input| #function(#input).await;
                #private::run_async_with_inputs(bencher, #inputs, body, #check).await
            }
        }
    };
    // A value without the method is reported where the author wrote it.
    let place = runtime.span().resolved_at(site);
    let block_on = quote_spanned!(place=> runtime.block_on(stretch));
    quote_spanned! {site=>
        |bencher| {
            use #private::{BlockOn as _, ResultProbe as _, ValueProbe as _};
            let runtime = #runtime;
            let body = #private::Rendezvous::of(bencher).body(async { #body });
            body.run(|stretch| #block_on)
        }
    }
}

fn tolerance(share: &Quantity<f64>, private: &TokenStream) -> TokenStream {
    let share = match share {
        Quantity::Literal(share) => share.to_token_stream(),
        Quantity::Constant(expr) => expr.to_token_stream(),
    };
    quote_spanned!(Span::mixed_site()=> #private::tolerance(#share))
}

fn budget(time: &Quantity<u64>) -> TokenStream {
    match time {
        Quantity::Literal(ns) => {
            quote_spanned!(Span::mixed_site()=> ::core::time::Duration::from_nanos(#ns))
        }
        Quantity::Constant(expr) => expr.to_token_stream(),
    }
}

fn metrics(names: &[String]) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> &[#(#names),*])
}

/// Ignored without a reason is ignored with an empty one.
fn reason(ignore: &Ignore) -> TokenStream {
    match &ignore.reason {
        Some(reason) => reason.to_token_stream(),
        None => quote_spanned!(Span::mixed_site()=> ""),
    }
}

fn option(value: Option<TokenStream>) -> TokenStream {
    let site = Span::mixed_site();
    match value {
        Some(value) => quote_spanned!(site=> ::core::option::Option::Some(#value)),
        None => quote_spanned!(site=> ::core::option::Option::None),
    }
}
