//! The keys that tests and groups have in common: what a verdict is given by.

use crate::keys::{equals, unknown};
use crate::literal;
use crate::tokens::option;
use crate::unparsed::Expr;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use std::collections::BTreeMap;
use syn::parse::ParseStream;
use syn::{Error, Lit, Result};

const TOLERANCE: &str = "`tolerance` takes a percentage above 0 and at most 900, for example \
                         tolerance = \"5%\", or a constant share or ratio such as 0.05 or 1.05";
const MOST: &str = "`max_measurements` takes a whole number from 3 to 10000";

/// A key that takes one of a few words.
struct ChoiceKey {
    key: &'static str,
    /// The type of the harness.
    kind: &'static str,
    /// Its variants, each with the author's word.
    variants: &'static [(&'static str, &'static str)],
}

/// What a test does after a verdict, or without one.
const OUTCOMES: [ChoiceKey; 4] = [
    ChoiceKey { key: "on_red", kind: "OnRed", variants: &[("fail", "Fail"), ("report", "Report")] },
    ChoiceKey {
        key: "on_improved",
        kind: "OnImproved",
        variants: &[("pass", "Pass"), ("fail", "Fail")],
    },
    ChoiceKey {
        key: "on_unclear",
        kind: "OnUnclear",
        variants: &[("pass", "Pass"), ("fail", "Fail")],
    },
    ChoiceKey {
        key: "on_unjudged",
        kind: "OnUnjudged",
        variants: &[("pass", "Pass"), ("fail", "Fail"), ("fail-in-ci", "FailInCi")],
    },
];

/// Those of `expert(..)`.
const EXPERT: [ChoiceKey; 2] = [
    ChoiceKey {
        key: "on_debug",
        kind: "OnDebug",
        variants: &[("smoke", "Smoke"), ("measure", "Measure"), ("fail", "Fail")],
    },
    ChoiceKey {
        key: "learn",
        kind: "Learn",
        variants: &[("at-once", "AtOnce"), ("one-per-run", "OnePerRun")],
    },
];

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
    pub(crate) max_measurements: Option<u32>,
    /// The variants of the keys that take a word.
    words: BTreeMap<&'static str, Ident>,
}

/// A value that was either read and checked here or is left to the compiler.
enum WorkAmount<T> {
    Literal(T),
    Constant(Expr),
}

/// A tolerance.
pub(crate) struct Share(WorkAmount<f64>);

impl Share {
    /// What stands behind `key`; `takes` describes what the key takes.
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
    /// Parses the value of a key; `known` names those that exist.
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
            "tolerance" => self.tolerance = Some(Share::parse(key, input, TOLERANCE)?),
            "budget" => self.budget_ns = Some(time(key, input, "500ms")?),
            "limit" => self.limit_ns = Some(time(key, input, "50ms")?),
            _ => self.parse_choice(key, input, &OUTCOMES, known)?,
        }
        Ok(())
    }

    /// The same of a key in `expert(..)`.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn parse_expert_key(
        &mut self,
        key: &Ident,
        input: ParseStream,
        known: &[&str],
    ) -> Result<()> {
        match key.to_string().as_str() {
            "timeout" => self.timeout_ns = Some(time(key, input, "90s")?),
            "max_measurements" => self.max_measurements = Some(most(key, input)?),
            _ => self.parse_choice(key, input, &EXPERT, known)?,
        }
        Ok(())
    }

    fn parse_choice(
        &mut self,
        key: &Ident,
        input: ParseStream,
        choices: &'static [ChoiceKey],
        known: &[&str],
    ) -> Result<()> {
        let choice = choices.iter().find(|choice| key == choice.key);
        let choice = choice.ok_or_else(|| unknown(key, known))?;
        self.words.insert(choice.key, choice.parse(key, input)?);
        Ok(())
    }

    /// Whether this key, which takes a word, is given.
    pub(crate) fn has_word(&self, key: &str) -> bool {
        self.words.contains_key(key)
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
        let times =
            [("budget", &self.budget_ns), ("timeout", &self.timeout_ns), ("limit", &self.limit_ns)];
        let times = times.map(|(key, time)| {
            let time = option(time.as_ref().map(|time| duration(time, key, private)));
            let key = Ident::new(key, site);
            quote_spanned!(site=> #key: #time)
        });
        let most = option(self.max_measurements.map(ToTokens::into_token_stream));
        let words = OUTCOMES.iter().chain(&EXPERT).map(|choice| {
            let variant = self.words.get(choice.key);
            let (key, kind) = (Ident::new(choice.key, site), Ident::new(choice.kind, site));
            let value = option(variant.map(|it| quote_spanned!(site=> #private::#kind::#it)));
            quote_spanned!(site=> #key: #value)
        });
        quote_spanned! {site=>
            #private::Layer {
                tolerance: #tolerance,
                max_measurements: #most,
                #(#times,)*
                #(#words,)*
            }
        }
    }
}

impl ChoiceKey {
    /// The variant that the author's word names.
    fn parse(&self, key: &Ident, input: ParseStream) -> Result<Ident> {
        let words: Vec<String> =
            self.variants.iter().map(|(word, _)| format!("{word:?}")).collect();
        let (last, first) = words.split_last().map_or(("", &[][..]), |(last, it)| (last, it));
        let takes = format!("`{key}` takes {} or {last}", first.join(", "));
        let variant = quantity(key, input, &takes, |literal| match literal {
            Lit::Str(word) => self.variants.iter().find(|(name, _)| *name == word.value()),
            _ => None,
        })?;
        match variant {
            WorkAmount::Literal((_, variant)) => Ok(Ident::new(variant, Span::mixed_site())),
            WorkAmount::Constant(expr) => Err(Error::new_spanned(expr, takes)),
        }
    }
}

/// `example` is a value of this key.
fn time(key: &Ident, input: ParseStream, example: &str) -> Result<WorkAmount<u64>> {
    let takes = format!(
        "`{key}` takes a time above zero in ns, us, ms, s, m or h, for example {key} = \"{example}\", \
         or a constant `Duration`"
    );
    quantity(key, input, &takes, |literal| match literal {
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

/// Reads a literal at once and leaves any other expression to the compiler. `takes` describes what
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
