//! The one schema of a verdict's data: flat keys with their values. Records, events and JSON output are
//! written from these lists.
//!
//! A key with an unknown value is omitted.

mod compared;
mod evidence;

pub use compared::{fields_of_changes, fields_of_compared};
pub use evidence::fields_of_evidence;

use crate::list::IntoList;
use crate::model::{Interval, MetricChange, Note};

/// A key and what stands behind it.
pub type Field = (&'static str, FieldValue);

/// What stands behind a key.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// A number.
    Number(f64),
    /// How many.
    Count(u32),
    /// True or false.
    Flag(bool),
    /// A text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// A list of numbers of which some may not be known.
    Numbers(Vec<Option<f64>>),
    /// Notes, each with its code and its data.
    Notes(Vec<Note>),
}

/// A list under construction.
#[derive(Debug, Default)]
struct FieldList {
    fields: Vec<Field>,
}

impl FieldList {
    fn put(&mut self, key: &'static str, value: FieldValue) {
        self.fields.push((key, value));
    }

    fn number(&mut self, key: &'static str, number: impl Into<Option<f64>>) {
        if let Some(number) = number.into() {
            self.put(key, FieldValue::Number(number));
        }
    }

    fn count(&mut self, key: &'static str, count: impl Into<Option<u32>>) {
        if let Some(count) = count.into() {
            self.put(key, FieldValue::Count(count));
        }
    }

    /// A flag is left out while it is not set.
    fn flag(&mut self, key: &'static str, is_set: bool) {
        if is_set {
            self.put(key, FieldValue::Flag(true));
        }
    }

    /// An empty text is one that is not known.
    fn text(&mut self, key: &'static str, text: &str) {
        if !text.is_empty() {
            self.put(key, FieldValue::Text(text.to_owned()));
        }
    }

    /// An estimate with its bounds under keys of their own; a bound that is infinite is left out.
    fn interval(&mut self, [key, lower, upper]: [&'static str; 3], it: Option<Interval>) {
        let Some(it) = it else {
            return;
        };
        self.number(key, it.estimate);
        self.number(lower, Some(it.lower).filter(|bound| *bound != f64::NEG_INFINITY));
        self.number(upper, Some(it.upper).filter(|bound| *bound != f64::INFINITY));
    }

    /// Names of metrics, their values before and now, and the bounds of their changes.
    fn changes(&mut self, changes: &[MetricChange]) {
        if changes.is_empty() {
            return;
        }
        let mut put = |key, number: fn(&MetricChange) -> f64| {
            let numbers = changes.iter().map(|it| Some(number(it))).into_list();
            self.put(key, FieldValue::Numbers(numbers));
        };
        put("changes_before", |it| it.before);
        put("changes_now", |it| it.now);
        put("changes_by", |it| it.change.estimate);
        put("changes_by_lower", |it| it.change.lower);
        put("changes_by_upper", |it| it.change.upper);
        let names = changes.iter().map(|it| it.name.clone()).into_list();
        self.put("changes", FieldValue::Texts(names));
    }

    fn notes(&mut self, notes: &[Note]) {
        if !notes.is_empty() {
            self.put("notes", FieldValue::Notes(notes.to_vec()));
        }
    }
}
