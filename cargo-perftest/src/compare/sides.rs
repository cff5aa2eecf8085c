//! Two revisions, built at one place and measured side by side.

use super::session::Session;
use super::{
    Answer, Builder, CodeCheck, Counting, Matched, Measurer, Name, Names, Place, Repository,
    Revision, SideTests, match_up,
};
use crate::args::BuildOptions;
use crate::exit::Failure;
use perftest_core::model::BenchmarkId;
use std::time::Duration;

/// Both revisions, and where they are built.
#[derive(Debug)]
pub(crate) struct Sides {
    repository: Repository,
    place: Place,
    base: Revision,
    head: Revision,
}

impl Sides {
    /// Waits while another comparison of this checkout is running. Without a head, it is the
    /// working tree as it is then.
    pub(crate) fn new(
        repository: Repository,
        base: Revision,
        head: Option<Revision>,
    ) -> Result<Self, Failure> {
        let place = Place::of(&repository)?;
        let head = match head {
            Some(head) => head,
            None => Revision::of_working_tree(&repository, &place.index())?,
        };
        Ok(Self { repository, place, base, head })
    }

    /// The tests of both sides with one of `names` in their names, or all. `longest` is the time
    /// in which an executable has to give a sign.
    pub(crate) fn build(
        &self,
        options: &BuildOptions,
        names: &[String],
        longest: Duration,
    ) -> Result<Vec<(BenchmarkId, Matched)>, Failure> {
        let base = self.build_base(options, names, longest)?;
        let slots = ["head", "base"].map(|name| self.place.slot(name));
        let head = self.builder(options, names, longest).build(
            slots.each_ref(),
            &self.head,
            "the head",
        )?;
        Ok(match_up(base, head))
    }

    /// The tests of the base alone.
    pub(crate) fn build_base(
        &self,
        options: &BuildOptions,
        names: &[String],
        longest: Duration,
    ) -> Result<SideTests, Failure> {
        let slots = ["base", "head"].map(|name| self.place.slot(name));
        self.builder(options, names, longest).build(slots.each_ref(), &self.base, "the base")
    }

    fn builder<'a>(
        &'a self,
        options: &'a BuildOptions,
        tests: &'a [String],
        longest: Duration,
    ) -> Builder<'a> {
        Builder { repository: &self.repository, options, tests, longest }
    }

    /// The answers for these tests, the worst first.
    pub(crate) fn compare(
        &self,
        tests: Vec<(BenchmarkId, Matched)>,
        measurer: Measurer,
        counting: Counting,
    ) -> Vec<Answer> {
        let (base, head) = (self.place.slot("base"), self.place.slot("head"));
        let check = Some(CodeCheck::new(&base, &head));
        Session { check, measurer, counting }.answers(tests)
    }

    pub(crate) fn names(&self) -> Names {
        Names { base: Name::from(&self.base), head: Name::from(&self.head) }
    }
}
