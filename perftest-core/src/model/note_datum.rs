//! The data of a note in a record.

/// One datum of a note in a record.
#[derive(Debug, Clone, PartialEq)]
pub enum NoteDatum {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// A list of texts.
    Texts(Vec<String>),
}

/// A field of a note.
pub(super) trait NoteField: Sized {
    /// Appends its data.
    fn put(&self, data: &mut Vec<NoteDatum>);

    /// Takes it from the data that are left; `None` where they are not its own.
    fn take(data: &mut impl Iterator<Item = NoteDatum>) -> Option<Self>;
}

impl NoteField for f64 {
    fn put(&self, data: &mut Vec<NoteDatum>) {
        data.push(NoteDatum::Number(*self));
    }

    fn take(data: &mut impl Iterator<Item = NoteDatum>) -> Option<Self> {
        match data.next()? {
            NoteDatum::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl NoteField for u32 {
    fn put(&self, data: &mut Vec<NoteDatum>) {
        f64::from(*self).put(data);
    }

    fn take(data: &mut impl Iterator<Item = NoteDatum>) -> Option<Self> {
        f64::take(data).map(|number| number as Self)
    }
}

impl NoteField for String {
    fn put(&self, data: &mut Vec<NoteDatum>) {
        data.push(NoteDatum::Text(self.clone()));
    }

    fn take(data: &mut impl Iterator<Item = NoteDatum>) -> Option<Self> {
        match data.next()? {
            NoteDatum::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl NoteField for Vec<f64> {
    fn put(&self, data: &mut Vec<NoteDatum>) {
        data.push(NoteDatum::Numbers(self.clone()));
    }

    fn take(data: &mut impl Iterator<Item = NoteDatum>) -> Option<Self> {
        match data.next()? {
            NoteDatum::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }
}
