//! One reading of the machine's state under one key.

use super::fields::FromJson;
use super::line::ToJson;
use super::{Fields, JsonLine, LineError};
use crate::lens::Lens;
use perftest_core::model::{CoreKind, MachineState, Reading};

type ReadingLens<T> = Lens<MachineState, Reading<T>>;

/// The place of a reading in the machine's state and its written form, whatever its type.
pub(super) trait ReadingField: Sync {
    /// Writes the reading, unless it is absent.
    fn put(&self, line: &mut JsonLine, key: &'static str, state: &MachineState);

    /// Writes the reading after the run if it differs from the one before: `null` if it is absent.
    fn put_change(
        &self,
        line: &mut JsonLine,
        key: &'static str,
        before: &MachineState,
        after: &MachineState,
    );

    /// Sets the reading to the value of the key.
    fn take(
        &self,
        fields: &Fields<'_>,
        key: &str,
        state: &mut MachineState,
    ) -> Result<(), LineError>;

    /// Sets the reading after the run to the value of the key, or without the key to the one
    /// before.
    fn take_change(
        &self,
        fields: &Fields<'_>,
        key: &str,
        before: &MachineState,
        after: &mut MachineState,
    ) -> Result<(), LineError>;
}

/// A whole number.
pub(super) const fn whole(at: ReadingLens<u64>) -> impl ReadingField {
    WrittenReading { at, write: |value| *value, read: Some }
}

/// Thousandths, written as a decimal number.
pub(super) const fn thousandths(at: ReadingLens<u64>) -> impl ReadingField {
    let read = |value: f64| Some((value * 1000.0).round() as u64);
    WrittenReading { at, write: |milli| *milli as f64 / 1000.0, read }
}

/// Thousandths that may be below zero, written as a decimal number.
pub(super) const fn signed_thousandths(at: ReadingLens<i64>) -> impl ReadingField {
    let read = |value: f64| Some((value * 1000.0).round() as i64);
    WrittenReading { at, write: |milli| *milli as f64 / 1000.0, read }
}

/// True or false.
pub(super) const fn yes_or_no(at: ReadingLens<bool>) -> impl ReadingField {
    WrittenReading { at, write: |yes| *yes, read: Some }
}

/// A text.
pub(super) const fn text(at: ReadingLens<String>) -> impl ReadingField {
    WrittenReading { at, write: String::clone, read: Some }
}

/// A kind of core. An unknown kind counts as absent.
pub(super) const fn core_kind(at: ReadingLens<CoreKind>) -> impl ReadingField {
    let read = |name: String| CoreKind::from_name(&name);
    WrittenReading { at, write: |kind| kind.name().to_owned(), read }
}

/// A reading of type `T`, written as type `J`.
struct WrittenReading<T, J> {
    at: ReadingLens<T>,
    write: fn(&T) -> J,
    read: fn(J) -> Option<T>,
}

impl<T: Clone + PartialEq, J: ToJson + FromJson> ReadingField for WrittenReading<T, J> {
    fn put(&self, line: &mut JsonLine, key: &'static str, state: &MachineState) {
        line.put_known(key, (self.at.of)(state).value().map(self.write));
    }

    fn put_change(
        &self,
        line: &mut JsonLine,
        key: &'static str,
        before: &MachineState,
        after: &MachineState,
    ) {
        let (before, after) = ((self.at.of)(before).value(), (self.at.of)(after).value());
        if after != before {
            line.put(key, after.map(self.write));
        }
    }

    fn take(
        &self,
        fields: &Fields<'_>,
        key: &str,
        state: &mut MachineState,
    ) -> Result<(), LineError> {
        let value = fields.get::<J>(key)?.and_then(self.read);
        *(self.at.of_mut)(state) = recorded(value);
        Ok(())
    }

    fn take_change(
        &self,
        fields: &Fields<'_>,
        key: &str,
        before: &MachineState,
        after: &mut MachineState,
    ) -> Result<(), LineError> {
        if fields.has(key) {
            return self.take(fields, key, after);
        }
        *(self.at.of_mut)(after) = (self.at.of)(before).clone();
        Ok(())
    }
}

/// Converts a recorded value to a reading. The reason of an absent one is not recorded.
pub(super) fn recorded<T>(value: Option<T>) -> Reading<T> {
    value.map_or_else(|| Reading::absent("not recorded"), Reading::Value)
}
