//! Access to a part of a larger value.

/// The place of a `T` in a `W`. Tables of written keys contain lenses, so that one row serves
/// reading and writing.
#[derive(Debug)]
pub struct Lens<W, T> {
    /// Returns the part.
    pub of: fn(&W) -> &T,
    /// Returns the part, to be changed.
    pub of_mut: fn(&mut W) -> &mut T,
}

/// The lens to a field: `lens!(throttling.package_ms)`.
#[doc(hidden)]
#[macro_export]
macro_rules! lens {
    ($($field:ident).+) => {
        $crate::lens::Lens { of: |whole| &whole.$($field).+, of_mut: |whole| &mut whole.$($field).+ }
    };
}

pub use lens;
