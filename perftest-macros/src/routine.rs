//! What the harness measures of a function, and how it calls it.

use crate::args::Args;
use crate::cases::Instance;
use crate::value::Value;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, ExprPath, Result, Type};

const NO_VALUES: &str = "the parameter of a perf test is `&mut Bencher`, a value that `args` gives, \
                         or an input that `inputs` makes: #[perf_test(inputs = make_input)] with \
                         fn make_input(i: u64)";
const NO_ARGS: &str = "behind `&mut Bencher` stands a value that `args` gives: \
                       #[perf_test(args = [64, 1024])]";
const NO_PARAMETER: &str = "`inputs` makes inputs that nobody takes; give the function a parameter \
                            of the input's type, or remove `inputs`";
const NO_VALUE_PARAMETER: &str = "`args` gives values that nobody takes; give the function a \
                                  parameter of their type, or remove `args`";
const BENCHER_AND_INPUTS: &str = "with `inputs` the parameter takes the input by value; where it is \
                                  `&mut Bencher`, remove `inputs` and call `with_inputs` on it";
const INPUTS_AND_ARGS: &str = "`inputs` and `args` both give the parameter; remove `inputs`, take \
                               `&mut Bencher` and the value, and call `with_inputs`";
const NAMES_WITHOUT_ARGS: &str =
    "`names` names the values of `args`; give `args`, or remove `names`";
const CLOSURE_WITHOUT_ARGS: &str = "there is no value of `args` to ask; give a number, or `args`";
const BYTES_AND_ITEMS: &str = "`bytes` and `items` both say what a call gets through; keep one";

/// What the harness is given to measure.
pub(crate) struct Routine {
    /// Where the body measures; else it is measured as a whole.
    bencher: Option<Type>,
    value: Given,
    /// What one call gets through.
    work: Option<Work>,
}

/// What the parameter that takes a value is given.
enum Given {
    Nothing,
    /// Another input at each call.
    Inputs(ExprPath, Type),
    /// The value of the case.
    Args {
        list: Value,
        names: Option<Value>,
        parameter: Type,
    },
}

/// An amount of `bytes` or `items`.
struct Work {
    kind: &'static str,
    amount: Value,
}

impl Routine {
    /// # Errors
    /// A parameter without a value, a value without a parameter, and keys that exclude each other.
    pub(crate) fn new(args: &mut Args, bencher: Option<Type>, value: Option<Type>) -> Result<Self> {
        let given = given(args, bencher.as_ref(), value)?;
        let work = match (args.bytes.take(), args.items.take()) {
            (Some(_), Some(items)) => return Err(Error::new_spanned(items, BYTES_AND_ITEMS)),
            (Some(amount), None) => Some(Work { kind: "bytes", amount }),
            (None, Some(amount)) => Some(Work { kind: "items", amount }),
            (None, None) => None,
        };
        match &work {
            Some(Work { amount, .. })
                if amount.is_closure && !matches!(given, Given::Args { .. }) =>
            {
                Err(Error::new_spanned(amount, CLOSURE_WITHOUT_ARGS))
            }
            _ => Ok(Self { bencher, value: given, work }),
        }
    }

    /// How the harness lists and measures the cases of this instance of `function`: a closure, so
    /// that no name can collide with the author's and the registration alone says what the function
    /// takes and returns.
    pub(crate) fn body(
        &self,
        function: &Ident,
        instance: &Instance,
        private: &TokenStream,
    ) -> TokenStream {
        let turbofish = &instance.turbofish;
        let function = quote_spanned!(function.span()=> #function #turbofish);
        let work = self.work(private);
        let call = self.call(&function, private);
        let cases = match &self.value {
            Given::Args { list, names, .. } => {
                let name = name(names.as_ref(), private);
                // The call comes first: it tells the compiler the type of the values.
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
                use #private::{DebugLabel as _, DisplayLabel as _, ResultProbe as _, ValueProbe as _};
                #cases
            }
        }
    }

    /// One call of the function, or many, through the bencher.
    fn call(&self, function: &TokenStream, private: &TokenStream) -> TokenStream {
        let site = Span::mixed_site();
        let check = quote_spanned!(site=> |output| (&#private::Probe(output)).failure());
        match (&self.bencher, &self.value) {
            (None, Given::Nothing) => {
                quote_spanned!(site=> #private::run_routine(bencher, #function, #check))
            }
            (None, Given::Inputs(inputs, parameter)) => {
                let input = argument("input", parameter);
                quote_spanned! {site=>
                    #private::run_with_inputs(bencher, #inputs, |input| #function(#input), #check)
                }
            }
            (None, Given::Args { parameter, .. }) if is_shared(parameter) => {
                let value = argument("value", parameter);
                quote_spanned! {site=>
                    let value = &value;
                    #private::run_routine(bencher, || #function(#private::black_box(#value)), #check)
                }
            }
            (None, Given::Args { parameter, .. }) => {
                let (value, input) = (argument("value", parameter), argument("input", parameter));
                quote_spanned! {site=>
                    let copy = |_| ::core::clone::Clone::clone(&#value);
                    #private::run_with_inputs(bencher, copy, |input| #function(#input), #check)
                }
            }
            (Some(bencher), value) => {
                let bencher = argument("bencher", bencher);
                let arguments = match value {
                    Given::Args { parameter, .. } if is_shared(parameter) => {
                        let value = argument("value", parameter);
                        quote_spanned!(parameter.span().resolved_at(site)=> #bencher, &#value)
                    }
                    Given::Args { parameter, .. } => {
                        let value = argument("value", parameter);
                        quote_spanned!(site=> #bencher, #value)
                    }
                    _ => bencher.to_token_stream(),
                };
                quote_spanned! {site=>
                    let output = #function(#arguments);
                    #private::finish((&#private::Probe(&output)).failure())
                }
            }
        }
    }

    fn work(&self, private: &TokenStream) -> TokenStream {
        let site = Span::mixed_site();
        let Some(Work { kind, amount }) = &self.work else {
            return quote_spanned!(site=> #private::no_work());
        };
        let kind = Ident::new(kind, site);
        match &self.value {
            Given::Args { .. } if amount.is_callable() => {
                quote_spanned!(site=> #private::#kind(#private::ask(value, #amount)))
            }
            _ => quote_spanned!(site=> #private::#kind(#amount)),
        }
    }
}

fn given(args: &mut Args, bencher: Option<&Type>, value: Option<Type>) -> Result<Given> {
    let names = args.names.take();
    if let (Some(names), None) = (&names, &args.args) {
        return Err(Error::new_spanned(names, NAMES_WITHOUT_ARGS));
    }
    match (args.inputs.take(), args.args.take(), value) {
        (Some(inputs), Some(_), _) => Err(Error::new_spanned(inputs, INPUTS_AND_ARGS)),
        (Some(inputs), None, value) => match (bencher, value) {
            (Some(bencher), _) => Err(Error::new_spanned(bencher, BENCHER_AND_INPUTS)),
            (None, None) => Err(Error::new_spanned(inputs, NO_PARAMETER)),
            (None, Some(input)) => Ok(Given::Inputs(inputs, input)),
        },
        (None, Some(values), Some(parameter)) => {
            Ok(Given::Args { list: values.list, names, parameter })
        }
        (None, Some(values), None) => Err(Error::new_spanned(values.list, NO_VALUE_PARAMETER)),
        (None, None, Some(value)) => {
            let message = if bencher.is_some() { NO_ARGS } else { NO_VALUES };
            Err(Error::new_spanned(value, message))
        }
        (None, None, None) => Ok(Given::Nothing),
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

/// Whether this is `&` something.
fn is_shared(parameter: &Type) -> bool {
    matches!(parameter, Type::Reference(_))
}
