//! Branches and barriers.

use super::lower::{Lower, Text};
use super::syntax::{Kind, Width};
use super::table::{BARRIERS, CONDITIONS};
use crate::arch::errors;
use crate::diag::Diagnostic;
use crate::program::{BinOp, BranchKind, Op, Port, Target, Tmp, UnOp};

impl Lower<'_, '_> {
    /// A branch target: where, and how it is written.
    pub fn target(&mut self) -> Result<(usize, String), Diagnostic> {
        let here = self.here();
        match self.peek() {
            Some(Kind::Name(label)) => {
                self.skip();
                match self.cx.labels.iter().find(|(name, _)| name == label) {
                    Some((_, pc)) if self.cx.relative => {
                        let bytes = 4 * (*pc as i128 - self.cx.pc as i128);
                        Ok((*pc, format!(".{bytes:+}")))
                    }
                    Some((_, pc)) => Ok((*pc, label.clone())),
                    None => Err(errors::unknown_label(label, self.cx.thread, here, self.cx.labels)),
                }
            }
            Some(Kind::Relative(bytes)) => {
                self.skip();
                let pc = self.cx.pc as i128 + bytes / 4;
                if bytes % 4 != 0 || pc < 0 || pc > self.cx.length as i128 {
                    let message = "this is not the offset of an instruction of the thread".to_string();
                    return Err(errors::bad_operand(here, message, "instructions are 4 bytes long"));
                }
                Ok((pc as usize, format!(".{bytes:+}")))
            }
            // A label may be spelled like a register or a keyword.
            _ => Err(self.expected("a label")),
        }
    }

    pub fn branch(&mut self) -> Result<Text, Diagnostic> {
        let (pc, shown) = self.target()?;
        match self.mnemonic.cond {
            None => {
                self.b.jump(pc);
                Ok(Text::Operands(shown))
            }
            Some(cond) => {
                let nzcv = self.nzcv();
                let flags = self.b.read(nzcv, Port::None);
                let holds = self.condition_holds(cond, flags);
                self.b.branch_if(holds, pc);
                Ok(Text::Whole(format!("B.{} {shown}", CONDITIONS[cond].0)))
            }
        }
    }

    pub fn compare_branch(&mut self, op: BinOp) -> Result<Text, Diagnostic> {
        let rt = self.reg()?;
        let (pc, shown) = self.target()?;
        let value = self.read(rt, rt.width, Port::None);
        let cond = self.b.binary_int(op, value, 0);
        self.b.branch_if(cond, pc);
        Ok(Text::Operands(format!("{rt},{shown}")))
    }

    pub fn test_branch(&mut self, op: BinOp) -> Result<Text, Diagnostic> {
        let rt = self.reg()?;
        let bit = self.imm(0, i128::from(rt.width.bits()) - 1)?;
        let (pc, shown) = self.target()?;
        let value = self.read(rt, rt.width, Port::None);
        let value = self.b.unary(UnOp::Bit(bit as u8), value);
        let cond = self.b.binary_int(op, value, 0);
        self.b.branch_if(cond, pc);
        Ok(Text::Operands(format!("{rt},#{bit},{shown}")))
    }

    pub fn branch_link(&mut self) -> Result<Text, Diagnostic> {
        let (pc, shown) = self.target()?;
        match self.has_stacks() {
            true => {
                self.guarded_link(None);
            }
            false => self.link(),
        }
        self.b.jump(pc);
        Ok(Text::Operands(shown))
    }

    pub fn branch_register(&mut self) -> Result<Text, Diagnostic> {
        let rn = self.reg_of(Width::X)?;
        let target = self.read(rn, Width::X, Port::None);
        self.jump_to(target);
        Ok(Text::Operands(rn.to_string()))
    }

    pub fn branch_link_register(&mut self) -> Result<Text, Diagnostic> {
        let rn = self.reg_of(Width::X)?;
        if self.has_stacks()
            && let Some(target) = self.guarded_link(rn.reg)
        {
            self.jump_to(target);
            return Ok(Text::Operands(rn.to_string()));
        }
        // The target is read before the link register is written: they may be the same.
        let target = self.read(rn, Width::X, Port::None);
        self.link();
        self.jump_to(target);
        Ok(Text::Operands(rn.to_string()))
    }

    pub fn ret(&mut self) -> Result<Text, Diagnostic> {
        let (reg, shown) = match self.peek() {
            None => (Some(self.cx.regs.intern("X30")), String::new()),
            Some(_) => {
                let rn = self.reg_of(Width::X)?;
                (rn.reg, rn.to_string())
            }
        };
        if self.has_stacks() {
            self.guarded_return(reg);
            return Ok(Text::Operands(shown));
        }
        let target = match reg {
            Some(reg) => self.b.read(reg, Port::None),
            None => self.b.int(0),
        };
        self.b.branch(BranchKind::Bcc, Some(target));
        let target = self.branch_address(target);
        // Nobody called a thread whose return address was never set: returning ends it.
        let none = self.b.unary(UnOp::IsZero, target);
        let otherwise = vec![Op::Jump { target: Target::Indirect(target) }];
        self.b.push(Op::If { cond: none, then: vec![Op::Stop], otherwise });
        Ok(Text::Operands(shown))
    }

    fn jump_to(&mut self, target: Tmp) {
        self.b.branch(BranchKind::Bcc, Some(target));
        let target = self.branch_address(target);
        self.b.push(Op::Jump { target: Target::Indirect(target) });
    }

    fn link(&mut self) {
        let next = self.cx.next_address();
        let next = self.b.value(next);
        let link = self.cx.regs.intern("X30");
        self.b.write(link, next);
    }

    /// A landing pad, of which nothing but branches that miss it would take notice.
    pub fn branch_target(&mut self) -> Result<Text, Diagnostic> {
        let Some(Kind::Name(name)) = self.peek() else { return Ok(Text::Operands(String::new())) };
        let name = name.to_ascii_uppercase();
        if !["C", "J", "JC"].contains(&name.as_str()) {
            return Err(self.expected("C, J or JC"));
        }
        self.skip();
        Ok(Text::Operands(name))
    }

    pub fn barrier(&mut self) -> Result<Text, Diagnostic> {
        let option = match self.peek() {
            Some(Kind::Name(name)) => name.to_ascii_uppercase(),
            _ => return Err(self.expected("what the barrier orders, such as `SY`")),
        };
        let Some((option, dmb, dsb)) = BARRIERS.iter().find(|(name, ..)| *name == option) else {
            let help = BARRIERS.map(|(name, ..)| name).join(", ");
            return Err(self.expected("a barrier option").help(format!("the options are {help}")));
        };
        self.skip();
        self.b.fence(&[if self.mnemonic.entry.name == "DMB" { dmb } else { dsb }]);
        Ok(Text::Operands(option.to_string()))
    }

    pub fn isb(&mut self) -> Result<Text, Diagnostic> {
        if let Some(Kind::Name(name)) = self.peek()
            && name.eq_ignore_ascii_case("SY")
        {
            self.skip();
        }
        self.b.fence(&["ISB"]);
        Ok(Text::Operands(String::new()))
    }
}
