//! `curve = [(2, 4.0), (30, 1.1)]`: after so many measurements a red needs at least so much.

use crate::unparsed::Expr;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Lit, Result, Token, bracketed, parenthesized, token};

/// No test is measured more often before it has a verdict.
const MOST_MEASUREMENTS: u32 = 10_000;

pub(crate) const POINTS: &str = "`curve` takes points of measurements and the ratio a red needs from there \
                      on, for example curve = [(2, 4.0), (9, 2.0), (30, 1.1)]";
const EMPTY: &str = "a curve needs a point, for example curve = [(30, 1.1)]";
const MEASUREMENTS: &str = "measurements are a whole number from 1 to 10000";
const RISING: &str = "measurements rise from point to point; this point is not after the one \
                      before";
const RATIO: &str = "the ratio a red needs is a number above 1: 1.1 is ten percent slower";
const FALLING: &str = "ratios fall from point to point: the more measurements, the less a red \
                       needs";

/// The checked points, at least one.
pub(crate) struct CurvePoints {
    points: Vec<(u32, f64)>,
    span: Span,
}

impl Parse for CurvePoints {
    fn parse(input: ParseStream) -> Result<Self> {
        let list;
        let brackets = bracketed!(list in input);
        let span = brackets.span.join();
        let points = Punctuated::<Point, Token![,]>::parse_terminated(&list)?;
        if points.is_empty() {
            return Err(Error::new(span, EMPTY));
        }
        let (mut fewest, mut below) = (0, f64::INFINITY);
        for Point { measurements, ratio } in &points {
            let (number, needed) = (measurements.value, ratio.value);
            if number <= fewest {
                return Err(Error::new(measurements.span, RISING));
            }
            if needed >= below {
                return Err(Error::new(ratio.span, FALLING));
            }
            (fewest, below) = (number, needed);
        }
        let points = points.iter().map(|point| (point.measurements.value, point.ratio.value));
        Ok(Self { points: points.collect(), span })
    }
}

impl CurvePoints {
    /// Measurements of the last point.
    pub(crate) fn reach(&self) -> u32 {
        self.points.last().map_or(0, |(measurements, _)| *measurements)
    }

    /// An error at the curve.
    pub(crate) fn refuse<T>(&self, why: &str) -> Result<T> {
        Err(Error::new(self.span, why))
    }

    /// The points as a constant, checked against the tolerance by the compiler, who alone knows it
    /// where it is a constant too.
    pub(crate) fn checked(&self, tolerance: &TokenStream, private: &TokenStream) -> TokenStream {
        let points = self.points.iter().map(
            |(measurements, ratio)| quote_spanned!(Span::mixed_site()=> (#measurements, #ratio)),
        );
        quote_spanned! {self.span.resolved_at(Span::mixed_site())=>
            #private::curve(&[#(#points),*], #tolerance)
        }
    }
}

/// `(9, 2.0)`
struct Point {
    measurements: PositionedValue<u32>,
    ratio: PositionedValue<f64>,
}

/// A value and where it stands.
struct PositionedValue<T> {
    value: T,
    span: Span,
}

impl Parse for Point {
    fn parse(input: ParseStream) -> Result<Self> {
        if !input.peek(token::Paren) {
            return Err(input.error(POINTS));
        }
        let pair;
        parenthesized!(pair in input);
        let measurements = number(&pair, MEASUREMENTS, |literal| match literal {
            Lit::Int(number) => {
                number.base10_parse().ok().filter(|it| (1..=MOST_MEASUREMENTS).contains(it))
            }
            _ => None,
        })?;
        pair.parse::<Token![,]>().map_err(|error| Error::new(error.span(), POINTS))?;
        let ratio = number(&pair, RATIO, |literal| match literal {
            Lit::Int(ratio) => ratio.base10_parse().ok().filter(is_ratio),
            Lit::Float(ratio) => ratio.base10_parse().ok().filter(is_ratio),
            _ => None,
        })?;
        pair.parse::<Option<Token![,]>>()?;
        if pair.is_empty() { Ok(Self { measurements, ratio }) } else { Err(pair.error(POINTS)) }
    }
}

fn is_ratio(ratio: &f64) -> bool {
    *ratio > 1.0 && ratio.is_finite()
}

fn number<T>(
    input: ParseStream,
    takes: &str,
    read: impl Fn(&Lit) -> Option<T>,
) -> Result<PositionedValue<T>> {
    let expr: Expr = input.parse()?;
    let refused = || Error::new_spanned(&expr, takes);
    // Parsed again because a literal from a `macro_rules!` fragment sits in an invisible group.
    let literal: Lit = syn::parse2(expr.to_token_stream()).map_err(|_| refused())?;
    let value = read(&literal).ok_or_else(refused)?;
    Ok(PositionedValue { value, span: expr.span() })
}
