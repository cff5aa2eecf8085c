//! A part of a larger value that can be looked at and set.

/// Where a `T` stands in a `W`. Tables of written keys hold these, so that one row serves both
/// directions.
#[derive(Debug)]
pub struct Lens<W, T> {
    /// Looks at it.
    pub of: fn(&W) -> &T,
    /// Sets it.
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
