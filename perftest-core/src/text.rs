//! Searching and dividing texts, compiled once.
//!
//! The standard library's functions are generic over the pattern: each codegen unit that calls one compiles its own
//! search, and users wait for the compiler.

/// Functions of the standard library for texts, without their code in each caller.
pub trait Text {
    /// Returns whether a part is in the text, like [`str::contains`].
    ///
    /// ```
    /// use perftest_core::text::Text;
    /// assert!("abc".has("bc") && !"abc".has("ac"));
    /// ```
    fn has(&self, part: &str) -> bool;

    /// Returns the text before the first separator and after it, like [`str::split_once`].
    ///
    /// ```
    /// use perftest_core::text::Text;
    /// assert_eq!("a=b=c".cut('='), Some(("a", "b=c")));
    /// ```
    fn cut(&self, separator: char) -> Option<(&str, &str)>;

    /// The same for a separator of several characters.
    ///
    /// ```
    /// use perftest_core::text::Text;
    /// assert_eq!("a::b::c".cut_at("::"), Some(("a", "b::c")));
    /// ```
    fn cut_at(&self, separator: &str) -> Option<(&str, &str)>;

    /// Returns the text before the last separator and after it, like [`str::rsplit_once`].
    ///
    /// ```
    /// use perftest_core::text::Text;
    /// assert_eq!("a=b=c".cut_last('='), Some(("a=b", "c")));
    /// ```
    fn cut_last(&self, separator: char) -> Option<(&str, &str)>;

    /// Returns the text with another one in each place of a part, like [`str::replace`].
    ///
    /// ```
    /// use perftest_core::text::Text;
    /// assert_eq!("a-b-c".replaced("-", "_"), "a_b_c");
    /// ```
    fn replaced(&self, part: &str, by: &str) -> String;

    /// Returns the lines, like [`str::lines`].
    ///
    /// ```
    /// use perftest_core::text::Text;
    /// assert!("a\r\n\nb\n".each_line().eq(["a", "", "b"]));
    /// ```
    fn each_line(&self) -> Lines<'_>;

    /// Returns what is between white space, like [`str::split_whitespace`].
    ///
    /// ```
    /// use perftest_core::text::Text;
    /// assert!(" a  b\n".words().eq(["a", "b"]));
    /// ```
    fn words(&self) -> Words<'_>;

    /// Returns what is between separators, like [`str::split`].
    ///
    /// ```
    /// use perftest_core::text::Text;
    /// assert!("a::b".parts("::").eq(["a", "b"]) && "".parts(",").eq([""]));
    /// ```
    fn parts<'a>(&'a self, separator: &'a str) -> Parts<'a>;
}

impl Text for str {
    #[inline(never)]
    fn has(&self, part: &str) -> bool {
        self.contains(part)
    }

    #[inline(never)]
    fn cut(&self, separator: char) -> Option<(&str, &str)> {
        self.split_once(separator)
    }

    #[inline(never)]
    fn cut_at(&self, separator: &str) -> Option<(&str, &str)> {
        self.split_once(separator)
    }

    #[inline(never)]
    fn cut_last(&self, separator: char) -> Option<(&str, &str)> {
        self.rsplit_once(separator)
    }

    #[inline(never)]
    fn replaced(&self, part: &str, by: &str) -> String {
        self.replace(part, by)
    }

    #[inline(never)]
    fn each_line(&self) -> Lines<'_> {
        Lines(self.lines())
    }

    #[inline(never)]
    fn words(&self) -> Words<'_> {
        Words(self.split_whitespace())
    }

    #[inline(never)]
    fn parts<'a>(&'a self, separator: &'a str) -> Parts<'a> {
        Parts(self.split(separator))
    }
}

/// The lines of a text.
#[derive(Debug, Clone)]
pub struct Lines<'a>(std::str::Lines<'a>);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    #[inline(never)]
    fn next(&mut self) -> Option<&'a str> {
        self.0.next()
    }
}

/// The words of a text.
#[derive(Debug, Clone)]
pub struct Words<'a>(std::str::SplitWhitespace<'a>);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    #[inline(never)]
    fn next(&mut self) -> Option<&'a str> {
        self.0.next()
    }
}

/// What is between the separators of a text.
#[derive(Debug, Clone)]
pub struct Parts<'a>(std::str::Split<'a, &'a str>);

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    #[inline(never)]
    fn next(&mut self) -> Option<&'a str> {
        self.0.next()
    }
}
