//! Questions of models about the values that events hold.

use super::World;
use crate::model::ValueTest;
use crate::program::{LocId, Managed, Oa, Program, Pte, Value};

impl World {
    /// Are two events with these values as asked? `None`: more must be known.
    pub fn test_values(
        &self,
        test: ValueTest,
        program: &Program,
        (a, first): (usize, Option<Value>),
        (b, second): (usize, Option<Value>),
    ) -> Option<bool> {
        // An event without a single value is like no other.
        let has_one =
            |event: usize| self.events[event].value.is_some() && self.events[event].written.is_none();
        match test {
            ValueTest::Different if !has_one(a) || !has_one(b) => Some(true),
            ValueTest::Different => Some(first? != second?),
            _ if !has_one(a) => Some(false),
            ValueTest::SameOutput if !has_one(b) => Some(false),
            ValueTest::SameOutput => match (first?, second?) {
                (Value::Pte(a), Value::Pte(b)) => Some(a.oa == b.oa),
                _ => Some(false),
            },
            ValueTest::OneWritable => {
                let managed = program.machine.tables.unwrap_or_default();
                let one = |value: Option<Value>| value.map(|value| is_writable(value, managed));
                match (one(first), one(second)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            ValueTest::LeadsTo => {
                let cell = self.cell(&self.events[b]).map(|LocId(loc)| &program.locations[usize::from(loc)]);
                match first? {
                    Value::Pte(pte) => Some(cell.is_some_and(|cell| pte.oa == Oa::Phys(cell.sym))),
                    _ => Some(false),
                }
            }
            ValueTest::Entry(sort) => match first? {
                Value::Pte(pte) => Some(is_entry(&pte, sort)),
                _ => Some(false),
            },
        }
    }

    /// Are two events as asked, whatever values they have of those that are possible? `None`: that depends.
    pub fn test_possible(&self, test: ValueTest, program: &Program, a: usize, b: usize) -> Option<bool> {
        const UNKNOWN: &[Option<Value>] = &[None];
        let of = |event: usize| match self.possible.get(event) {
            Some(values) if !values.is_empty() => &values[..],
            _ => UNKNOWN,
        };
        let mut answer = None;
        for first in of(a) {
            let others = if a == b { std::slice::from_ref(first) } else { of(b) };
            for second in others {
                let here = self.test_values(test, program, (a, *first), (b, *second))?;
                if answer.is_some_and(|answer| answer != here) {
                    return None;
                }
                answer = Some(here);
            }
        }
        answer
    }
}

fn is_writable(value: Value, managed: Managed) -> bool {
    let Value::Pte(pte) = value else { return false };
    (pte.af || managed != Managed::Software) && (pte.db || pte.dbm && managed == Managed::Dirty)
}

fn is_entry(pte: &Pte, sort: &str) -> bool {
    match sort {
        "" => true,
        "valid" => pte.valid,
        "invalid" => !pte.valid,
        "af:0" => !pte.af,
        "db:0" => !pte.db,
        word => pte.attrs.has(word),
    }
}
