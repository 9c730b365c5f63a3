//! Loads, stores, exclusives and atomics.
//!
//! The shape of each instruction's events (what is data, what is control, what is not related at all) is herd7's: the
//! AArch64 model computes dependencies from it.

use super::access::{Access as Way, Direction, Place};
use super::lower::{Lower, Text};
use super::syntax::{Gpr, Index, Kind, Mem, Width};
use super::table::{Access, Mode, Pair, Sign};
use crate::arch::errors;
use crate::diag::Diagnostic;
use crate::program::{AccessSize, BinOp, BranchKind, Extra, Managed, Op, Port, Tmp, UnOp, Value, WRITE_BACK};
use crate::source::Span;

/// The register that holds the address of the last load-exclusive; tests cannot name it.
const MONITOR: &str = "RESADDR";

/// An address, ready to use.
struct Address<'a> {
    /// Where the access goes.
    addr: Tmp,
    /// The base register and its new value, if it is updated.
    update: Option<(&'a Gpr, Tmp)>,
    /// Canonical text.
    text: String,
}

impl<'a> Lower<'a, '_> {
    pub fn load(&mut self, access: Access) -> Result<Text, Diagnostic> {
        let rt = self.reg()?;
        if let Some(Kind::Literal(name)) = self.peek() {
            return self.literal(rt, name, access);
        }
        let bytes = size(access, rt.width);
        self.word_register(rt, access)?;
        let address = self.address(access.mode, bytes, false)?;
        let place =
            self.go(&address, Way { direction: Direction::Read, sets: access.sets, check: true }, false);
        let value = self.load_at(&place, bytes, access.sets, Extra::default());
        self.write_loaded(rt, value, bytes, access.sign);
        Ok(Text::Operands(format!("{rt},{}", address.text)))
    }

    /// `LDR Xt,=x`: the address of a global, from a literal pool that no other thread sees.
    fn literal(&mut self, rt: &Gpr, name: &str, access: Access) -> Result<Text, Diagnostic> {
        if self.mnemonic.entry.name != "LDR" || rt.width != Width::X || access.bytes != 0 {
            return Err(self.expected("an address, such as `[X1]`"));
        }
        self.skip();
        let sym = self.cx.symbols.iter().position(|symbol| symbol == name).unwrap_or_else(|| {
            self.cx.symbols.push(name.to_string());
            self.cx.symbols.len() - 1
        });
        let value = self.b.value(Value::addr(crate::program::Sym(sym as u16)));
        self.write(rt, Width::X, value);
        Ok(Text::Operands(format!("{rt},={name}")))
    }

    pub fn store(&mut self, access: Access) -> Result<Text, Diagnostic> {
        let rt = self.reg()?;
        let bytes = size(access, rt.width);
        self.word_register(rt, access)?;
        let data = self.read_data(rt, bytes);
        let address = self.address(access.mode, bytes, false)?;
        let place =
            self.go(&address, Way { direction: Direction::Write, sets: access.sets, check: true }, false);
        self.store_at(&place, data, bytes, access.sets, Extra::default());
        Ok(Text::Operands(format!("{rt},{}", address.text)))
    }

    /// Accesses of bytes and half-words name W registers (signed loads either).
    fn word_register(&self, rt: &Gpr, access: Access) -> Result<(), Diagnostic> {
        let name = &self.mnemonic.text;
        let wrong = |message: String| Err(errors::bad_operand(self.mnemonic.span, message, "wrong width"));
        match (access.bytes, access.sign, rt.width) {
            (1 | 2, Sign::Unsigned, Width::X) => wrong(format!("`{name}` takes a W register, not `{rt}`")),
            (4, Sign::Signed, Width::W) => wrong(format!("`{name}` takes an X register, not `{rt}`")),
            _ => Ok(()),
        }
    }

    fn read_data(&mut self, rt: &Gpr, bytes: u8) -> Tmp {
        let data = self.read(rt, Width::X, Port::Data);
        self.zero_extend(data, 8 * bytes)
    }

    fn write_loaded(&mut self, rt: &Gpr, value: Tmp, bytes: u8, sign: Sign) {
        let value = match sign {
            Sign::Signed => self.sign_extend(value, 8 * bytes),
            Sign::Unsigned => self.zero_extend(value, 8 * bytes),
        };
        self.write(rt, rt.width, value);
    }

    /// The result of an atomic hangs on what the access hangs on.
    fn write_fetched(&mut self, rt: &Gpr, value: Tmp, bytes: u8, place: &Place) {
        let value = self.zero_extend(value, 8 * bytes);
        let extra = Extra { ctrl: place.ctrl.clone(), ..Extra::default() };
        self.write_with(rt, rt.width, value, extra);
    }

    // Addresses.

    fn address(&mut self, mode: Mode, bytes: u8, pair: bool) -> Result<Address<'a>, Diagnostic> {
        let (mem, span) = self.mem()?;
        self.check_mode(mode, mem, bytes, pair, span)?;
        let after = match self.peek() {
            Some(Kind::Imm(_)) if mode == Mode::Any && !mem.writeback && mem.index == Index::Imm(0) => {
                let (min, max) = if pair { pair_range(bytes) } else { (-256, 255) };
                Some(self.imm(min, max)?)
            }
            Some(Kind::Imm(_)) if mode == Mode::BaseThenUp => {
                let size = i128::from(bytes);
                Some(self.imm(size, size)?)
            }
            _ => None,
        };
        let base = self.read(&mem.base, Width::X, Port::Addr);
        if let Some(offset) = after {
            let new = self.b.offset(base, offset);
            let text = format!("[{}],#{offset}", mem.base);
            return Ok(Address { addr: base, update: Some((&mem.base, new)), text });
        }
        let addr = match &mem.index {
            Index::Imm(offset) => self.b.offset(base, *offset),
            Index::Reg(index, ext, amount) => {
                let value = self.read(index, index.width, Port::Addr);
                let value = match ext {
                    Some(ext) if ext.signed => self.sign_extend(value, ext.bits),
                    Some(ext) => self.zero_extend(value, ext.bits),
                    None => value,
                };
                let value = if *amount == 0 { value } else { self.b.binary_int(BinOp::Shl, value, *amount) };
                self.b.binary(BinOp::Add, base, value)
            }
        };
        let update = mem.writeback.then_some((&mem.base, addr));
        Ok(Address { addr, update, text: shown(mem) })
    }

    fn check_mode(&self, mode: Mode, mem: &Mem, bytes: u8, pair: bool, span: Span) -> Result<(), Diagnostic> {
        let bad = |message: String| Err(errors::bad_operand(span, message, "this address"));
        let name = &self.mnemonic.text;
        let bytes = i128::from(bytes);
        match (&mem.index, mode) {
            (Index::Imm(0), Mode::Base | Mode::BaseThenUp | Mode::DownThenBase) if !mem.writeback => Ok(()),
            (Index::Imm(offset), Mode::DownThenBase) if mem.writeback && *offset == -bytes => Ok(()),
            (_, Mode::Base) => bad(format!("`{name}` takes an address of the form `[Xn]`")),
            (_, Mode::BaseThenUp) => {
                bad(format!("`{name}` takes an address of the form `[Xn]` or `[Xn],#{bytes}`"))
            }
            (_, Mode::DownThenBase) => {
                bad(format!("`{name}` takes an address of the form `[Xn]` or `[Xn,#-{bytes}]!`"))
            }
            (Index::Reg(..), Mode::Unscaled) => bad(format!("`{name}` takes no index register")),
            (Index::Reg(..), Mode::Any) if mem.writeback => {
                bad("an index register cannot be combined with `!`".into())
            }
            (Index::Reg(..), Mode::Any) if pair => bad(format!("`{name}` takes no index register")),
            (Index::Reg(_, _, amount), Mode::Any) => {
                // The encoding only has 0 and the size of the access; tests written for herd7 use others too.
                if !(0..=4).contains(amount) {
                    return Err(errors::out_of_range(span, *amount, errors::range(0, 4)));
                }
                Ok(())
            }
            (Index::Imm(_), Mode::Unscaled) if mem.writeback => bad(format!("`{name}` takes no `!`")),
            (Index::Imm(offset), _) => {
                let (min, max) = match mode {
                    _ if pair => pair_range(bytes as u8),
                    Mode::Any if !mem.writeback => (-256, 4095 * bytes),
                    _ => (-256, 255),
                };
                if *offset < min || *offset > max {
                    return Err(errors::out_of_range(span, *offset, errors::range(min, max)));
                }
                Ok(())
            }
        }
    }

    /// Updates the base, and takes the address through the stages: a base that is moved first is moved even if the access
    /// faults (but not by a pair), one that is moved afterwards is not.
    fn go(&mut self, address: &Address, access: Way, pair: bool) -> Place {
        let Some((base, value)) = address.update else { return self.reach(address.addr, access) };
        let before = value == address.addr && !pair;
        if before {
            self.write(base, Width::X, value);
        }
        let place = self.reach(address.addr, access);
        if !before {
            let mut value = value;
            if access.direction == Direction::Read && !pair && !place.via.is_empty() {
                let moved = self.b.tmp();
                self.b.push(Op::From { dst: moved, a: value, from: place.via.clone() });
                value = moved;
            }
            let extra = Extra { ctrl: place.ctrl.clone(), ..Extra::default() };
            self.write_with(base, Width::X, value, extra);
        }
        place
    }

    /// `[Xn]`, for exclusives and atomics.
    fn plain_address(&mut self) -> Result<(Tmp, String), Diagnostic> {
        let address = self.address(Mode::Base, 0, false)?;
        Ok((address.addr, address.text))
    }

    pub fn prefetch(&mut self) -> Result<Text, Diagnostic> {
        let operation = match self.peek() {
            Some(Kind::Name(name)) => name.clone(),
            _ => return Err(self.expected("a prefetch operation, such as `PLDL1KEEP`")),
        };
        self.skip();
        let (mem, _) = self.mem()?;
        Ok(Text::Operands(format!("{operation},{}", shown(mem))))
    }

    // Pairs.

    pub fn load_pair(&mut self, pair: Pair, signed: bool) -> Result<Text, Diagnostic> {
        let first = self.reg()?;
        let second = self.reg_of(first.width)?;
        let bytes = if signed { 4 } else { first.width.bytes() };
        let sign = if signed { Sign::Signed } else { Sign::Unsigned };
        let address = self.address(Mode::Any, bytes, true)?;
        let place = self.go(&address, Way { direction: Direction::Read, sets: pair.sets, check: true }, true);
        let value = self.load_at(&place, bytes, pair.sets, Extra::default());
        let mut next = self.next_place(&place, bytes);
        let order = if pair.ordered { vec![value] } else { Vec::new() };
        if pair.ordered && !place.via.is_empty() {
            // As herd7 has it: of an ordered pair only the first read hangs on the translation.
            let addr = self.b.tmp();
            self.b.push(Op::From { dst: addr, a: next.addr, from: Vec::new() });
            next = Place { addr, ctrl: Vec::new(), ..next };
        }
        let other = self.load_at(&next, bytes, pair.sets, Extra { order, ..Extra::default() });
        self.write_loaded(first, value, bytes, sign);
        self.write_loaded(second, other, bytes, sign);
        Ok(Text::Operands(format!("{first},{second},{}", address.text)))
    }

    pub fn store_pair(&mut self, pair: Pair) -> Result<Text, Diagnostic> {
        let first = self.reg()?;
        let second = self.reg_of(first.width)?;
        let bytes = first.width.bytes();
        let (data, other) = (self.read_data(first, bytes), self.read_data(second, bytes));
        let address = self.address(Mode::Any, bytes, true)?;
        let place =
            self.go(&address, Way { direction: Direction::Write, sets: pair.sets, check: true }, true);
        let next = self.next_place(&place, bytes);
        let mut stores = [(place, data), (next, other)];
        if address.update.is_some() {
            // With writeback the second register goes first.
            stores.reverse();
        }
        let done = self.b.tmp();
        let [(addr, value), (next_addr, next_value)] = stores;
        let extra = Extra { done: Some(done), ..Extra::default() };
        self.store_at(&addr, value, bytes, pair.sets, extra);
        let order = if pair.ordered { vec![done] } else { Vec::new() };
        self.store_at(&next_addr, next_value, bytes, pair.sets, Extra { order, ..Extra::default() });
        Ok(Text::Operands(format!("{first},{second},{}", address.text)))
    }

    // Exclusives.

    pub fn load_exclusive(&mut self, access: Access) -> Result<Text, Diagnostic> {
        let rt = self.reg()?;
        let bytes = size(access, rt.width);
        self.word_register(rt, access)?;
        let (addr, shown) = self.plain_address()?;
        let place = self.reach(addr, Way { direction: Direction::Read, sets: access.sets, check: true });
        let value = self.load_at(&place, bytes, access.sets, Extra::default());
        self.reserve(place.addr, bytes, &place.ctrl);
        self.write_loaded(rt, value, bytes, Sign::Unsigned);
        Ok(Text::Operands(format!("{rt},{shown}")))
    }

    /// The status depends on nothing: a success may be known before the store is done.
    pub fn store_exclusive(&mut self, access: Access) -> Result<Text, Diagnostic> {
        let status = self.reg_of(Width::W)?;
        let rt = self.reg()?;
        let bytes = size(access, rt.width);
        self.word_register(rt, access)?;
        let data = self.read_data(rt, bytes);
        let (addr, shown) = self.plain_address()?;
        let place = self.reach(addr, Way { direction: Direction::Write, sets: access.sets, check: true });
        self.conditional(status, place.addr, bytes, |lower, reserved| {
            let extra = Extra { ctrl: lower.exclusive_ctrl(&place, reserved), ..Extra::default() };
            lower.store_at(&place, data, bytes, access.sets, extra);
        });
        Ok(Text::Operands(format!("{},{rt},{shown}", status.text(Width::W))))
    }

    pub fn load_exclusive_pair(&mut self, sets: &'static [&'static str]) -> Result<Text, Diagnostic> {
        let first = self.reg()?;
        let second = self.reg_of(first.width)?;
        let bytes = first.width.bytes();
        let (addr, shown) = self.plain_address()?;
        let place = self.reach(addr, Way { direction: Direction::Read, sets, check: true });
        let value = self.load_at(&place, bytes, sets, Extra::default());
        self.reserve(place.addr, 2 * bytes, &place.ctrl);
        let next = self.next_place(&place, bytes);
        let other = self.load_at(&next, bytes, sets, Extra::default());
        self.write_loaded(first, value, bytes, Sign::Unsigned);
        self.write_loaded(second, other, bytes, Sign::Unsigned);
        Ok(Text::Operands(format!("{first},{second},{shown}")))
    }

    pub fn store_exclusive_pair(&mut self, sets: &'static [&'static str]) -> Result<Text, Diagnostic> {
        let status = self.reg_of(Width::W)?;
        let first = self.reg()?;
        let second = self.reg_of(first.width)?;
        let bytes = first.width.bytes();
        let (data, other) = (self.read_data(first, bytes), self.read_data(second, bytes));
        let (addr, shown) = self.plain_address()?;
        let place = self.reach(addr, Way { direction: Direction::Write, sets, check: true });
        self.conditional(status, place.addr, 2 * bytes, |lower, reserved| {
            let next = lower.next_place(&place, bytes);
            let extra = Extra { ctrl: lower.exclusive_ctrl(&place, reserved), ..Extra::default() };
            lower.store_at(&place, data, bytes, sets, extra.clone());
            lower.store_at(&next, other, bytes, sets, extra);
        });
        Ok(Text::Operands(format!("{},{first},{second},{shown}", status.text(Width::W))))
    }

    /// What the stores of an exclusive hang on: the monitor, and the address unless it was translated.
    fn exclusive_ctrl(&self, place: &Place, reserved: Tmp) -> Vec<Tmp> {
        if place.via.is_empty() { vec![place.addr, reserved] } else { vec![reserved] }
    }

    /// Sets the monitor: a register of its own, as in herd7, so that dependencies go through it.
    fn reserve(&mut self, addr: Tmp, bytes: u8, ctrl: &[Tmp]) {
        self.b.push(Op::Reserve { addr, size: AccessSize(bytes) });
        let monitor = self.cx.regs.intern(MONITOR);
        self.b.write_with(monitor, addr, Extra { ctrl: ctrl.to_vec(), ..Extra::default() });
    }

    /// A store-exclusive finds no reservation for an address that is none.
    pub fn clear_exclusive(&mut self) -> Result<Text, Diagnostic> {
        let shown = match self.peek() {
            Some(Kind::Imm(_)) => format!("#{}", self.imm(0, 15)?),
            _ => String::new(),
        };
        let none = self.b.int(0);
        self.reserve(none, 0, &[]);
        Ok(Text::Operands(shown))
    }

    /// `stores` hang on the monitor, which is cleared in any case.
    fn conditional(&mut self, status: &Gpr, addr: Tmp, bytes: u8, stores: impl FnOnce(&mut Self, Tmp)) {
        let monitor = self.cx.regs.intern(MONITOR);
        let reserved = self.b.read(monitor, Port::None);
        let cleared = self.b.int(0);
        let extra = Extra { ctrl: vec![reserved], ..Extra::default() };
        self.b.push(Op::WriteReg { reg: monitor, src: cleared, extra });
        let then = self.nested(|lower| {
            stores(lower, reserved);
            let success = lower.b.int(0);
            lower.write(status, Width::W, success);
        });
        let otherwise = self.nested(|lower| {
            let failure = lower.b.int(1);
            lower.write(status, Width::W, failure);
        });
        self.b.push(Op::Conditional { addr, size: AccessSize(bytes), then, otherwise });
    }

    // Atomics.

    /// Sets of the read and of the write. A read whose value nobody takes is in `NoRet`, and acquires nothing.
    fn atomic_sets(&self, returns: bool) -> (Vec<&'static str>, Vec<&'static str>) {
        let read = match (returns, self.mnemonic.acquire) {
            (false, _) => vec!["X", "NoRet"],
            (true, true) => vec!["X", "A"],
            (true, false) => vec!["X"],
        };
        let write = if self.mnemonic.release { vec!["X", "L"] } else { vec!["X"] };
        (read, write)
    }

    /// Size in bytes; the suffixes of bytes and half-words go with W registers.
    fn atomic_bytes(&self, gpr: &Gpr) -> Result<u8, Diagnostic> {
        match (self.mnemonic.bytes, gpr.width) {
            (0, width) => Ok(width.bytes()),
            (bytes, Width::W) => Ok(bytes),
            _ => {
                let message = format!("`{}` takes W registers, not `{gpr}`", self.mnemonic.text);
                Err(errors::bad_operand(self.mnemonic.span, message, "wrong width"))
            }
        }
    }

    pub fn swap(&mut self) -> Result<Text, Diagnostic> {
        let rs = self.reg()?;
        let rt = self.reg_of(rs.width)?;
        let bytes = self.atomic_bytes(rs)?;
        let (addr, shown) = self.plain_address()?;
        let new = self.read_data(rs, bytes);
        let (read_sets, write_sets) = self.atomic_sets(rt.reg.is_some());
        let place = self.reach(addr, Way { direction: Direction::Write, sets: &read_sets, check: true });
        let old = self.load_at(&place, bytes, &read_sets, Extra::default());
        let extra = Extra { ctrl: vec![old], ..Extra::default() };
        self.store_at(&place, new, bytes, &write_sets, extra);
        self.write_fetched(rt, old, bytes, &place);
        Ok(Text::Operands(format!("{rs},{rt},{shown}")))
    }

    /// `LD<op>`, or `ST<op>`, which is `LD<op>` to the zero register.
    pub fn atomic_op(&mut self, op: BinOp, sign: Sign, load: bool) -> Result<Text, Diagnostic> {
        let rs = self.reg()?;
        let rt = if load { Some(self.reg_of(rs.width)?) } else { None };
        let bytes = self.atomic_bytes(rs)?;
        let (addr, shown) = self.plain_address()?;
        let operand = self.read_data(rs, bytes);
        let returns = rt.is_some_and(|rt| rt.reg.is_some());
        let (read_sets, write_sets) = self.atomic_sets(returns);
        let place = self.reach(addr, Way { direction: Direction::Write, sets: &read_sets, check: true });
        let old = self.load_at(&place, bytes, &read_sets, Extra::default());
        let (x, y) = match sign {
            Sign::Signed => (self.sign_extend(old, 8 * bytes), self.sign_extend(operand, 8 * bytes)),
            Sign::Unsigned => (self.zero_extend(old, 8 * bytes), operand),
        };
        let new = self.b.binary(op, x, y);
        let new = self.zero_extend(new, 8 * bytes);
        self.store_at(&place, new, bytes, &write_sets, Extra::default());
        match rt {
            Some(rt) => {
                self.write_fetched(rt, old, bytes, &place);
                Ok(Text::Operands(format!("{rs},{rt},{shown}")))
            }
            None => Ok(Text::Operands(format!("{rs},{shown}"))),
        }
    }

    pub fn compare_swap(&mut self) -> Result<Text, Diagnostic> {
        let rs = self.reg()?;
        let rt = self.reg_of(rs.width)?;
        let bytes = self.atomic_bytes(rs)?;
        let (addr, shown) = self.plain_address()?;
        self.compare_and_swap(addr, bytes, &[rs], &[rt]);
        Ok(Text::Operands(format!("{rs},{rt},{shown}")))
    }

    pub fn compare_swap_pair(&mut self) -> Result<Text, Diagnostic> {
        let rs = self.reg()?;
        let rs2 = self.reg_of(rs.width)?;
        // The encoding only has an even register and the next one; tests written for herd7 use others too.
        let rt = self.reg_of(rs.width)?;
        let rt2 = self.reg_of(rs.width)?;
        let (addr, shown) = self.plain_address()?;
        self.compare_and_swap(addr, rs.width.bytes(), &[rs, rs2], &[rt, rt2]);
        Ok(Text::Operands(format!("{rs},{rs2},{rt},{rt2},{shown}")))
    }

    /// A comparison that fails may be checked like a load or like a store: where only stores have their tags checked, both are tried.
    fn checked_or_not(&self) -> &'static [bool] {
        if self.cx.extensions.tags.is_some_and(|checks| checks.stores_only) {
            &[false, true]
        } else {
            &[true]
        }
    }

    /// Compare and swap of one element or two.
    ///
    /// The architecture leaves open where the final value of the compared register comes from, if it succeeds: from
    /// memory, or from itself, which then hangs on the comparison. It leaves open, too, whether a failure writes back what
    /// it read. Like herd7, each way is an execution of its own.
    fn compare_and_swap(&mut self, addr: Tmp, bytes: u8, rs: &[&Gpr], rt: &[&Gpr]) {
        let expected: Vec<Tmp> = rs.iter().map(|gpr| self.read_data(gpr, bytes)).collect();
        let returns = rs.iter().any(|gpr| gpr.reg.is_some());
        let mut branches = Vec::new();
        // Where hardware marks pages as dirty, a failure may have marked its page, or not.
        let marks = self.cx.extensions.tables.is_some_and(|tables| tables.managed == Managed::Dirty);
        let attempts =
            if marks { vec![Direction::Write, Direction::Attempt] } else { vec![Direction::Write] };
        let checks = self.checked_or_not();
        for (direction, check) in attempts.into_iter().flat_map(|way| checks.iter().map(move |c| (way, *c))) {
            branches.push(self.nested(|lower| {
                let sets: &[&str] = match (returns, lower.mnemonic.acquire) {
                    (false, _) => &["X", "NoRet"],
                    (true, true) => &["A"],
                    (true, false) => &[],
                };
                let place = lower.reach(addr, Way { direction, sets, check });
                let (old, _) = lower.compared(&place, bytes, sets, &expected, false);
                lower.write_all(rs, &old, bytes, &old, &[]);
            }));
        }
        let (read_sets, write_sets) = self.atomic_sets(returns);
        let way = Way { direction: Direction::Write, sets: &read_sets, check: true };
        for check in checks {
            branches.push(self.nested(|lower| {
                let place = lower.reach(addr, Way { check: *check, ..way });
                let (old, done) = lower.compared(&place, bytes, &read_sets, &expected, false);
                let back: Vec<&'static str> = write_sets.iter().copied().chain([WRITE_BACK]).collect();
                lower.store_all(&place, bytes, &old, &back, done);
                lower.write_all(rs, &old, bytes, &old, &[]);
            }));
        }
        branches.push(self.nested(|lower| {
            let place = lower.reach(addr, way);
            let (old, done) = lower.compared(&place, bytes, &read_sets, &expected, true);
            let new: Vec<Tmp> = rt.iter().map(|gpr| lower.read_data(gpr, bytes)).collect();
            lower.store_all(&place, bytes, &new, &write_sets, done);
            let from_itself = lower.nested(|lower| lower.write_all(rs, &expected, bytes, &expected, &[done]));
            let from_memory = lower.nested(|lower| lower.write_all(rs, &old, bytes, &old, &[]));
            lower.b.push(Op::Choice { branches: vec![from_itself, from_memory] });
        }));
        self.b.push(Op::Choice { branches });
    }

    /// Loads, compares, and assumes the outcome of the comparison. Also the source to hang on the comparison.
    fn compared(
        &mut self,
        place: &Place,
        bytes: u8,
        sets: &[&'static str],
        expected: &[Tmp],
        equal: bool,
    ) -> (Vec<Tmp>, Tmp) {
        let mut old = Vec::new();
        let mut at = place.clone();
        let mut all_equal = self.b.int(1);
        for (index, expected) in expected.iter().enumerate() {
            if index > 0 {
                at = self.next_place(&at, bytes);
            }
            let value = self.load_at(&at, bytes, sets, Extra::default());
            let value = self.zero_extend(value, 8 * bytes);
            let same = self.equal(value, *expected);
            all_equal = if index == 0 { same } else { self.b.binary(BinOp::And, all_equal, same) };
            old.push(value);
        }
        let cond = if equal { all_equal } else { self.b.unary(UnOp::IsZero, all_equal) };
        self.b.push(Op::Assume { cond });
        let done = self.b.tmp();
        let extra = Extra { done: Some(done), ..Extra::default() };
        self.b.push(Op::Branch { kind: BranchKind::Pred, cond: Some(cond), extra });
        (old, done)
    }

    /// Stores the elements, each of them with data from all values, behind the comparison.
    fn store_all(&mut self, place: &Place, bytes: u8, values: &[Tmp], sets: &[&'static str], done: Tmp) {
        let mut at = place.clone();
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                at = self.next_place(&at, bytes);
            }
            let extra = Extra { ctrl: vec![done], data: values.to_vec(), ..Extra::default() };
            self.store_at(&at, *value, bytes, sets, extra);
        }
    }

    fn write_all(&mut self, regs: &[&Gpr], values: &[Tmp], bytes: u8, data: &[Tmp], ctrl: &[Tmp]) {
        for (gpr, value) in regs.iter().zip(values) {
            let value = self.zero_extend(*value, 8 * bytes);
            let extra = Extra { ctrl: ctrl.to_vec(), data: data.to_vec(), ..Extra::default() };
            self.write_with(gpr, gpr.width, value, extra);
        }
    }
}

fn size(access: Access, width: Width) -> u8 {
    if access.bytes == 0 { width.bytes() } else { access.bytes }
}

fn pair_range(bytes: u8) -> (i128, i128) {
    let bytes = i128::from(bytes);
    (-64 * bytes, 63 * bytes)
}

/// An address as herd7 prints it.
fn shown(mem: &Mem) -> String {
    let base = &mem.base;
    match &mem.index {
        Index::Imm(offset) if mem.writeback => format!("[{base},#{offset}]!"),
        Index::Imm(0) => format!("[{base}]"),
        Index::Imm(offset) => format!("[{base},#{offset}]"),
        Index::Reg(index, None, 0) => format!("[{base},{index}]"),
        Index::Reg(index, None, amount) => format!("[{base},{index},LSL #{amount}]"),
        Index::Reg(index, Some(ext), 0) => format!("[{base},{index},{}]", ext.name),
        Index::Reg(index, Some(ext), amount) => format!("[{base},{index},{} #{amount}]", ext.name),
    }
}
