//! Resolves the final part: condition, filter, and what a state line shows in which order.

use crate::condition::{Atom, Condition, Observable, Prop, type_of};
use crate::diag::Diagnostic;
use crate::program::{FaultPattern, Space, Sym, Type, Value};
use crate::source::Span;

use super::ast::{self, Fault, Item, Loc, Side, Test};
use super::lower_c::local_of;
use super::names::{Names, Place};
use super::template::{Piece, Template};
use super::{Shown, ShownKind};

/// The final part, resolved.
pub struct Observed {
    /// The condition.
    pub condition: Condition,
    /// The condition's text.
    pub text: Template,
    /// The filter.
    pub filter: Option<Prop>,
    /// The cells and registers of state lines.
    pub shown: Vec<Observable>,
    /// How state lines show them.
    pub display: Vec<Shown>,
    /// Everything observed at all.
    pub all: Vec<Observable>,
}

/// Resolves the final part of a test.
pub fn observe(test: &Test, names: &mut Names, diags: &mut Vec<Diagnostic>) -> Observed {
    let mut observer = Observer { names, diags, places: Vec::new(), faults: Vec::new(), known_only: true };
    let mut text = Template::default();
    let prop = observer.prop(&test.fin.prop, Context::Top, &mut text);
    observer.known_only = false;
    for item in &test.fin.locations {
        match item {
            Item::Loc(loc, span) => {
                observer.place(loc, *span);
            }
            Item::Fault(fault, _) => observer.fault(fault),
        }
    }
    let places = std::mem::take(&mut observer.places);
    let filter = test.fin.filter.as_ref().map(|p| observer.prop(p, Context::Top, &mut Template::default()));
    let filter_places = std::mem::take(&mut observer.places);
    let met = std::mem::take(&mut observer.faults);
    let mut faults = met.clone();
    faults.sort();
    faults.reverse();
    observer.names.program.faults.patterns = faults.iter().map(pattern).collect();
    let (mut shown, display) = display(observer.names, &places);
    if !faults.is_empty() {
        shown.push(Observable::Faults);
    }
    if observer.names.program.machine.signs {
        shown.push(Observable::Assumed);
    }
    let sorted: Vec<usize> =
        met.iter().map(|fault| faults.iter().position(|f| f == fault).unwrap_or_default()).collect();
    let (prop, filter) = match sorted.is_empty() {
        true => (prop, filter),
        false => (renumbered(prop, &sorted), filter.map(|filter| renumbered(filter, &sorted))),
    };
    let mut all = shown.clone();
    for place in &filter_places {
        let cells = match place {
            Place::One(observable) => std::slice::from_ref(observable),
            Place::Array(_, cells) => cells,
        };
        all.extend(cells.iter().filter(|cell| !shown.contains(cell)));
    }
    all.sort();
    all.dedup();
    Observed {
        text: text.quantified(test.fin.quantifier),
        condition: Condition { quantifier: test.fin.quantifier, prop },
        filter,
        shown,
        display,
        all,
    }
}

/// The atom of a fault, by its number.
fn fault_atom(number: usize) -> Prop {
    let left = Observable::Fault(number as u16);
    Prop::Atom(Atom::Equals { left, ty: Type { bytes: 16, signed: true }, value: Value::ONE })
}

/// A proposition with the new numbers of its faults.
fn renumbered(prop: Prop, new: &[usize]) -> Prop {
    let all = |parts: Vec<Prop>| parts.into_iter().map(|part| renumbered(part, new)).collect();
    match prop {
        Prop::Atom(Atom::Equals { left: Observable::Fault(number), .. }) => {
            fault_atom(new[usize::from(number)])
        }
        Prop::Not(inner) => Prop::Not(Box::new(renumbered(*inner, new))),
        Prop::And(parts) => Prop::And(all(parts)),
        Prop::Or(parts) => Prop::Or(all(parts)),
        Prop::Implies(a, b) => Prop::Implies(Box::new(renumbered(*a, new)), Box::new(renumbered(*b, new))),
        other => other,
    }
}

fn pattern(fault: &Fault) -> FaultPattern {
    FaultPattern {
        thread: fault.thread,
        label: fault.label.clone(),
        symbol: fault.loc.clone(),
        kind: fault.kind.clone(),
        text: fault.to_string(),
    }
}

struct Observer<'a, 'b> {
    names: &'a mut Names<'b>,
    diags: &'a mut Vec<Diagnostic>,
    places: Vec<Place>,
    faults: Vec<Fault>,
    known_only: bool,
}

/// What a proposition stands under, to know where parentheses go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Top,
    And,
    Or,
    Implies,
}

impl Observer<'_, '_> {
    fn fault(&mut self, fault: &Fault) {
        if !self.faults.contains(fault) {
            self.faults.push(fault.clone());
        }
    }

    fn place(&mut self, loc: &Loc, span: Span) -> Option<Place> {
        match self.names.place(loc, span, self.known_only) {
            Ok(place) => {
                if !self.places.contains(&place) {
                    self.places.push(place.clone());
                }
                Some(place)
            }
            Err(error) => {
                self.diags.push(error);
                None
            }
        }
    }

    /// A proposition; also writes its text.
    fn prop(&mut self, prop: &ast::Prop, context: Context, text: &mut Template) -> Prop {
        match prop {
            ast::Prop::True => {
                text.push("true");
                Prop::True
            }
            ast::Prop::False => {
                text.push("false");
                Prop::False
            }
            ast::Prop::Atom(atom) => self.atom(atom, text),
            ast::Prop::Fault(fault, _) => {
                text.push(&format!("fault({fault})"));
                self.fault(fault);
                // Its number among those met so far; in the end they are sorted.
                let number = self.faults.iter().position(|known| known == fault).unwrap_or_default();
                fault_atom(number)
            }
            ast::Prop::Not(inner) => {
                text.push("not (");
                let inner = self.prop(inner, Context::Top, text);
                text.push(")");
                Prop::Not(Box::new(inner))
            }
            ast::Prop::And(parts) => {
                let parens = context == Context::Implies;
                Prop::And(self.parts(parts, Context::And, parens, " /\\ ", text))
            }
            ast::Prop::Or(parts) => {
                let parens = matches!(context, Context::Implies | Context::And);
                Prop::Or(self.parts(parts, Context::Or, parens, " \\/ ", text))
            }
            ast::Prop::Implies(left, right) => {
                let parens = matches!(context, Context::And | Context::Or);
                text.push(if parens { "(" } else { "" });
                let left = self.prop(left, Context::Implies, text);
                text.push(" => ");
                let right = self.prop(right, Context::Implies, text);
                text.push(if parens { ")" } else { "" });
                Prop::Implies(Box::new(left), Box::new(right))
            }
        }
    }

    fn parts(
        &mut self,
        parts: &[ast::Prop],
        context: Context,
        parens: bool,
        operator: &str,
        text: &mut Template,
    ) -> Vec<Prop> {
        text.push(if parens { "(" } else { "" });
        let mut result = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            text.push(if index > 0 { operator } else { "" });
            result.push(self.prop(part, context, text));
        }
        text.push(if parens { ")" } else { "" });
        result
    }

    fn atom(&mut self, atom: &ast::Atom, text: &mut Template) -> Prop {
        let Some(left) = self.place(&atom.left, atom.left_span) else { return Prop::False };
        self.name_of(&left, text);
        text.push("=");
        match (&atom.right, left) {
            (Side::Const(value), Place::One(left)) => {
                let entry_of = match left {
                    Observable::Loc(loc) => {
                        let cell = &self.names.program.locations[loc.0 as usize];
                        (cell.space == Space::Pte).then_some(cell.sym)
                    }
                    _ => None,
                };
                let Some(value) = self.value(value, entry_of, atom.right_span) else { return Prop::False };
                text.pieces.push(Piece::Value(value));
                Prop::Atom(Atom::Equals { left, ty: type_of(self.names.program, left), value })
            }
            (Side::Loc(right), Place::One(left)) => match self.place(right, atom.right_span) {
                Some(Place::One(right)) => {
                    self.name_of(&Place::One(right), text);
                    Prop::Atom(Atom::Same { left, ty: type_of(self.names.program, left), right })
                }
                Some(Place::Array(..)) => {
                    self.refuse("an array cannot be compared with a scalar", atom.right_span)
                }
                None => Prop::False,
            },
            (Side::Array(values), Place::Array(_, cells)) if values.len() == cells.len() => {
                text.push("{");
                let mut atoms = Vec::new();
                for (index, (value, cell)) in values.iter().zip(cells).enumerate() {
                    text.push(if index > 0 { "," } else { "" });
                    let Some(value) = self.value(value, None, atom.right_span) else { return Prop::False };
                    text.pieces.push(Piece::Value(value));
                    atoms.push(Prop::Atom(Atom::Equals {
                        left: cell,
                        ty: type_of(self.names.program, cell),
                        value,
                    }));
                }
                text.push("}");
                Prop::And(atoms)
            }
            (Side::Array(_), Place::Array(_, cells)) => {
                let message = format!("the array has {} elements", cells.len());
                self.refuse(&message, atom.left_span.to(atom.right_span))
            }
            (Side::Array(_), Place::One(_)) => {
                self.refuse("only an array has several values", atom.left_span)
            }
            (_, Place::Array(..)) => {
                self.refuse("an array is compared with all its values, as in `v={1,2}`", atom.left_span)
            }
        }
    }

    fn refuse(&mut self, message: &str, span: Span) -> Prop {
        self.diags.push(Diagnostic::error("litmus::bad-atom", message).at(span, "in this comparison"));
        Prop::False
    }

    /// A value; a name that the test does not have is refused in a condition. `own`: the symbol whose page table entry it is compared with.
    fn value(&mut self, value: &ast::Const, own: Option<Sym>, span: Span) -> Option<Value> {
        let checked = match value {
            ast::Const::Global(name) | ast::Const::Element(name, _) => {
                self.names.known_symbol(name, span, self.known_only).map(|_| ())
            }
            _ => Ok(()),
        };
        match checked.and_then(|()| self.names.value_for(value, own, span)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.diags.push(error);
                None
            }
        }
    }

    fn name_of(&self, place: &Place, text: &mut Template) {
        match place {
            Place::One(Observable::Reg(thread, reg)) => {
                text.push_register(*thread, self.names.program.regs.name(*reg));
            }
            Place::One(Observable::Loc(loc)) => {
                let location = &self.names.program.locations[loc.0 as usize];
                if self.names.array_len(location.sym).is_some() && location.space == Space::Data
                    || local_of(&location.name).is_some()
                {
                    text.push(&location.name);
                } else {
                    text.pieces.push(Piece::Global(location.name.clone()));
                }
            }
            Place::One(Observable::Fault(_) | Observable::Faults | Observable::Assumed) => {}
            Place::Array(sym, _) => text.push(&self.names.program.symbols[sym.0 as usize]),
        }
    }
}

/// The sort key of state lines: registers, then globals and whole arrays by name, then array cells.
type Key<'a> = (u8, u16, u32, &'a str, Sym, i64);

/// What state lines show, in their order: the values one by one, and how they are grouped.
fn display(names: &Names, places: &[Place]) -> (Vec<Observable>, Vec<Shown>) {
    let program = &*names.program;
    let order = |place: &Place| -> Key {
        match place {
            Place::One(Observable::Reg(thread, reg)) => {
                let name = program.regs.name(*reg);
                (0, *thread, names.isa.map_or(0, |isa| isa.register_order(name)), name, Sym(0), 0)
            }
            Place::One(Observable::Loc(loc)) => {
                let l = &program.locations[loc.0 as usize];
                let class = match l.space {
                    Space::Data if names.array_len(l.sym).is_some() => 4,
                    Space::Data => 1,
                    Space::Tag => 2,
                    Space::Pte | Space::Table => 3,
                };
                (class, 0, 0, &program.symbols[l.sym.0 as usize], l.sym, l.offset)
            }
            Place::One(Observable::Fault(_) | Observable::Faults | Observable::Assumed) => {
                (5, 0, 0, "", Sym(0), 0)
            }
            Place::Array(sym, _) => (1, 0, 0, &program.symbols[sym.0 as usize], *sym, 0),
        }
    };
    let mut places: Vec<&Place> = places.iter().collect();
    places.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut shown = Vec::new();
    let mut display = Vec::new();
    for place in places {
        let first = shown.len();
        let kind = match place {
            Place::One(observable) => {
                shown.push(*observable);
                match observable {
                    Observable::Reg(thread, reg) => {
                        ShownKind::Register { thread: *thread, name: program.regs.name(*reg).to_string() }
                    }
                    Observable::Loc(loc) => {
                        let l = &program.locations[loc.0 as usize];
                        let array = names.array_len(l.sym).filter(|_| l.space == Space::Data);
                        match (array, local_of(&l.name)) {
                            (None, Some((thread, name))) => {
                                ShownKind::Register { thread, name: name.to_string() }
                            }
                            (Some(_), _) => ShownKind::Element(l.name.clone()),
                            (None, None) => ShownKind::Global(l.name.clone()),
                        }
                    }
                    // Faults stand behind the bindings.
                    Observable::Fault(_) | Observable::Faults | Observable::Assumed => continue,
                }
            }
            Place::Array(sym, cells) => {
                shown.extend(cells);
                ShownKind::Array { name: program.symbols[sym.0 as usize].clone(), len: cells.len() }
            }
        };
        display.push(Shown { kind, first });
    }
    (shown, display)
}
