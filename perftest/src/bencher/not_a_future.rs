//! The refusal of a future that nobody awaits.

/// Any output of a routine but a future: nobody would await it, and only its creation would be
/// measured.
///
/// A future has both implementations. So the compiler cannot infer `Implementation`, and its error
/// names the type parameter that has to be inferred. Stable Rust has no bound that excludes a trait.
/// A routine that shall create a future returns it inside of something else, such as `Some(future)`.
pub trait NotAFuture<Implementation> {}

/// Selects the implementation of all types.
pub enum ForAll {}

/// Selects the second implementation of a future.
pub enum ForFutures {}

impl<T> NotAFuture<ForAll> for T {}

impl<F: Future> NotAFuture<ForFutures> for F {}
