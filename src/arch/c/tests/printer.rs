//! Micro-ops as short text.

use crate::program::{BinOp, Extra, Op, Program, SetName, Target, Tmp, Value};

/// All threads.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for (index, thread) in program.threads.iter().enumerate() {
        out.push_str(&format!("P{index}\n"));
        for (pc, instr) in thread.code.iter().enumerate() {
            let ops: Vec<String> = instr.ops.iter().map(|op| show(op, program)).collect();
            let ops = if ops.is_empty() { "nop".to_string() } else { ops.join("; ") };
            out.push_str(&format!(" {pc}: {ops}\n"));
        }
    }
    out
}

fn t(tmp: Tmp) -> String {
    format!("t{}", tmp.0)
}

fn list(ops: &[Op], program: &Program) -> String {
    ops.iter().map(|op| show(op, program)).collect::<Vec<_>>().join("; ")
}

fn sets(sets: &[SetName]) -> String {
    let shown: Vec<&str> =
        sets.iter().map(AsRef::as_ref).filter(|set| *set != "annot" && *set != "X").collect();
    shown.join(",")
}

fn extra(extra: &Extra) -> String {
    let mut out = String::new();
    for (name, tmps) in [("ctrl", &extra.ctrl), ("order", &extra.order), ("data", &extra.data)] {
        if !tmps.is_empty() {
            let tmps: Vec<String> = tmps.iter().map(|tmp| t(*tmp)).collect();
            out.push_str(&format!(" {name}({})", tmps.join(",")));
        }
    }
    if let Some(done) = extra.done {
        out.push_str(&format!(" as {}", t(done)));
    }
    out
}

fn symbol(op: BinOp) -> String {
    let text = match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Lt => "<",
        BinOp::Gt => ">",
        BinOp::Shl => "<<",
        other => return format!("{other:?}"),
    };
    text.to_string()
}

fn value(value: Value, program: &Program) -> String {
    match value {
        Value::Int(n) => n.to_string(),
        Value::Addr { sym, offset: 0 } => format!("&{}", program.symbols[sym.0 as usize]),
        other => format!("{other:?}"),
    }
}

fn show(op: &Op, program: &Program) -> String {
    match op {
        Op::Const { dst, value: v } => format!("{} = {}", t(*dst), value(*v, program)),
        Op::Unary { dst, op, a } => format!("{} = {op:?} {}", t(*dst), t(*a)),
        Op::Binary { dst, op, a, b } => format!("{} = {} {} {}", t(*dst), t(*a), symbol(*op), t(*b)),
        Op::Taint { dst, a, also } => {
            let also: Vec<String> = also.iter().map(|tmp| t(*tmp)).collect();
            format!("{} = {} from({})", t(*dst), t(*a), also.join(","))
        }
        Op::ReadReg { dst, reg, .. } => format!("{} = {}", t(*dst), program.regs.name(*reg)),
        Op::WriteReg { reg, src, .. } => format!("{} := {}", program.regs.name(*reg), t(*src)),
        Op::Load { dst, addr, sets: s, extra: e, .. } => {
            format!("{} = R[{}]{{{}}}{}", t(*dst), t(*addr), sets(s), extra(e))
        }
        Op::Store { addr, value, sets: s, extra: e, .. } => {
            format!("W[{}]{{{}}}={}{}", t(*addr), sets(s), t(*value), extra(e))
        }
        Op::Rmw { dst, addr, ops, update, sets: s, extra: e, .. } => format!(
            "{} = RMW[{}]{{{}}}({}{}{}){}",
            t(*dst),
            t(*addr),
            sets(s),
            list(ops, program),
            if ops.is_empty() { "" } else { "; " },
            t(*update),
            extra(e)
        ),
        Op::Fence { sets: s, extra: e } => format!("F{{{}}}{}", sets(s), extra(e)),
        Op::Other { addr, sets: s, extra: e } => {
            let addr = addr.map(t).unwrap_or_default();
            format!("E[{addr}]{{{}}}{}", sets(s), extra(e))
        }
        Op::If { cond, then, otherwise } => {
            format!("if {} {{ {} }} else {{ {} }}", t(*cond), list(then, program), list(otherwise, program))
        }
        Op::Choice { branches } => {
            let branches: Vec<String> =
                branches.iter().map(|b| format!("{{ {} }}", list(b, program))).collect();
            format!("choice {}", branches.join(" or "))
        }
        Op::Assume { cond } | Op::Await { cond, .. } => format!("assume {}", t(*cond)),
        Op::Jump { target: Target::Pc(pc) } => format!("jump {pc}"),
        Op::Goto { pc } => format!("goto {pc}"),
        Op::CondBegin => "cond(".to_string(),
        Op::CondEnd => ")".to_string(),
        Op::ControlSave { id } => format!("save {id}"),
        Op::ControlRestore { id } => format!("restore {id}"),
        Op::LoopHead { id } => format!("loop {id}"),
        Op::LoopEnter { id } => format!("enter {id}"),
        other => format!("{other:?}"),
    }
}
