//! What the harness measures of a function, and how it calls it.

use crate::args::AttributeArgs;
use crate::cases::FunctionInstance;
use crate::item::Item;
use crate::threads;
use crate::throughput::Throughput;
use crate::unparsed::{Expr, Path, Type};
use crate::value::Value;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Result};

const NO_VALUES: &str = "the parameter of a perf test is `&mut Bencher`, or a value that `args` gives: \
                         #[perf_test(args = [64, 1024])]";
const NO_ARGS: &str = "behind `&mut Bencher` stands a value that `args` gives: \
                       #[perf_test(args = [64, 1024])]";
const NO_VALUE_PARAMETER: &str = "`args` gives values that the function does not take; give the function a \
                                  parameter of their type, or remove `args`";
const NAMES_WITHOUT_ARGS: &str =
    "`names` names the values of `args`; give `args`, or remove `names`";
const NO_RUNTIME: &str = "an async perf test needs a runtime that blocks on it: \
                          #[perf_test(runtime = tokio_rt())] with a function that makes one, or \
                          runtime = pollster::block_on";
const NOT_ASYNC: &str = "`runtime` blocks on the body of an `async fn`; make the function async, or \
                         remove `runtime`";

/// What the harness is given to measure.
pub(crate) struct RoutineCode {
    /// What blocks on the body, where it is async.
    runtime: Option<Expr>,
    /// Where the body measures; else it is measured as a whole.
    bencher: Option<Type>,
    /// What the parameter that takes a value is given.
    value: Option<CaseValue>,
    /// What one call gets through.
    throughput: Option<Throughput>,
}

/// The value of a case.
struct CaseValue {
    list: Value,
    names: Option<Value>,
    parameter: Type,
}

impl RoutineCode {
    /// # Errors
    /// A parameter without a value, a value without a parameter, an async body without a runtime or
    /// the reverse, and keys that exclude each other.
    pub(crate) fn new(args: &mut AttributeArgs, item: &mut Item) -> Result<Self> {
        let bencher = item.bencher.take();
        threads::check(args.threads.as_deref(), args.runtime.as_ref(), bencher.as_ref())?;
        let value = case_value(args, bencher.as_ref(), item.value.take())?;
        let runtime = runtime(args, item)?;
        let throughput = args.throughput.take();
        if let (Some(throughput), None) = (&throughput, &value) {
            throughput.check_without_args()?;
        }
        Ok(Self { runtime, bencher, value, throughput })
    }

    /// How the harness lists and measures the cases of this instance of `function`: a closure, so
    /// that no name can collide with the author's and the registration alone decides what the function
    /// takes and returns.
    pub(crate) fn body(
        &self,
        function: &Ident,
        instance: &FunctionInstance,
        private: &TokenStream,
    ) -> TokenStream {
        self.closure(&given_its_parameters(function, instance), instance, private)
    }

    /// The same of the function that the test is compared with.
    pub(crate) fn rival_body(
        &self,
        path: &Path,
        instance: &FunctionInstance,
        private: &TokenStream,
    ) -> TokenStream {
        let function = given_its_parameters(path, instance);
        let body = self.closure(&function, instance, private);
        match (&self.bencher, &self.value) {
            // The ordinary test of a perf test can be called like this, but it measures nothing.
            (None, None) => {
                let checked = quote_spanned!(path.span().resolved_at(Span::mixed_site())=>
                    let () = (&#private::Function(&#function)).is_compared());
                quote_spanned! {Span::mixed_site()=>
                    |job| {
                        use #private::{AnyFunction as _, OrdinaryTest as _};
                        #checked;
                        (#body)(job)
                    }
                }
            }
            _ => body,
        }
    }

    fn closure(
        &self,
        function: &TokenStream,
        instance: &FunctionInstance,
        private: &TokenStream,
    ) -> TokenStream {
        let work = self.work(private);
        let call = self.call(function, private);
        let call = match (&self.runtime, instance.threads) {
            (Some(runtime), _) => blocked_on(runtime, &call, private),
            (None, Some(threads)) => quote_spanned! {Span::mixed_site()=>
                let bencher = &mut #private::on_threads(bencher, #threads);
                #call
            },
            (None, None) => call,
        };
        let cases = match &self.value {
            Some(CaseValue { list, names, .. }) => {
                let name = name(names.as_ref(), private);
                // The call comes first: the compiler infers the type of the values from it.
                quote_spanned! {Span::mixed_site()=>
                    #private::each(job, #list, |bencher, value| { #call }, |value| #name, |value| #work)
                }
            }
            _ => quote_spanned! {Span::mixed_site()=>
                #private::once(job, |bencher| { #call }, || #work)
            },
        };
        quote_spanned! {Span::mixed_site()=>
            |job| {
                use #private::{BlockOn as _, DebugLabel as _, DisplayLabel as _};
                use #private::{FutureProbe as _, ResultProbe as _, ValueProbe as _};
                #cases
            }
        }
    }

    /// One call of the function, or many, through the bencher.
    fn call(&self, function: &TokenStream, private: &TokenStream) -> TokenStream {
        let site = Span::mixed_site();
        match &self.bencher {
            Some(bencher) => {
                let arguments = self.arguments(&argument("bencher", bencher));
                let wait = self.wait();
                let failure = failure(function);
                quote_spanned! {site=>
                    let output = #function(#arguments) #wait;
                    #private::finish((&#private::Probe(&output)).#failure())
                }
            }
            None => self.whole_body(function, private),
        }
    }

    /// What a body that measures is called with.
    fn arguments(&self, bencher: &Ident) -> TokenStream {
        match &self.value {
            Some(CaseValue { parameter, .. }) => {
                let value = argument("value", parameter);
                let reference = parameter
                    .is_reference()
                    .then(|| quote_spanned!(parameter.span().resolved_at(Span::mixed_site())=> &));
                quote_spanned!(Span::mixed_site()=> #bencher, #reference #value)
            }
            _ => bencher.to_token_stream(),
        }
    }

    /// The function as the routine that is measured.
    fn whole_body(&self, function: &TokenStream, private: &TokenStream) -> TokenStream {
        let site = Span::mixed_site();
        let wait = self.wait();
        let asyncness = self.runtime.as_ref().map(|_| quote_spanned!(site=> async));
        let iter = self.runtime.as_ref().map_or("iter_checked", |_| "iter_async_checked");
        let iter = Ident::new(iter, site);
        let failure = failure(function);
        let check = quote_spanned!(site=> |output| (&#private::Probe(output)).#failure());
        let measure = match &self.value {
            None => quote_spanned!(site=> bencher.#iter(#function, #check) #wait),
            Some(CaseValue { parameter, .. }) if parameter.is_reference() => {
                let value = argument("value", parameter);
                quote_spanned! {site=>
                    let value = &value;
                    let body = #asyncness || #function(#private::black_box(#value)) #wait;
                    bencher.#iter(body, #check) #wait
                }
            }
            Some(CaseValue { parameter, .. }) => {
                let (value, input) = (argument("value", parameter), argument("input", parameter));
                quote_spanned! {site=>
                    let copy = |_| ::core::clone::Clone::clone(&#value);
                    let body = #asyncness |input| #function(#input) #wait;
                    bencher.with_inputs(copy).#iter(body, #check) #wait
                }
            }
        };
        quote_spanned!(site=> #measure; ::core::result::Result::Ok(()))
    }

    /// `.await`, where the function is async.
    fn wait(&self) -> Option<TokenStream> {
        self.runtime.as_ref().map(|_| quote_spanned!(Span::mixed_site()=> .await))
    }

    fn work(&self, private: &TokenStream) -> TokenStream {
        let site = Span::mixed_site();
        match &self.throughput {
            Some(throughput) => throughput.work(self.value.is_some(), private),
            None => quote_spanned!(site=> #private::no_work()),
        }
    }
}

/// A function with its generic parameters.
fn given_its_parameters(function: &impl ToTokens, instance: &FunctionInstance) -> TokenStream {
    let turbofish = &instance.turbofish;
    quote_spanned!(function.span()=> #function #turbofish)
}

/// What asks an output whether it is a failure. One that cannot be an output is reported where the
/// author wrote the function's name.
fn failure(function: &TokenStream) -> Ident {
    Ident::new("failure", function.span().resolved_at(Span::mixed_site()))
}

/// What an async function needs, and no other has.
fn runtime(args: &mut AttributeArgs, item: &Item) -> Result<Option<Expr>> {
    match (args.runtime.take(), &item.asyncness) {
        (None, Some(asyncness)) => Err(Error::new_spanned(asyncness, NO_RUNTIME)),
        (Some(runtime), None) => Err(Error::new_spanned(runtime, NOT_ASYNC)),
        (runtime, _) => Ok(runtime),
    }
}

/// An async call, of which the runtime blocks on each stretch. The method may be the runtime's own;
/// a function has the one of `BlockOn`.
fn blocked_on(runtime: &Expr, call: &TokenStream, private: &TokenStream) -> TokenStream {
    // A value without the method is reported where the author wrote it.
    let place = runtime.span().resolved_at(Span::mixed_site());
    let block_on = quote_spanned!(place=> runtime.block_on(stretch));
    quote_spanned! {Span::mixed_site()=>
        let runtime = #runtime;
        let body = #private::Rendezvous::of(bencher).body(async { #call });
        body.run(|stretch| #block_on)
    }
}

fn case_value(
    args: &mut AttributeArgs,
    bencher: Option<&Type>,
    value: Option<Type>,
) -> Result<Option<CaseValue>> {
    let names = args.names.take();
    if let (Some(names), None) = (&names, &args.args) {
        return Err(Error::new_spanned(names, NAMES_WITHOUT_ARGS));
    }
    match (args.args.take(), value) {
        (Some(values), Some(parameter)) => {
            Ok(Some(CaseValue { list: values.list, names, parameter }))
        }
        (Some(values), None) => Err(Error::new_spanned(values.list, NO_VALUE_PARAMETER)),
        (None, Some(value)) => {
            let message = if bencher.is_some() { NO_ARGS } else { NO_VALUES };
            Err(Error::new_spanned(value, message))
        }
        (None, None) => Ok(None),
    }
}

fn name(names: Option<&Value>, private: &TokenStream) -> TokenStream {
    let site = Span::mixed_site();
    match names {
        Some(names) => quote_spanned!(site=> #private::text(#private::ask(value, #names))),
        None => quote_spanned!(site=> (&#private::Label(value)).label()),
    }
}

/// A name of ours where the author wrote the type it has to have: there a wrong one is reported.
fn argument(name: &str, parameter: &Type) -> Ident {
    Ident::new(name, parameter.span().resolved_at(Span::mixed_site()))
}
