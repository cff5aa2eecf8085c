//! Lists of what an iterator gives.

/// Puts the items of an iterator into a list, like `collect`. The standard library reserves the memory
/// first, which is several times more code for each iterator, and users wait for the compiler.
pub trait IntoList: Iterator + Sized {
    /// Returns all items in their order.
    ///
    /// ```
    /// use perftest_core::list::IntoList;
    /// assert_eq!((1..4).map(|it| 2 * it).into_list(), [2, 4, 6]);
    /// ```
    fn into_list(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        for item in self {
            list.push(item);
        }
        list
    }
}

impl<I: Iterator> IntoList for I {}
