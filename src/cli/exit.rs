//! Exit codes: stable, documented in `--help` and in `docs/exit-codes.md`.

use crate::diag::Class;
use crate::limits::Stopped;
use crate::report::Summary;
use crate::session::Report;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// 0: everything ran (or, for `diff`, everything is equal).
    Success,
    /// 1: an expectation failed (or there are differences).
    Failed,
    /// 2: bad input.
    BadInput,
    /// 3: something is not supported.
    Unsupported,
    /// 4: a limit was hit.
    Limit,
    /// 5: something was observed that is forbidden (`diff --soundness`).
    Unsound,
    /// 130: interrupted.
    Interrupted,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Failed => 1,
            Exit::BadInput => 2,
            Exit::Unsupported => 3,
            Exit::Limit => 4,
            Exit::Unsound => 5,
            Exit::Interrupted => 130,
        }
    }

    /// Of a test that has no answer: what its error says.
    pub fn of_report(report: &Report) -> Exit {
        report.error().map_or(Exit::Limit, |error| Exit::of_class(error.class))
    }

    /// Of what is wrong.
    pub fn of_class(class: Class) -> Exit {
        match class {
            Class::Unsupported => Exit::Unsupported,
            Class::BadInput => Exit::BadInput,
            Class::Limit(why) => Exit::stopped(why),
        }
    }

    /// Of work that was stopped.
    pub fn stopped(why: Stopped) -> Exit {
        match why {
            Stopped::Interrupt => Exit::Interrupted,
            Stopped::Time | Stopped::Memory => Exit::Limit,
        }
    }

    /// Of a run: where several apply, the first of bad input, unsupported, failed expectation, limit.
    pub fn of(summary: &Summary, strict: bool) -> Exit {
        if summary.bad_input > 0 {
            Exit::BadInput
        } else if summary.unsupported > 0 {
            Exit::Unsupported
        } else if summary.failed > 0 {
            Exit::Failed
        } else if summary.limited > 0 || summary.undecided > 0 || (strict && summary.bounded > 0) {
            Exit::Limit
        } else {
            Exit::Success
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_wins() {
        let mut summary = Summary { tests: 9, limited: 1, ..Summary::default() };
        assert_eq!(Exit::of(&summary, false).code(), 4);
        summary.failed = 1;
        assert_eq!(Exit::of(&summary, false).code(), 1);
        summary.unsupported = 1;
        assert_eq!(Exit::of(&summary, false).code(), 3);
        summary.bad_input = 1;
        assert_eq!(Exit::of(&summary, false).code(), 2);
    }

    #[test]
    fn a_bounded_answer_fails_only_a_strict_run() {
        let summary = Summary { tests: 1, bounded: 1, ..Summary::default() };
        assert_eq!(Exit::of(&summary, false), Exit::Success);
        assert_eq!(Exit::of(&summary, true), Exit::Limit);
    }
}
