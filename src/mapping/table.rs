//! Mapping files.

use std::collections::BTreeMap;

use crate::arch::ArchId;

/// The mappings that come with the command.
const LIBRARY: [(&str, &str); 11] = [
    ("x86", include_str!("../../cat/mappings/x86.map")),
    ("aarch64", include_str!("../../cat/mappings/aarch64.map")),
    ("aarch64-rcpc", include_str!("../../cat/mappings/aarch64-rcpc.map")),
    ("aarch64-rc11", include_str!("../../cat/mappings/aarch64-rc11.map")),
    ("armv7", include_str!("../../cat/mappings/armv7.map")),
    ("armv7-rc11", include_str!("../../cat/mappings/armv7-rc11.map")),
    ("ppc", include_str!("../../cat/mappings/ppc.map")),
    ("ppc-trailing", include_str!("../../cat/mappings/ppc-trailing.map")),
    ("ppc-rc11", include_str!("../../cat/mappings/ppc-rc11.map")),
    ("riscv", include_str!("../../cat/mappings/riscv.map")),
    ("riscv-rc11", include_str!("../../cat/mappings/riscv-rc11.map")),
];

/// Their names.
pub const NAMES: [&str; 11] = [
    LIBRARY[0].0,
    LIBRARY[1].0,
    LIBRARY[2].0,
    LIBRARY[3].0,
    LIBRARY[4].0,
    LIBRARY[5].0,
    LIBRARY[6].0,
    LIBRARY[7].0,
    LIBRARY[8].0,
    LIBRARY[9].0,
    LIBRARY[10].0,
];

/// What is compiled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Operation {
    Load,
    Store,
    Fence,
    /// An atomic exchange.
    Swap,
    /// An atomic addition.
    Add,
    /// Compare and exchange.
    Cas,
}

impl Operation {
    const ALL: [(Operation, &'static str); 6] = [
        (Operation::Load, "load"),
        (Operation::Store, "store"),
        (Operation::Fence, "fence"),
        (Operation::Swap, "swap"),
        (Operation::Add, "add"),
        (Operation::Cas, "cas"),
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        Operation::ALL.into_iter().find(|(operation, _)| *operation == self).map_or("", |(_, name)| name)
    }
}

/// With which order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Order {
    /// Not atomic.
    Na,
    Rlx,
    Con,
    Acq,
    Rel,
    AcqRel,
    Sc,
    /// The kernel's atomics without a suffix: a full fence before and one after.
    Full,
    /// The kernel's fence of reads.
    Rmb,
    /// The kernel's fence of writes.
    Wmb,
}

impl Order {
    /// The weakest order that is as strong as both: of an exchange that may fail, both hold.
    pub(super) fn and(self, other: Order) -> Order {
        match (self, other) {
            (Order::Sc, _) | (_, Order::Sc) => Order::Sc,
            (Order::Rel | Order::AcqRel, Order::Acq | Order::Con) => Order::AcqRel,
            (Order::Rlx, Order::Acq | Order::Con) => Order::Acq,
            (order, _) => order,
        }
    }

    const ALL: [(Order, &'static str, &'static str); 10] = [
        (Order::Na, "na", ""),
        (Order::Rlx, "rlx", "memory_order_relaxed"),
        (Order::Con, "con", "memory_order_consume"),
        (Order::Acq, "acq", "memory_order_acquire"),
        (Order::Rel, "rel", "memory_order_release"),
        (Order::AcqRel, "acqrel", "memory_order_acq_rel"),
        (Order::Sc, "sc", "memory_order_seq_cst"),
        (Order::Full, "full", ""),
        (Order::Rmb, "rmb", ""),
        (Order::Wmb, "wmb", ""),
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        Order::ALL.into_iter().find(|(order, ..)| *order == self).map_or("", |(_, name, _)| name)
    }

    /// By the name that C gives it.
    pub fn of_c(name: &str) -> Option<Order> {
        let found = Order::ALL.into_iter().find(|(.., c)| !c.is_empty() && *c == name);
        found.map(|(order, ..)| order)
    }
}

/// What stands for each operation on a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Its name.
    pub name: String,
    /// What it compiles to.
    pub target: ArchId,
    rules: BTreeMap<(Operation, Order), Vec<String>>,
}

impl Mapping {
    /// One of ours.
    pub fn library(name: &str) -> Option<Mapping> {
        let (name, text) = LIBRARY.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Mapping::parse(name, text).ok()
    }

    /// Reads a mapping file.
    ///
    /// # Errors
    /// The line that is wrong, and why.
    pub fn parse(name: &str, text: &str) -> Result<Mapping, String> {
        let mut target = None;
        let mut rules = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            let wrong = |why: String| format!("line {}: {why}", number + 1);
            let line = line.trim();
            let mut words = line.split_whitespace();
            let Some(first) = words.next().filter(|word| !word.starts_with('#')) else { continue };
            if first == "target" {
                let word = words.next().unwrap_or_default();
                let arch = ArchId::parse(word).filter(|arch| super::target::knows(*arch));
                target = Some(arch.ok_or_else(|| wrong(format!("there is no target `{word}`")))?);
                continue;
            }
            let operation = Operation::ALL.into_iter().find(|(_, name)| *name == first);
            let (operation, _) = operation.ok_or_else(|| {
                let names: Vec<&str> = Operation::ALL.iter().map(|(_, name)| *name).collect();
                wrong(format!("`{first}` is no operation (there are {})", names.join(", ")))
            })?;
            let mut rest = line[first.len()..].trim_start();
            let mut orders = Vec::new();
            // Orders come first; what is no order begins the instructions.
            while let Some(word) = rest.split_whitespace().next() {
                let Some((order, ..)) = Order::ALL.into_iter().find(|(_, name, _)| *name == word) else {
                    break;
                };
                orders.push(order);
                rest = rest[word.len()..].trim_start();
            }
            if orders.is_empty() {
                return Err(wrong("an order is needed after the operation".to_string()));
            }
            let instructions: Vec<String> =
                rest.split(';').map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect();
            for order in orders {
                if rules.insert((operation, order), instructions.clone()).is_some() {
                    return Err(wrong(format!("`{first} {}` has instructions already", order.name())));
                }
            }
        }
        let target = target.ok_or("there is no line `target ARCH`")?;
        Ok(Mapping { name: name.to_string(), target, rules })
    }

    /// The instructions of an operation, with holes: `%r` the result, `%v` the value, `%e` the value expected, `%a` the address, `%t` and `%u`
    /// registers for the meantime, `%L` and `%M` labels. Where SC operations are full fences nothing needs to be said of `full`.
    pub fn rule(&self, operation: Operation, order: Order) -> Option<&[String]> {
        let own = self.rules.get(&(operation, order));
        let own = own.or_else(|| self.rules.get(&(operation, Order::Sc)).filter(|_| order == Order::Full));
        own.map(Vec::as_slice)
    }
}
