//! The keys of `#[perf_test(..)]`.

use crate::cases::{self, Values};
use crate::curve::{self, CurvePoints};
use crate::keys::{self, IN_EXPERT, OF_TESTS, value_of};
use crate::metrics::{self, JudgedMetric};
use crate::settings::AttributeSettings;
use crate::throughput::{THROUGHPUT, Throughput};
use crate::unparsed::{Expr, Path, Type};
use crate::value::Value;
use crate::{threads, versus};
use proc_macro2::Ident;
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitStr, Result, token};

const NAMES: &str = "`names` takes what names a case: names = |case| case.0";
const RUNTIME: &str = "`runtime` takes what blocks on the body of an `async fn`: a value with a method \
                       `block_on`, such as the one that runtime = tokio_rt() makes, or the path of \
                       a function that takes a future";
const FORMERLY: &str = "`formerly` takes the name the test had, as `cargo perftest history` prints \
                        it: formerly = \"my-crate::module::old_name\"";
const BEYOND_MOST: &str = "the curve goes on after `max_measurements`: raise that, or remove the \
                           points behind it";
const CRATE: &str = "`crate` takes a path, for example crate = my_perftest";

/// What the author asked for.
#[derive(Default)]
pub(crate) struct AttributeArgs {
    /// The keys that a group has as well.
    pub(crate) settings: AttributeSettings,
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
    pub(crate) throughput: Option<Throughput>,
    /// What blocks on the future of an async body.
    pub(crate) runtime: Option<Expr>,
    /// The function that the test is compared with.
    pub(crate) versus: Option<Path>,
    /// The metrics that are judged besides wall time.
    pub(crate) metrics: Option<Vec<JudgedMetric>>,
    /// The name the test had before.
    pub(crate) formerly: Option<LitStr>,
    /// The degradation a red needs after so many measurements.
    pub(crate) curve: Option<CurvePoints>,
    /// Whether the disk is probed beside the batches.
    pub(crate) disk_probe: bool,
    /// The path of `perftest` where it has another name.
    pub(crate) krate: Option<Path>,
}

impl Parse for AttributeArgs {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut args = Self::default();
        keys::each(input, &OF_TESTS, |key, input| args.parse_key(key, input))?;
        if let (Some(_), Some(metrics)) = (&args.threads, &args.metrics) {
            metrics::check_on_threads(metrics)?;
        }
        if let Some(versus) = &args.versus {
            versus::check(versus, &args.of_a_history())?;
        }
        match (&args.curve, args.settings.max_measurements) {
            (Some(curve), Some(most)) if curve.reach() > most => curve.refuse(BEYOND_MOST),
            _ => Ok(args),
        }
    }
}

impl AttributeArgs {
    fn parse_key(&mut self, key: &Ident, input: ParseStream) -> Result<()> {
        match key.to_string().as_str() {
            "args" => self.args = Some(value_of(key, input, cases::ARGS, Values::parse)?),
            "names" => {
                self.names = Some(value_of(key, input, NAMES, |it| Value::parse(it, NAMES))?);
            }
            "types" => {
                let types = |input: ParseStream| cases::list(input, cases::TYPES);
                self.types = Some(value_of(key, input, cases::TYPES, types)?);
            }
            "consts" => {
                let consts = |input: ParseStream| cases::list(input, cases::CONSTS);
                self.consts = Some(value_of(key, input, cases::CONSTS, consts)?);
            }
            "threads" => {
                self.threads = Some(value_of(key, input, threads::THREADS, threads::parse)?);
            }
            "throughput" => {
                self.throughput = Some(value_of(key, input, THROUGHPUT, Throughput::parse)?);
            }
            "runtime" => self.runtime = Some(runtime(key, input)?),
            "versus" => self.versus = Some(value_of(key, input, versus::VERSUS, versus::parse)?),
            "metrics" => {
                self.metrics = Some(value_of(key, input, metrics::TAKES, metrics::further)?);
            }
            "formerly" => self.formerly = Some(formerly(key, input)?),
            keys::EXPERT => keys::each_in_expert(key, input, &IN_EXPERT, |key, input| {
                self.parse_expert_key(key, input)
            })?,
            "crate" => self.krate = Some(krate(key, input)?),
            _ => self.settings.parse_key(key, input, &OF_TESTS)?,
        }
        Ok(())
    }

    fn parse_expert_key(&mut self, key: &Ident, input: ParseStream) -> Result<()> {
        match key.to_string().as_str() {
            "curve" => self.curve = Some(curve(key, input)?),
            "disk_probe" => {
                keys::alone(key, input)?;
                self.disk_probe = true;
            }
            _ => self.settings.parse_expert_key(key, input, &IN_EXPERT)?,
        }
        Ok(())
    }

    /// The keys that concern a comparison with the history, and whether they are given.
    fn of_a_history(&self) -> [(&'static str, bool); 8] {
        [
            ("curve", self.curve.is_some()),
            ("metrics", self.metrics.is_some()),
            ("on_improved", self.settings.has_word("on_improved")),
            ("disk_probe", self.disk_probe),
            ("limit", self.settings.has_limit()),
            ("max_measurements", self.settings.max_measurements.is_some()),
            ("formerly", self.formerly.is_some()),
            ("learn", self.settings.has_word("learn")),
        ]
    }
}

fn curve(key: &Ident, input: ParseStream) -> Result<CurvePoints> {
    value_of(key, input, curve::POINTS, |input| {
        if input.peek(token::Bracket) { input.parse() } else { Err(input.error(curve::POINTS)) }
    })
}

fn runtime(key: &Ident, input: ParseStream) -> Result<Expr> {
    value_of(key, input, RUNTIME, |input| {
        input.parse().map_err(|error| Error::new(error.span(), RUNTIME))
    })
}

fn formerly(key: &Ident, input: ParseStream) -> Result<LitStr> {
    keys::equals(key, input, FORMERLY)?;
    let name: LitStr = input.parse().map_err(|error| Error::new(error.span(), FORMERLY))?;
    let is_name = name.value().contains("::") && !name.value().contains(char::is_whitespace);
    if is_name { Ok(name) } else { Err(Error::new_spanned(name, FORMERLY)) }
}

/// The path behind `crate`.
pub(crate) fn krate(key: &Ident, input: ParseStream) -> Result<Path> {
    keys::equals(key, input, CRATE)?;
    input.parse().map_err(|error| Error::new(error.span(), CRATE))
}
