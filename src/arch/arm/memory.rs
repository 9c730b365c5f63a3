//! Accesses to memory: addresses, lists of registers, exclusives.

use super::lower::{Lowering, extension};
use super::syntax::{Address, Mode, Named, Operand};
use super::table::Direction;
use crate::arch::build::names;
use crate::program::{AccessSize, BinOp, Extra, Op, Port, Reg, Tmp, UnOp};

impl Lowering<'_, '_> {
    /// The address accessed; writes the base register if the address says so.
    pub(super) fn address(&mut self) -> Tmp {
        let Some(Address { base, index, mode }) = &self.insn.address else { return self.b.int(0) };
        let start = self.b.read(base.reg, Port::Addr);
        let moved = match index {
            None => start,
            Some(Operand::Imm(n)) => self.b.offset(start, *n),
            Some(index) => {
                let index = self.operand(index, Port::Addr);
                self.b.binary(BinOp::Add, start, index)
            }
        };
        match mode {
            Mode::Offset => moved,
            Mode::Pre => {
                self.b.write(base.reg, moved);
                moved
            }
            Mode::Post => {
                self.b.write(base.reg, moved);
                start
            }
        }
    }

    /// The first address of a list of registers.
    pub(super) fn multiple(&mut self, direction: Direction) -> Tmp {
        let Some(Address { base, mode, .. }) = &self.insn.address else { return self.b.int(0) };
        let start = self.b.read(base.reg, Port::Addr);
        let size = 4 * self.insn.regs.len() as i128;
        let (first, end) = match direction {
            Direction::IncrementAfter => (0, size),
            Direction::IncrementBefore => (4, size),
            Direction::DecrementAfter => (4 - size, -size),
            Direction::DecrementBefore => (-size, -size),
        };
        if *mode == Mode::Pre {
            let end = self.b.offset(start, end);
            self.b.write(base.reg, end);
        }
        self.b.offset(start, first)
    }

    pub(super) fn load_list(&mut self, addr: Tmp, regs: &[Named]) {
        let values: Vec<(Reg, Tmp)> = regs
            .iter()
            .enumerate()
            .map(|(index, named)| {
                let addr = self.b.offset(addr, 4 * index as i128);
                (named.reg, self.load(addr, 4, &[]))
            })
            .collect();
        // Each register waits for all of the loads.
        let all: Vec<Tmp> = values.iter().map(|(_, value)| *value).collect();
        for (reg, value) in values {
            self.b.write_with(reg, value, Extra { data: all.clone(), ..Extra::default() });
        }
    }

    pub(super) fn store_list(&mut self, addr: Tmp) {
        for (index, named) in self.insn.regs.iter().enumerate() {
            let value = self.b.read(named.reg, Port::Data);
            let addr = self.b.offset(addr, 4 * index as i128);
            self.store(addr, value, 4, &[], &[]);
        }
    }

    /// Loads the first register.
    pub(super) fn load_register(
        &mut self,
        (bytes, signed): (u8, bool),
        sets: &[&'static str],
        exclusive: bool,
    ) {
        let addr = self.address();
        if exclusive {
            self.reserve(addr, bytes);
        }
        let value = self.load(addr, bytes, sets);
        let value = match bytes {
            4 => value,
            _ => self.b.unary(extension(8 * bytes, signed), value),
        };
        self.b.write(self.insn.regs[0].reg, value);
    }

    /// The address that a store-exclusive may write.
    pub(super) fn reserve(&mut self, addr: Tmp, bytes: u8) {
        let monitor = self.cx.regs.intern("RESADDR");
        self.b.push(Op::Reserve { addr, size: AccessSize(bytes) });
        self.b.write(monitor, addr);
    }

    fn load(&mut self, addr: Tmp, bytes: u8, sets: &[&'static str]) -> Tmp {
        let dst = self.b.tmp();
        let extra = self.extra(&[]);
        self.b.push(Op::Load { dst, addr, size: AccessSize(bytes), sets: names(sets), extra });
        dst
    }

    pub(super) fn store(&mut self, addr: Tmp, value: Tmp, bytes: u8, sets: &[&'static str], also: &[Tmp]) {
        let extra = self.extra(also);
        self.b.store_with(addr, value, bytes, sets, extra);
    }

    fn extra(&self, data: &[Tmp]) -> Extra {
        Extra { ctrl: self.guard.into_iter().collect(), data: data.to_vec(), ..Extra::default() }
    }

    /// The status register gets 0 for success and 1 for failure; it depends on everything that was read.
    pub(super) fn store_exclusive(&mut self, bytes: u8, sets: &'static [&'static str]) {
        let monitor = self.cx.regs.intern("RESADDR");
        let reserved = self.b.read(monitor, Port::None);
        let value = self.reg(1, Port::Data);
        let value = self.cut(value, bytes);
        let addr = self.address();
        let status = self.insn.regs[0].reg;
        let all = Extra { data: vec![reserved, value, addr], ..Extra::default() };
        let zero = self.b.int(0);
        let one = self.b.int(1);
        self.b.write_with(monitor, zero, all.clone());
        let outer = self.b.open();
        self.b.write_with(status, zero, all.clone());
        self.store(addr, value, bytes, sets, &[reserved]);
        let then = self.b.close(outer);
        let otherwise = self.b.block(|b| b.write_with(status, one, all));
        self.b.push(Op::Conditional { addr, size: AccessSize(bytes), then, otherwise });
    }

    pub(super) fn cut(&mut self, value: Tmp, bytes: u8) -> Tmp {
        if bytes < 4 { self.b.unary(UnOp::ZeroExtend(8 * bytes), value) } else { value }
    }
}
