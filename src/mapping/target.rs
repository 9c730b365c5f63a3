//! What each target writes for arithmetic and branches, and which registers it has.

use crate::arch::ArchId;
use crate::arch::c::ast::BinaryOp;

/// Can C be compiled to this?
pub(super) fn knows(arch: ArchId) -> bool {
    matches!(arch, ArchId::X86 | ArchId::AArch64 | ArchId::Arm | ArchId::Ppc | ArchId::RiscV)
}

/// The `n`-th register of a thread, for values.
pub(super) fn register(arch: ArchId, n: usize) -> Option<String> {
    Some(match arch {
        // EAX is where CMPXCHG looks.
        ArchId::X86 => ["EBX", "ECX", "EDX", "ESI", "EDI"].get(n)?.to_string(),
        ArchId::AArch64 if n < 19 => format!("W{n}"),
        ArchId::Arm if n < 8 => format!("R{n}"),
        ArchId::Ppc if n < 19 => format!("r{}", n + 1),
        ArchId::RiscV if n < 14 => format!("x{}", n + 5),
        _ => return None,
    })
}

/// The register that holds the address of a thread's `n`-th location, or the location itself where instructions can name it.
pub(super) fn address(arch: ArchId, n: usize, location: &str) -> Option<String> {
    Some(match arch {
        ArchId::X86 => location.to_string(),
        ArchId::AArch64 if n < 10 => format!("X{}", n + 20),
        ArchId::Arm if n < 5 => format!("R{}", n + 8),
        ArchId::Ppc if n < 10 => format!("r{}", n + 20),
        ArchId::RiscV if n < 10 => format!("x{}", n + 20),
        _ => return None,
    })
}

/// Does a thread find addresses in registers?
pub(super) fn addresses_in_registers(arch: ArchId) -> bool {
    arch != ArchId::X86
}

/// The name that conditions have for a register.
pub(super) fn shown(arch: ArchId, register: &str) -> String {
    if arch == ArchId::AArch64 { register.replacen('W', "X", 1) } else { register.to_string() }
}

/// A constant into a register.
pub(super) fn constant(arch: ArchId, to: &str, value: i128) -> String {
    match arch {
        ArchId::X86 => format!("MOV {to},${value}"),
        ArchId::AArch64 | ArchId::Arm => format!("MOV {to},#{value}"),
        ArchId::Ppc => format!("li {to},{value}"),
        _ => format!("ori {to},x0,{value}"),
    }
}

/// A register into another.
pub(super) fn copy(arch: ArchId, to: &str, from: &str) -> String {
    match arch {
        ArchId::X86 | ArchId::AArch64 | ArchId::Arm => format!("MOV {to},{from}"),
        ArchId::Ppc => format!("addi {to},{from},0"),
        _ => format!("ori {to},{from},0"),
    }
}

/// `to = a op b`, all in registers; `None`: there is no such instruction here.
pub(super) fn arithmetic(arch: ArchId, op: BinaryOp, to: &str, a: &str, b: &str) -> Option<Vec<String>> {
    let word = match (op, arch) {
        (BinaryOp::Add, _) => "add",
        (BinaryOp::Sub, ArchId::Ppc) => return Some(vec![format!("subf {to},{b},{a}")]),
        (BinaryOp::Sub, _) => "sub",
        (BinaryOp::And, _) => "and",
        (BinaryOp::Or, ArchId::Arm | ArchId::AArch64) => "orr",
        (BinaryOp::Or, _) => "or",
        (BinaryOp::Xor, ArchId::Arm | ArchId::AArch64) => "eor",
        (BinaryOp::Xor, _) => "xor",
        _ => return None,
    };
    let upper = word.to_uppercase();
    Some(match arch {
        ArchId::X86 => vec![format!("MOV {to},{a}"), format!("{upper} {to},{b}")],
        ArchId::AArch64 | ArchId::Arm => vec![format!("{upper} {to},{a},{b}")],
        _ => vec![format!("{word} {to},{a},{b}")],
    })
}

/// Goes to a label if `a op b` does not hold.
pub(super) fn unless(arch: ArchId, op: BinaryOp, a: &str, b: &str, label: &str) -> Option<Vec<String>> {
    // The opposite condition, as x86, Arm and Power call it.
    let (x86, arm, power) = match op {
        BinaryOp::Eq => ("JNE", "NE", "bne"),
        BinaryOp::Ne => ("JE", "EQ", "beq"),
        BinaryOp::Lt => ("JGE", "GE", "bge"),
        BinaryOp::Le => ("JG", "GT", "bgt"),
        BinaryOp::Gt => ("JLE", "LE", "ble"),
        BinaryOp::Ge => ("JL", "LT", "blt"),
        _ => return None,
    };
    Some(match arch {
        ArchId::X86 => vec![format!("CMP {a},{b}"), format!("{x86} {label}")],
        ArchId::AArch64 => vec![format!("CMP {a},{b}"), format!("B.{arm} {label}")],
        ArchId::Arm => vec![format!("CMP {a},{b}"), format!("B{arm} {label}")],
        ArchId::Ppc => vec![format!("cmpw {a},{b}"), format!("{power} {label}")],
        _ => match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Ge => {
                let word = if op == BinaryOp::Lt { "bge" } else { power };
                vec![format!("{word} {a},{b},{label}")]
            }
            // a <= b fails if b < a, a > b fails if b >= a.
            BinaryOp::Le => vec![format!("blt {b},{a},{label}")],
            _ => vec![format!("bge {b},{a},{label}")],
        },
    })
}

/// Goes to a label.
pub(super) fn jump(arch: ArchId, label: &str) -> String {
    match arch {
        ArchId::X86 => format!("JMP {label}"),
        ArchId::AArch64 | ArchId::Arm => format!("B {label}"),
        ArchId::Ppc => format!("b {label}"),
        _ => format!("j {label}"),
    }
}
