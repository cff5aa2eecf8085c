//! The keys that tests and groups have in common: what a verdict is given by.

use crate::args::{equals, is_end_of_value, once};
use crate::expand::option;
use crate::literal;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::parse::ParseStream;
use syn::{Error, Expr, Lit, LitBool, Result, Token};

const TOLERANCE: &str = "`tolerance` takes a percentage above 0 and at most 900, for example \
                         tolerance = \"5%\", or a constant share or ratio such as 0.05 or 1.05";
const BUDGET: &str = "`budget` takes a time above zero in ns, us, ms, s, m or h, for example \
                      budget = \"500ms\", or a constant `Duration`";
const TIMEOUT: &str = "`timeout` takes a time above zero in ns, us, ms, s, m or h, for example \
                       timeout = \"90s\", or a constant `Duration`";
const LIMIT: &str = "`limit` takes a time above zero in ns, us, ms, s, m or h, for example \
                     limit = \"50ms\", or a constant `Duration`";
const MOST: &str = "`max_measurements` takes a whole number from 3 to 10000";
const REPORT_ONLY: &str = "`report_only` stands alone or is true or false";
const ON_UNCLEAR: &str = "`on_unclear` takes \"pass\" or \"fail\"";
const ON_UNJUDGED: &str = "`on_unjudged` takes \"pass\", \"fail\" or \"fail-in-ci\"";
const ON_DEBUG: &str = "`on_debug` takes \"smoke\", \"measure\" or \"fail\"";
const LEARN: &str = "`learn` takes \"at-once\" or \"one-per-run\"";

/// What the author set.
#[derive(Default)]
pub(crate) struct AttributeSettings {
    /// The smallest degradation that matters: 0.05 and 1.05 are 5%.
    tolerance: Option<Share>,
    /// The time until the verdict, in nanoseconds.
    budget_ns: Option<WorkAmount<u64>>,
    /// The longest time without a sign of the body, in nanoseconds.
    timeout_ns: Option<WorkAmount<u64>>,
    /// The time that may never be exceeded, in nanoseconds.
    limit_ns: Option<WorkAmount<u64>>,
    max_measurements: Option<u32>,
    report_only: Option<bool>,
    on_unclear: Option<Ident>,
    on_unjudged: Option<Ident>,
    on_debug: Option<Ident>,
    learn: Option<Ident>,
}

/// A value that was either read and checked here or is left to the compiler.
enum WorkAmount<T> {
    Literal(T),
    Constant(Expr),
}

/// A tolerance.
pub(crate) struct Share(WorkAmount<f64>);

impl Share {
    /// What stands behind `key`; `takes` says what the key takes.
    ///
    /// # Errors
    /// Anything that cannot be a tolerance.
    pub(crate) fn parse(key: &Ident, input: ParseStream, takes: &str) -> Result<Self> {
        let share = quantity(key, input, takes, |literal| match literal {
            Lit::Str(percentage) => literal::share_of_percentage(&percentage.value()),
            Lit::Float(number) => number.base10_parse().ok().filter(literal::is_tolerance_number),
            _ => None,
        });
        share.map(Self)
    }

    /// The share, which the compiler checks once more.
    pub(crate) fn checked(&self, private: &TokenStream) -> TokenStream {
        let number = match &self.0 {
            WorkAmount::Literal(number) => number.to_token_stream(),
            WorkAmount::Constant(expr) => expr.to_token_stream(),
        };
        quote_spanned!(Span::mixed_site()=> #private::tolerance(#number))
    }
}

impl AttributeSettings {
    /// Parses the value of a key; `known` names the keys there are.
    ///
    /// # Errors
    /// An unknown or repeated key, or a value that cannot be.
    pub(crate) fn parse_key(
        &mut self,
        key: &Ident,
        input: ParseStream,
        known: &[&str],
    ) -> Result<()> {
        match key.to_string().as_str() {
            "tolerance" => once(&mut self.tolerance, key, Share::parse(key, input, TOLERANCE)),
            "budget" => once(&mut self.budget_ns, key, time(key, input, BUDGET)),
            "timeout" => once(&mut self.timeout_ns, key, time(key, input, TIMEOUT)),
            "limit" => once(&mut self.limit_ns, key, time(key, input, LIMIT)),
            "max_measurements" => once(&mut self.max_measurements, key, most(key, input)),
            "report_only" => once(&mut self.report_only, key, flag(input)),
            "on_unclear" => {
                let choices = [("pass", "Pass"), ("fail", "Fail")];
                once(&mut self.on_unclear, key, choice(key, input, ON_UNCLEAR, &choices))
            }
            "on_unjudged" => {
                let choices = [("pass", "Pass"), ("fail", "Fail"), ("fail-in-ci", "FailInCi")];
                once(&mut self.on_unjudged, key, choice(key, input, ON_UNJUDGED, &choices))
            }
            "on_debug" => {
                let choices = [("smoke", "Smoke"), ("measure", "Measure"), ("fail", "Fail")];
                once(&mut self.on_debug, key, choice(key, input, ON_DEBUG, &choices))
            }
            "learn" => {
                let choices = [("at-once", "AtOnce"), ("one-per-run", "OnePerRun")];
                once(&mut self.learn, key, choice(key, input, LEARN, &choices))
            }
            unknown => {
                let known = known.join(", ");
                let message = format!("unknown key `{unknown}`; the keys are {known}");
                Err(Error::new(key.span(), message))
            }
        }
    }

    pub(crate) fn most_measurements(&self) -> Option<u32> {
        self.max_measurements
    }

    pub(crate) fn has_limit(&self) -> bool {
        self.limit_ns.is_some()
    }

    /// The checked share, as an `Option`.
    pub(crate) fn tolerance(&self, private: &TokenStream) -> TokenStream {
        option(self.tolerance.as_ref().map(|share| share.checked(private)))
    }

    /// All of it as a constant.
    pub(crate) fn layer(&self, private: &TokenStream) -> TokenStream {
        let site = Span::mixed_site();
        let tolerance = self.tolerance(private);
        let budget = self.budget_ns.as_ref().map(|time| duration(time, "budget", private));
        let timeout = self.timeout_ns.as_ref().map(|time| duration(time, "timeout", private));
        let limit = self.limit_ns.as_ref().map(|time| duration(time, "limit", private));
        let (budget, timeout, limit) = (option(budget), option(timeout), option(limit));
        let most = option(self.max_measurements.map(ToTokens::into_token_stream));
        let report_only = option(self.report_only.map(ToTokens::into_token_stream));
        let choice = |name: &Ident, kind| {
            let kind = Ident::new(kind, site);
            quote_spanned!(site=> #private::#kind::#name)
        };
        let on_unclear = option(self.on_unclear.as_ref().map(|it| choice(it, "OnUnclear")));
        let on_unjudged = option(self.on_unjudged.as_ref().map(|it| choice(it, "OnUnjudged")));
        let on_debug = option(self.on_debug.as_ref().map(|it| choice(it, "OnDebug")));
        let learn = option(self.learn.as_ref().map(|it| choice(it, "Learn")));
        quote_spanned! {site=>
            #private::Layer {
                tolerance: #tolerance,
                budget: #budget,
                timeout: #timeout,
                limit: #limit,
                max_measurements: #most,
                report_only: #report_only,
                on_unclear: #on_unclear,
                on_unjudged: #on_unjudged,
                on_debug: #on_debug,
                learn: #learn,
            }
        }
    }
}

fn time(key: &Ident, input: ParseStream, takes: &str) -> Result<WorkAmount<u64>> {
    quantity(key, input, takes, |literal| match literal {
        Lit::Str(time) => literal::duration_ns(&time.value()),
        _ => None,
    })
}

fn most(key: &Ident, input: ParseStream) -> Result<u32> {
    let number = quantity(key, input, MOST, |literal| match literal {
        Lit::Int(number) => number.base10_parse().ok().filter(|it| (3..=10_000).contains(it)),
        _ => None,
    })?;
    match number {
        WorkAmount::Literal(number) => Ok(number),
        WorkAmount::Constant(expr) => Err(Error::new_spanned(expr, MOST)),
    }
}

/// `report_only` or `report_only = false`, where a group says otherwise.
fn flag(input: ParseStream) -> Result<bool> {
    if is_end_of_value(input) {
        return Ok(true);
    }
    let value = input.parse::<Token![=]>().and_then(|_| input.parse::<LitBool>());
    value.map(|flag| flag.value).map_err(|error| Error::new(error.span(), REPORT_ONLY))
}

/// The variant that the author's word names.
fn choice(key: &Ident, input: ParseStream, takes: &str, choices: &[(&str, &str)]) -> Result<Ident> {
    let variant = quantity(key, input, takes, |literal| match literal {
        Lit::Str(word) => choices.iter().find(|(name, _)| *name == word.value()),
        _ => None,
    })?;
    match variant {
        WorkAmount::Literal((_, variant)) => Ok(Ident::new(variant, Span::mixed_site())),
        WorkAmount::Constant(expr) => Err(Error::new_spanned(expr, takes)),
    }
}

/// Reads a literal at once and leaves any other expression to the compiler. `takes` says what
/// the key takes.
fn quantity<T>(
    key: &Ident,
    input: ParseStream,
    takes: &str,
    read: impl Fn(&Lit) -> Option<T>,
) -> Result<WorkAmount<T>> {
    equals(key, input, takes)?;
    let expr: Expr = input.parse()?;
    // Parsed again because a literal from a `macro_rules!` fragment sits in an invisible group.
    match syn::parse2::<Lit>(expr.to_token_stream()) {
        Ok(literal) => {
            read(&literal).map(WorkAmount::Literal).ok_or_else(|| Error::new_spanned(expr, takes))
        }
        Err(_) => Ok(WorkAmount::Constant(expr)),
    }
}

/// A constant may be zero, as a text may not: the compiler finds it by the function of the key's name.
fn duration(time: &WorkAmount<u64>, key: &str, private: &TokenStream) -> TokenStream {
    let site = Span::mixed_site();
    let check = Ident::new(key, site);
    match time {
        WorkAmount::Literal(ns) => quote_spanned!(site=> ::core::time::Duration::from_nanos(#ns)),
        WorkAmount::Constant(expr) => quote_spanned!(site=> #private::#check(#expr)),
    }
}
