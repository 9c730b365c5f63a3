//! Exceptions that instructions raise, the return from them, and cache maintenance.

use super::lower::{Lower, Text};
use super::syntax::{Kind, Width};
use crate::arch::ColumnCx;
use crate::arch::build::{Builder, names};
use crate::diag::Diagnostic;
use crate::program::{BranchKind, Extra, Op, Port, Resume, Value};

/// Where an exception leaves the address to return to, and its syndrome.
const ELR: &str = "ELR_EL1";
const ESR: &str = "ESR_EL1";

/// The syndrome of a supervisor call, but for its number.
const ESR_SVC: i128 = 0x5600_0000;

/// Operations of `DC` and `IC` on one address, and on everything.
const DATA: [&str; 6] = ["CVAU", "CVAC", "CIVAU", "CIVAC", "IVAU", "IVAC"];
const INSTRUCTION: [&str; 2] = ["IVAU", "IVAUIS"];
const ALL_INSTRUCTIONS: [&str; 2] = ["IALLU", "IALLUIS"];

impl Lower<'_, '_> {
    /// `UDF #n`: a fault that points at the instruction itself.
    pub fn undefined(&mut self) -> Result<Text, Diagnostic> {
        let number = self.imm(0, 0xffff)?;
        undefined_instruction(&mut self.b, self.cx, Extra::default());
        Ok(Text::Operands(format!("#{number}")))
    }

    /// `SVC #n`: a call, which comes back to the next instruction.
    pub fn supervisor_call(&mut self) -> Result<Text, Diagnostic> {
        let number = self.imm(0, 0xffff)?;
        let next = self.cx.next_address();
        self.write_system_value(ELR, next, Extra::default());
        self.write_system_value(ESR, Value::Int(ESR_SVC | number), Extra::default());
        self.b.push(Op::Fault {
            kind: "SupervisorCall".into(),
            sets: names(&["FAULT", "FAULT-RD", "EXC-ENTRY", "no-loc", "SVC"]),
            addr: None,
            resume: Resume::Next,
            extra: Extra::default(),
        });
        Ok(Text::Operands(format!("#{number}")))
    }

    fn write_system_value(&mut self, name: &str, value: Value, extra: Extra) {
        let register = self.cx.regs.intern(name);
        let value = self.b.value(value);
        self.b.write_with(register, value, extra);
    }

    /// `ERET`: the return comes first, the address is read for it.
    pub fn exception_return(&mut self) -> Result<Text, Diagnostic> {
        let (returned, target) = (self.b.tmp(), self.b.tmp());
        let extra = Extra { done: Some(returned), ..Extra::default() };
        self.b.push(Op::Branch { kind: BranchKind::Return, cond: None, extra });
        let reg = self.cx.regs.intern(ELR);
        let extra = Extra { data: vec![returned], ..Extra::default() };
        self.b.push(Op::ReadRegWith { dst: target, reg, port: Port::None, extra });
        self.b.push(Op::ExceptionReturn { target });
        Ok(Text::Operands(String::new()))
    }

    /// `DC op,Xn` and `IC op{,Xn}`: events of their own kind, at the address.
    pub fn cache(&mut self, instruction: bool) -> Result<Text, Diagnostic> {
        let (cache, by_address) = if instruction { ("IC", &INSTRUCTION[..]) } else { ("DC", &DATA[..]) };
        let wanted = "a maintenance operation";
        let Some(Kind::Name(name)) = self.peek() else { return Err(self.expected(wanted)) };
        let operation = name.to_ascii_uppercase();
        let all = instruction && ALL_INSTRUCTIONS.contains(&operation.as_str());
        if !all && !by_address.contains(&operation.as_str()) {
            let mut known = by_address.to_vec();
            known.extend(if instruction { &ALL_INSTRUCTIONS[..] } else { &[] });
            let help = format!("the operations of `{cache}` are {}", known.join(", "));
            return Err(self.expected(wanted).help(help));
        }
        self.skip();
        let sets = vec![format!("{cache}.{operation}").into()];
        if all {
            self.b.push(Op::Other { addr: None, sets, extra: Extra::default() });
            // herd7 prints the register that is not there, and hashes it.
            return Ok(Text::Operands(format!("{operation},XZR")));
        }
        let rn = self.reg_of(Width::X)?;
        let addr = self.read(rn, Width::X, Port::Addr);
        self.b.push(Op::Other { addr: Some(addr), sets, extra: Extra::default() });
        Ok(Text::Operands(format!("{operation},{rn}")))
    }
}

/// The fault of an instruction that is none: it points at the instruction itself.
pub fn undefined_instruction(b: &mut Builder, cx: &mut ColumnCx, extra: Extra) {
    let here = b.value(Value::Code { thread: cx.thread as u16, pc: cx.pc as u16 });
    b.write_with(cx.regs.intern(ELR), here, extra.clone());
    b.push(Op::Fault {
        kind: "UndefinedInstruction".into(),
        sets: names(&["FAULT", "FAULT-RD", "EXC-ENTRY", "no-loc", "UndefinedInstruction"]),
        addr: None,
        resume: Resume::Again,
        extra,
    });
}
