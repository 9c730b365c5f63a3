//! MIPS instructions as micro-ops. `$0` is the number zero: reading it is no event, writing it neither.

use super::syntax::Insn;
use super::table::{Kind, Width};
use crate::arch::ColumnCx;
use crate::arch::build::Translation;
use crate::arch::operands::Arg;
use crate::program::{AccessSize, BinOp, Extra, Op, Port, Target, Tmp, UnOp, Value, wrap};

/// Translates an instruction. Its operands fit the table's pattern.
pub fn lower(cx: &mut ColumnCx, insn: &Insn) -> Vec<Op> {
    Lowering::run(cx, insn, Lowering::instruction)
}

type Lowering<'a, 'c> = Translation<'a, 'c, Insn>;

impl Lowering<'_, '_> {
    fn instruction(&mut self) {
        match self.insn.entry.kind {
            Kind::Nop => {}
            Kind::Registers { op, width } => {
                let (a, b) = (self.read(1, Port::None), self.read(2, Port::None));
                let value = self.b.binary(op, a, b);
                self.result(value, width);
            }
            Kind::Nor => {
                let (a, b) = (self.read(1, Port::None), self.read(2, Port::None));
                let value = self.b.binary(BinOp::Or, a, b);
                let value = self.b.unary(UnOp::Not, value);
                self.result(value, Width::Double);
            }
            Kind::Immediate { op, width, signed } => {
                let a = self.read(1, Port::None);
                let n = self.int(2);
                let value = self.b.binary_int(op, a, if signed { wrap(n, 16) } else { n & 0xffff });
                self.result(value, width);
            }
            Kind::Shift { op, width, plus } => {
                let a = self.read(1, Port::None);
                let a = match (width, op) {
                    (Width::Double, _) => a,
                    (Width::Word, BinOp::Asr) => self.b.unary(UnOp::SignExtend(32), a),
                    (Width::Word, _) => self.b.unary(UnOp::ZeroExtend(32), a),
                };
                let value = self.b.binary_int(op, a, self.int(2) + i128::from(plus));
                self.result(value, width);
            }
            Kind::ShiftBy { op, width } => {
                let a = self.read(1, Port::None);
                let a = match (width, op) {
                    (Width::Double, _) => a,
                    (Width::Word, BinOp::Asr) => self.b.unary(UnOp::SignExtend(32), a),
                    (Width::Word, _) => self.b.unary(UnOp::ZeroExtend(32), a),
                };
                let amount = self.read(2, Port::None);
                let amount =
                    self.b.binary_int(BinOp::And, amount, if width == Width::Word { 31 } else { 63 });
                let value = self.b.binary(op, a, amount);
                self.result(value, width);
            }
            Kind::Unary { op, width } => {
                let a = self.read(1, Port::None);
                let value = self.b.unary(op, a);
                self.result(value, width);
            }
            Kind::MoveIf(op) => {
                let old = self.read(0, Port::None);
                self.choose(op, old);
            }
            Kind::Select(op) => {
                let zero = self.b.int(0);
                self.choose(op, zero);
            }
            Kind::Swapped(op) => {
                let (a, b) = (self.read(2, Port::None), self.read(1, Port::None));
                let value = self.b.binary(op, a, b);
                self.result(value, Width::Double);
            }
            Kind::LoadAddress => {
                if let Arg::Global(sym, _) = &self.insn.args[1] {
                    let value = self.b.value(Value::addr(*sym));
                    self.result(value, Width::Double);
                }
            }
            Kind::LoadImmediate => {
                // Numbers of 32 bits are those of the register's low word.
                let n = self.int(1);
                let value = self.b.int(if (0..1 << 32).contains(&n) { wrap(n, 32) } else { n });
                self.result(value, Width::Double);
            }
            Kind::LoadUpper => {
                let value = self.b.int(wrap(self.int(1) << 16, 32));
                self.result(value, Width::Double);
            }
            Kind::Move => {
                let value = self.read(1, Port::None);
                self.result(value, Width::Double);
            }
            Kind::Extract(width) => {
                let a = self.read(1, Port::None);
                let moved = self.b.binary_int(BinOp::Lsr, a, self.int(2));
                let value = self.b.unary(UnOp::ZeroExtend(self.int(3).clamp(0, 64) as u8), moved);
                self.result(value, width);
            }
            Kind::Load { bytes, signed, linked } => {
                let addr = self.address();
                if linked {
                    let monitor = self.cx.regs.intern("RESADDR");
                    self.b.push(Op::Reserve { addr, size: AccessSize(bytes) });
                    self.b.write(monitor, addr);
                }
                let value = self.b.load(addr, bytes, if linked { &["EX"] } else { &[] });
                let value = match (bytes, signed) {
                    (8, _) => value,
                    (_, true) => self.b.unary(UnOp::SignExtend(8 * bytes), value),
                    (_, false) => self.b.unary(UnOp::ZeroExtend(8 * bytes), value),
                };
                self.result(value, Width::Double);
            }
            Kind::Store { bytes } => {
                let value = self.read(0, Port::Data);
                let value = self.cut(value, bytes);
                let addr = self.address();
                self.b.store(addr, value, bytes, &[]);
            }
            Kind::StoreConditional { bytes } => self.store_conditional(bytes),
            Kind::Fence => self.b.fence(&["SYNC"]),
            Kind::Jump => self.b.jump(self.insn.args[0].pc()),
            Kind::Call => {
                self.link();
                self.b.jump(self.insn.args[0].pc());
            }
            Kind::CallTo => {
                // The target is read before the link register is written: they may be the same.
                let target = self.read(0, Port::None);
                self.link();
                self.b.push(Op::Jump { target: Target::Indirect(target) });
            }
            Kind::JumpTo => {
                let target = self.read(0, Port::None);
                match &self.insn.args[0] {
                    Arg::Reg(_, name) if name == "$31" => self.b.return_to(target),
                    _ => self.b.push(Op::Jump { target: Target::Indirect(target) }),
                }
            }
            Kind::JumpIf(op) => {
                let (a, b) = (self.read(0, Port::None), self.read(1, Port::None));
                let cond = self.b.binary(op, a, b);
                self.b.branch_if(cond, self.insn.args[2].pc());
            }
            Kind::JumpIfZero(op) => {
                let a = self.read(0, Port::None);
                let cond = self.b.binary_int(op, a, 0);
                self.b.branch_if(cond, self.insn.args[1].pc());
            }
        }
    }

    fn link(&mut self) {
        let back = self.cx.next_address();
        let back = self.b.value(back);
        let link = self.cx.regs.intern("$31");
        self.b.write(link, back);
    }

    /// The second register if the comparison of the third with zero holds, else `other`. The result depends on the
    /// third register either way.
    fn choose(&mut self, op: BinOp, other: Tmp) {
        let (value, tested) = (self.read(1, Port::None), self.read(2, Port::None));
        let cond = self.b.binary_int(op, tested, 0);
        let mut arm = |a: Tmp| {
            let outer = self.b.open();
            let dst = self.b.tmp();
            self.b.push(Op::Taint { dst, a, also: vec![tested] });
            self.result(dst, Width::Double);
            self.b.close(outer)
        };
        let (then, otherwise) = (arm(value), arm(other));
        self.b.push(Op::If { cond, then, otherwise });
    }

    /// The register gets 1 for success and 0 for failure; it depends on everything that was read.
    fn store_conditional(&mut self, bytes: u8) {
        let monitor = self.cx.regs.intern("RESADDR");
        let reserved = self.b.read(monitor, Port::None);
        let value = self.read(0, Port::Data);
        let value = self.cut(value, bytes);
        let addr = self.address();
        let all = Extra { data: vec![reserved, value, addr], ..Extra::default() };
        let (zero, one) = (self.b.int(0), self.b.int(1));
        self.b.write_with(monitor, zero, all.clone());
        let status = self.destination();
        let then = self.b.block(|b| {
            if let Some(status) = status {
                b.write_with(status, one, all.clone());
            }
            b.store_with(addr, value, bytes, &["EX"], Extra { data: vec![reserved], ..Extra::default() });
        });
        let otherwise = self.b.block(|b| {
            if let Some(status) = status {
                b.write_with(status, zero, all.clone());
            }
        });
        self.b.push(Op::Conditional { addr, size: AccessSize(bytes), then, otherwise });
    }

    fn result(&mut self, value: Tmp, width: Width) {
        let value = match width {
            Width::Word => self.b.unary(UnOp::SignExtend(32), value),
            Width::Double => value,
        };
        if let Some(reg) = self.destination() {
            self.b.write(reg, value);
        }
    }

    fn destination(&self) -> Option<crate::program::Reg> {
        match &self.insn.args[0] {
            Arg::Reg(_, name) if name == "$0" => None,
            arg => arg.reg(),
        }
    }

    fn address(&mut self) -> Tmp {
        let base = self.read(1, Port::Addr);
        self.b.offset(base, self.int(1))
    }

    fn cut(&mut self, value: Tmp, bytes: u8) -> Tmp {
        if bytes < 8 { self.b.unary(UnOp::ZeroExtend(8 * bytes), value) } else { value }
    }

    fn int(&self, index: usize) -> i128 {
        wrap(self.insn.args.get(index).map_or(0, Arg::int), 64)
    }

    fn read(&mut self, index: usize, port: Port) -> Tmp {
        match &self.insn.args[index] {
            Arg::Reg(reg, name) | Arg::Mem(_, reg, name) if name != "$0" => self.b.read(*reg, port),
            _ => self.b.int(0),
        }
    }
}
