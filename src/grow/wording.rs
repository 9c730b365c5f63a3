//! What the parts of a compiled model are, in the words of `cat`: for those who are told what a model makes of program order.

use super::code::{Base, Code, Kind, Link};

/// How tightly an expression holds together; what is looser than what it stands in gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hold {
    Union,
    Seq,
    Diff,
    Inter,
    Tight,
}

impl Code {
    /// Relations, as one union.
    pub fn worded(&self, slots: &[usize]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for slot in slots.iter().flat_map(|slot| self.flattened(*slot)) {
            let part = self.word(slot, Hold::Seq);
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(" | ")
    }

    fn word(&self, slot: usize, within: Hold) -> String {
        let (hold, text) = self.held(slot);
        if hold < within { format!("({text})") } else { text }
    }

    fn held(&self, slot: usize) -> (Hold, String) {
        let tight = |slot: usize| self.word(slot, Hold::Tight);
        let tightly = |text: String| (Hold::Tight, text);
        match &self.slots[slot].kind {
            Kind::Member(bit) => tightly(self.sets[usize::from(*bit)].to_string()),
            Kind::Base(base) => tightly(name(*base).to_string()),
            Kind::Empty => tightly("0".to_string()),
            Kind::All => tightly("_".to_string()),
            Kind::Id => tightly("id".to_string()),
            Kind::Union(list) => {
                let parts: Vec<String> = list.iter().map(|slot| self.word(*slot, Hold::Seq)).collect();
                (Hold::Union, parts.join(" | "))
            }
            Kind::Inter(a, b) => {
                (Hold::Inter, format!("{} & {}", self.word(*a, Hold::Inter), self.word(*b, Hold::Inter)))
            }
            Kind::Diff(a, b) => {
                (Hold::Diff, format!("{} \\ {}", self.word(*a, Hold::Inter), self.word(*b, Hold::Inter)))
            }
            Kind::Compl(a) => tightly(format!("~{}", tight(*a))),
            Kind::Seq(links) => {
                let link = |link: &Link| match link {
                    Link::Filter(set) => format!("[{}]", self.word(*set, Hold::Union)),
                    Link::Step(step) => self.word(*step, Hold::Diff),
                };
                (Hold::Seq, links.iter().map(link).collect::<Vec<_>>().join("; "))
            }
            Kind::Inverse(a) => tightly(format!("{}^-1", tight(*a))),
            Kind::Product(a, b) => (Hold::Inter, format!("{} * {}", tight(*a), tight(*b))),
            Kind::ToId(a) => tightly(format!("[{}]", self.word(*a, Hold::Union))),
            Kind::Domain(a) => tightly(format!("domain({})", self.word(*a, Hold::Union))),
            Kind::Range(a) => tightly(format!("range({})", self.word(*a, Hold::Union))),
            Kind::Opt(a) => tightly(format!("{}?", tight(*a))),
            Kind::Plus(a) => tightly(format!("{}+", tight(*a))),
            Kind::Star(a) => tightly(format!("{}*", tight(*a))),
            Kind::DifferentValues(a) => tightly(format!("different-values({})", self.word(*a, Hold::Union))),
            // What is recursive depends on what is read, as far as anyone can tell.
            Kind::Variable | Kind::Fix { .. } => tightly("...".to_string()),
        }
    }
}

fn name(base: Base) -> &'static str {
    match base {
        Base::Po => "po",
        Base::Rf => "rf",
        Base::Co => "co",
        Base::Loc => "loc",
        Base::Int => "int",
        Base::Ext => "ext",
        Base::SameInstance => "same-instance",
        Base::SameAccess => "same-access",
        Base::Addr => "addr",
        Base::Data => "data",
        Base::Ctrl => "ctrl",
    }
}
