//! Where in clang's pipelines does which pass run?
//!
//! A row reads: at this point, at these levels, in these phases of a link, this pass. Rows at the same point run in the order
//! of the table. Whether a module is for our target, and whether the options want a pass, is asked when it runs and when the
//! pipeline is built ([`registry`](crate::registry)).

use crate::pipeline::Phase;
use crate::registry::Pass;
use std::fmt;
use std::ops::RangeInclusive;

/// An extension point of LLVM's pipelines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Point {
    /// Before everything.
    Start = 0,
    /// Before anything is inlined.
    EarlySimplification = 1,
    /// At the start of full link-time optimisation.
    FullLinkTimeEarly = 2,
    /// On a function, after each run of InstCombine.
    Peephole = 3,
    /// Inlining is done, loops are not vectorised or unrolled yet.
    OptimizerEarly = 4,
    /// The end.
    OptimizerLast = 5,
}

/// In which phases a pass runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phases {
    Any,
    /// A module that is not linked with others.
    Alone,
    BeforeLink,
    /// Alone, or after the link.
    Final,
}

impl Phases {
    /// One bit for each phase.
    pub fn mask(self) -> u32 {
        let has = |phase: &Phase| match self {
            Phases::Any => true,
            Phases::Alone => *phase == Phase::Alone,
            Phases::BeforeLink => phase.is_before_link(),
            Phases::Final => !phase.is_before_link(),
        };
        Phase::ALL.into_iter().filter(has).map(|phase| 1 << phase as u32).sum()
    }
}

/// A row of the schedule.
#[derive(Debug)]
pub struct Step {
    pub point: Point,
    /// `-O0` to `-O3`; `-Os` and `-Oz` count as 2.
    pub levels: RangeInclusive<u32>,
    pub phases: Phases,
    pub pass: Pass,
}

const fn at(point: Point, levels: RangeInclusive<u32>, phases: Phases, pass: Pass) -> Step {
    Step { point, levels, phases, pass }
}

/// The schedule.
#[rustfmt::skip]
pub const SCHEDULE: &[Step] = &[
    // the functions in which clang registers kernels are inlined later
    at(Point::Start,               0..=3, Phases::Any,        Pass::MapHost),
    at(Point::Start,               0..=3, Phases::Any,        Pass::VersionsHost),
    at(Point::EarlySimplification, 2..=3, Phases::Alone,      Pass::InlineEarly),
    at(Point::EarlySimplification, 0..=3, Phases::Any,        Pass::Begin),
    at(Point::FullLinkTimeEarly,   0..=3, Phases::Any,        Pass::Begin),
    // before loops are unrolled and SimplifyCFG splits up the sides, so that all later passes see the melded code
    at(Point::Peephole,            0..=3, Phases::Any,        Pass::FuseFunction),
    // LLVM has inlined what it wants to
    at(Point::OptimizerEarly,      2..=3, Phases::Final,      Pass::Inline),
    at(Point::OptimizerEarly,      2..=3, Phases::Final,      Pass::FreeArrays),
    at(Point::OptimizerEarly,      2..=3, Phases::Final,      Pass::Idioms),
    at(Point::OptimizerEarly,      2..=3, Phases::Final,      Pass::UnrollWhole),
    at(Point::OptimizerEarly,      1..=3, Phases::Any,        Pass::FuseModule),
    at(Point::OptimizerLast,       0..=0, Phases::Any,        Pass::Unoptimised),
    at(Point::OptimizerLast,       1..=3, Phases::Any,        Pass::Remarks),
    // before the link the module is not final: inlining and the bodies of callers are still to come
    at(Point::OptimizerLast,       1..=3, Phases::Final,      Pass::Default),
    at(Point::OptimizerLast,       0..=0, Phases::Any,        Pass::Map),
    at(Point::OptimizerLast,       1..=3, Phases::BeforeLink, Pass::Map),
];

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (self.levels.start(), self.levels.end());
        let levels = if least == most { format!("-O{least}") } else { format!("-O{least} to -O{most}") };
        let phases = match self.phases {
            Phases::Any => "any",
            Phases::Alone => "no link",
            Phases::BeforeLink => "before a link",
            Phases::Final => "no link, or after it",
        };
        write!(f, "| {:?} | {levels} | {phases} | `{}` |", self.point, self.pass.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_the_schedule() {
        let text = include_str!("../docs/ARCHITECTURE.md");
        let table: Vec<String> = SCHEDULE.iter().map(Step::to_string).collect();
        assert!(text.contains(&table.join("\n")), "docs/ARCHITECTURE.md should have:\n{}", table.join("\n"));
    }

    #[test]
    fn phases_are_bits() {
        assert_eq!(Phases::Any.mask(), 0b11111);
        assert_eq!(Phases::Alone.mask(), 0b00001);
        assert_eq!(Phases::BeforeLink.mask(), 0b01010);
        assert_eq!(Phases::Final.mask(), 0b10101);
        assert_eq!(Phase::of_number(3), Phase::BeforeFullLink);
    }
}
