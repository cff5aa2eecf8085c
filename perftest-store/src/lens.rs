//! A part of a larger value that can be looked at and set.

/// Where a `T` stands in a `W`. Tables of written keys hold these, so that one row serves both
/// directions.
#[derive(Debug)]
pub(crate) struct Lens<W, T> {
    pub(crate) of: fn(&W) -> &T,
    pub(crate) of_mut: fn(&mut W) -> &mut T,
}

/// The lens to a field: `lens!(throttling.package_ms)`.
macro_rules! lens {
    ($($field:ident).+) => {
        $crate::lens::Lens { of: |whole| &whole.$($field).+, of_mut: |whole| &mut whole.$($field).+ }
    };
}

pub(crate) use lens;
