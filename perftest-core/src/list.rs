//! Lists, texts and numbers of what an iterator gives.

/// Puts the items of an iterator into a list, like `collect`. The standard library reserves the memory
/// first, which is several times more code for each iterator, and users wait for the compiler. The same
/// holds for its other functions that have their like here. None is inlined: an optimised build would copy it into
/// each codegen unit.
pub trait IntoList: Iterator + Sized {
    /// Returns all items in their order.
    ///
    /// ```
    /// use perftest_core::list::IntoList;
    /// assert_eq!((1..4).map(|it| 2 * it).into_list(), [2, 4, 6]);
    /// ```
    #[inline(never)]
    fn into_list(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        for item in self {
            list.push(item);
        }
        list
    }

    /// Returns all values in their order, like `collect`; `None` where one is missing.
    ///
    /// ```
    /// use perftest_core::list::IntoList;
    /// assert_eq!([Some(1), Some(2)].into_iter().into_list_of_some(), Some(vec![1, 2]));
    /// assert_eq!([Some(1), None].into_iter().into_list_of_some(), None);
    /// ```
    #[inline(never)]
    fn into_list_of_some<T>(self) -> Option<Vec<T>>
    where
        Self: Iterator<Item = Option<T>>,
    {
        let mut list = Vec::new();
        for item in self {
            list.push(item?);
        }
        Some(list)
    }

    /// Returns all values in their order, like `collect`.
    ///
    /// # Errors
    /// The first error.
    #[inline(never)]
    fn into_list_of_ok<T, E>(self) -> Result<Vec<T>, E>
    where
        Self: Iterator<Item = Result<T, E>>,
    {
        let mut list = Vec::new();
        for item in self {
            list.push(item?);
        }
        Ok(list)
    }

    /// Returns all texts as one, with a separator between them.
    ///
    /// ```
    /// use perftest_core::list::IntoList;
    /// assert_eq!(["a", "", "b"].iter().joined(", "), "a, , b");
    /// ```
    #[inline(never)]
    fn joined(self, separator: &str) -> String
    where
        Self::Item: AsRef<str>,
    {
        let mut text = String::new();
        let mut before = "";
        for part in self {
            text.push_str(before);
            text.push_str(part.as_ref());
            before = separator;
        }
        text
    }

    /// Returns the number of items that are as asked for.
    ///
    /// ```
    /// use perftest_core::list::IntoList;
    /// assert_eq!([1, 5, 7].iter().count_where(|it| **it > 3), 2);
    /// ```
    #[inline(never)]
    fn count_where(self, mut is: impl FnMut(&Self::Item) -> bool) -> usize {
        let mut count = 0;
        for item in self {
            count += usize::from(is(&item));
        }
        count
    }
}

impl<I: Iterator> IntoList for I {}
