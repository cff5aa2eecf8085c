//! The keys of `#[perf_test(..)]`.

use crate::cases::{self, Values};
use crate::curve::{self, CurvePoints};
use crate::metrics::{self, JudgedMetric};
use crate::settings::AttributeSettings;
use crate::value::Value;
use crate::{threads, versus};
use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, ExprPath, LitStr, Path, Result, Token, Type, token};

/// All keys, as a message names them.
pub(crate) const KEYS: [&str; 27] = [
    "args",
    "names",
    "types",
    "consts",
    "threads",
    "bytes",
    "items",
    "inputs",
    "runtime",
    "versus",
    "tolerance",
    "budget",
    "timeout",
    "limit",
    "max_measurements",
    "report_only",
    "on_unclear",
    "on_unjudged",
    "on_debug",
    "learn",
    "curve",
    "metrics",
    "disk_probe",
    "ratchet",
    "formerly",
    "ignore",
    "crate",
];
const INPUTS: &str = "`inputs` takes the path of a function that makes the input of call `i`, a \
                      `u64`, for example inputs = make_keys";
const NAMES: &str = "`names` takes what names a case: names = |case| case.0";
const BYTES: &str = "`bytes` takes what one call gets through: bytes = |n| *n of the value of \
                     `args`, or a number";
const ITEMS: &str = "`items` takes what one call gets through: items = |n| *n of the value of \
                     `args`, or a number";
const RUNTIME: &str = "`runtime` takes what blocks on the body of an `async fn`: a value with a method \
                       `block_on`, such as the one that runtime = tokio_rt() makes, or the path of \
                       a function that takes a future";
const FORMERLY: &str = "`formerly` takes the name the test had, as `cargo perftest history` prints \
                        it: formerly = \"my-crate::module::old_name\"";
const BEYOND_MOST: &str = "the curve goes on after `max_measurements`: raise that, or remove the \
                           points behind it";
const IGNORE: &str = "`ignore` stands alone or gives the reason as text: ignore = \"why\"";
const CRATE: &str = "`crate` takes a path, for example crate = my_perftest";

/// What the author asked for.
#[derive(Default)]
pub(crate) struct AttributeArgs {
    /// The keys that a group has as well.
    pub(crate) settings: AttributeSettings,
    /// The degradation a red needs after so many measurements.
    pub(crate) curve: Option<CurvePoints>,
    /// The values of the cases.
    pub(crate) args: Option<Values>,
    /// What names the case of a value.
    pub(crate) names: Option<Value>,
    /// The types and the constants of a generic function.
    pub(crate) types: Option<Vec<Type>>,
    pub(crate) consts: Option<Vec<Expr>>,
    /// On how many threads at once the routine runs.
    pub(crate) threads: Option<Vec<u16>>,
    /// What one call gets through.
    pub(crate) bytes: Option<Value>,
    pub(crate) items: Option<Value>,
    /// The metrics that are judged besides wall time.
    pub(crate) metrics: Option<Vec<JudgedMetric>>,
    /// The function that makes the input of each call.
    pub(crate) inputs: Option<ExprPath>,
    /// What blocks on the future of an async body.
    pub(crate) runtime: Option<Expr>,
    /// The function that the test is compared with.
    pub(crate) versus: Option<ExprPath>,
    /// Given when the disk is to be probed beside the batches.
    pub(crate) disk_probe: Option<()>,
    /// Given when an improvement is to fail until it is accepted.
    pub(crate) ratchet: Option<()>,
    /// The name the test had before.
    pub(crate) formerly: Option<LitStr>,
    pub(crate) ignore: Option<IgnoreKey>,
    /// The path of `perftest` where it has another name.
    pub(crate) krate: Option<Path>,
}

/// `ignore` or `ignore = "why"`.
pub(crate) struct IgnoreKey {
    pub(crate) key: Ident,
    pub(crate) reason: Option<LitStr>,
}

impl Parse for AttributeArgs {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut args = Self::default();
        keys(input, &KEYS, |key, input| args.parse_key(key, input))?;
        if let (Some(_), Some(metrics)) = (&args.threads, &args.metrics) {
            metrics::check_on_threads(metrics)?;
        }
        match (&args.curve, args.settings.most_measurements()) {
            (Some(curve), Some(most)) if curve.reach() > most => curve.refuse(BEYOND_MOST),
            _ => Ok(args),
        }
    }
}

impl AttributeArgs {
    fn parse_key(&mut self, key: &Ident, input: ParseStream) -> Result<()> {
        match key.to_string().as_str() {
            "args" => once(&mut self.args, key, of(key, input, cases::ARGS, Values::parse)),
            "names" => once(&mut self.names, key, value(key, input, NAMES)),
            "types" => once(&mut self.types, key, of(key, input, cases::TYPES, cases::types)),
            "consts" => once(&mut self.consts, key, of(key, input, cases::CONSTS, cases::consts)),
            "threads" => {
                once(&mut self.threads, key, of(key, input, threads::THREADS, threads::parse))
            }
            "bytes" => once(&mut self.bytes, key, value(key, input, BYTES)),
            "items" => once(&mut self.items, key, value(key, input, ITEMS)),
            "versus" => once(&mut self.versus, key, of(key, input, versus::VERSUS, versus::parse)),
            "curve" => once(&mut self.curve, key, curve(key, input)),
            "metrics" => {
                once(&mut self.metrics, key, of(key, input, metrics::TAKES, metrics::further))
            }
            "inputs" => once(&mut self.inputs, key, inputs(key, input)),
            "runtime" => once(&mut self.runtime, key, runtime(key, input)),
            "disk_probe" => once(&mut self.disk_probe, key, alone(key, input)),
            "ratchet" => once(&mut self.ratchet, key, alone(key, input)),
            "formerly" => once(&mut self.formerly, key, formerly(key, input)),
            "ignore" => once(&mut self.ignore, key, ignore(key, input)),
            "crate" => once(&mut self.krate, key, krate(key, input)),
            _ => self.settings.parse_key(key, input, &KEYS),
        }
    }
}

/// Parses `key`, `key = value` .. between commas. `known` names the keys there are.
pub(crate) fn keys(
    input: ParseStream,
    known: &[&str],
    mut parse: impl FnMut(&Ident, ParseStream) -> Result<()>,
) -> Result<()> {
    while !input.is_empty() {
        let Ok(key) = input.call(Ident::parse_any) else {
            let known = known.join(", ");
            return Err(input.error(format!("expected a key; the keys are {known}")));
        };
        parse(&key, input)?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(())
}

pub(crate) fn once<T>(slot: &mut Option<T>, key: &Ident, value: Result<T>) -> Result<()> {
    if slot.is_some() {
        return Err(Error::new(key.span(), format!("`{key}` is given twice; keep one")));
    }
    *slot = Some(value?);
    Ok(())
}

fn curve(key: &Ident, input: ParseStream) -> Result<CurvePoints> {
    of(key, input, curve::POINTS, |input| {
        if input.peek(token::Bracket) { input.parse() } else { Err(input.error(curve::POINTS)) }
    })
}

/// Only a path: a closure would need the parser of whole functions that this crate does without.
fn inputs(key: &Ident, input: ParseStream) -> Result<ExprPath> {
    of(key, input, INPUTS, |input| input.parse().map_err(|error| Error::new(error.span(), INPUTS)))
}

fn value(key: &Ident, input: ParseStream, takes: &str) -> Result<Value> {
    of(key, input, takes, |input| Value::parse(input, takes))
}

/// What stands behind `=`, up to the end of the value.
fn of<T>(
    key: &Ident,
    input: ParseStream,
    takes: &str,
    parse: impl FnOnce(ParseStream) -> Result<T>,
) -> Result<T> {
    equals(key, input, takes)?;
    let value = parse(input)?;
    if is_end_of_value(input) { Ok(value) } else { Err(input.error(takes)) }
}

fn runtime(key: &Ident, input: ParseStream) -> Result<Expr> {
    of(key, input, RUNTIME, |input| {
        input.parse().map_err(|error| Error::new(error.span(), RUNTIME))
    })
}

fn formerly(key: &Ident, input: ParseStream) -> Result<LitStr> {
    equals(key, input, FORMERLY)?;
    let name: LitStr = input.parse().map_err(|error| Error::new(error.span(), FORMERLY))?;
    let is_name = name.value().contains("::") && !name.value().contains(char::is_whitespace);
    if is_name { Ok(name) } else { Err(Error::new_spanned(name, FORMERLY)) }
}

/// A key without a value.
fn alone(key: &Ident, input: ParseStream) -> Result<()> {
    if is_end_of_value(input) { Ok(()) } else { Err(input.error(format!("`{key}` stands alone"))) }
}

fn ignore(key: &Ident, input: ParseStream) -> Result<IgnoreKey> {
    let reason = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        Some(input.parse().map_err(|error| Error::new(error.span(), IGNORE))?)
    } else if is_end_of_value(input) {
        None
    } else {
        return Err(input.error(IGNORE));
    };
    Ok(IgnoreKey { key: key.clone(), reason })
}

pub(crate) fn krate(key: &Ident, input: ParseStream) -> Result<Path> {
    equals(key, input, CRATE)?;
    input.call(Path::parse_mod_style).map_err(|error| Error::new(error.span(), CRATE))
}

pub(crate) fn is_end_of_value(input: ParseStream) -> bool {
    input.is_empty() || input.peek(Token![,])
}

pub(crate) fn equals(key: &Ident, input: ParseStream, takes: &str) -> Result<()> {
    input.parse::<Token![=]>().map(drop).map_err(|_| Error::new(key.span(), takes))
}
