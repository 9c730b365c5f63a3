//! What expressions compute: precedence and conversions, by running a thread.

use super::{KernelVersion, translate};
use crate::program::{Op, Program, Reg, Target, Tmp, Value, eval_binary, eval_unary};

/// Runs a thread that touches nothing but registers and gives the final value of `r`.
fn run(program: &Program) -> Option<Value> {
    let mut regs = vec![Value::ZERO; program.regs.len()];
    let mut pc = 0;
    let code = &program.threads[0].code;
    for _ in 0..1000 {
        let Some(instr) = code.get(pc) else { break };
        let mut tmps = vec![Value::ZERO; 1000];
        let next = ops(&instr.ops, &mut tmps, &mut regs, program.bits)?;
        pc = next.unwrap_or(pc + 1);
    }
    program.regs.find("r").map(|Reg(r)| regs[r as usize])
}

/// `None`: not possible here. `Some(pc)`: a jump.
fn ops(list: &[Op], tmps: &mut [Value], regs: &mut [Value], bits: u32) -> Option<Option<usize>> {
    let mut next = None;
    let at = |tmp: Tmp| usize::from(tmp.0);
    for op in list {
        match op {
            Op::Const { dst, value } => tmps[at(*dst)] = *value,
            Op::Unary { dst, op, a } => tmps[at(*dst)] = eval_unary(*op, tmps[at(*a)], bits).ok()?,
            Op::Binary { dst, op, a, b } => {
                tmps[at(*dst)] = eval_binary(*op, tmps[at(*a)], tmps[at(*b)], bits).ok()?;
            }
            Op::Taint { dst, a, .. } => tmps[at(*dst)] = tmps[at(*a)],
            Op::ReadReg { dst, reg, .. } => tmps[at(*dst)] = regs[usize::from(reg.0)],
            Op::WriteReg { reg, src, .. } => regs[usize::from(reg.0)] = tmps[at(*src)],
            Op::If { cond, then, otherwise } => {
                let branch = if tmps[at(*cond)] == Value::ZERO { otherwise } else { then };
                next = ops(branch, tmps, regs, bits)?.or(next);
            }
            Op::Goto { pc } | Op::Jump { target: Target::Pc(pc) } => next = Some(*pc),
            Op::CondBegin | Op::CondEnd | Op::ControlSave { .. } | Op::ControlRestore { .. } => {}
            Op::LoopHead { .. } | Op::LoopEnter { .. } => {}
            Op::Stop => next = Some(usize::MAX),
            _ => return None,
        }
    }
    Some(next)
}

fn value_of(body: &str) -> i128 {
    let checked = translate(&format!("P0() {{ {body} }}"), None, KernelVersion::V1);
    let program = checked.program.unwrap_or_else(|| panic!("{body}: {}", checked.report));
    run(&program).and_then(Value::as_int).unwrap_or_else(|| panic!("{body}"))
}

#[test]
fn precedence_is_that_of_c() {
    for (text, value) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("1 << 2 + 1", 8),
        ("1 | 2 ^ 3 & 1", 3),
        ("5 & 3 == 3", 1),
        ("1 < 2 == 1", 1),
        ("7 % 4 * 2", 6),
        ("-7 / 2", -3),
        ("-7 % 4", -3),
        ("!0 + ~0", 0),
        ("- -3", 3),
        ("1 ? 2 : 0 ? 3 : 4", 2),
        ("0 ? 2 : 0 ? 3 : 4", 4),
        ("1 || 0 && 0", 1),
        ("0x1f + 010 + 0b11", 42),
        ("'a'", 97),
        ("'\\x41' + '\\101' + '\\0' + '\\n'", 140),
        ("'\\xff'", -1),
        ("sizeof(long) + sizeof(int *) * 2", 24),
        ("1-1", 0),
        ("(int)3", 3),
        ("5 - -1", 6),
    ] {
        assert_eq!(value_of(&format!("int r = {text};")), value, "{text}");
    }
}

#[test]
fn values_are_converted_to_the_type_of_their_variable() {
    for (declaration, value) in [
        ("char r = 200;", -56),
        ("unsigned char r = -1;", 255),
        ("int16_t r = 0x18000;", -32768),
        ("uint16_t r = 65536 + 5;", 5),
        ("int r = 2147483647 + 1;", -2147483648),
        ("unsigned r = 0 - 1;", 4294967295),
        ("int64_t r = 2147483647 + 1;", -2147483648),
        ("int64_t r = 2147483647L + 1;", 2147483648),
        ("uint64_t r = -1;", 18446744073709551615),
        ("int r = -1 < 1u;", 0),
        ("int r = -1 < 1;", 1),
        ("long r = INT_MAX + 1L;", 2147483648),
        ("int r = INT8_MIN + UCHAR_MAX;", 127),
        ("int r = UINT_MAX > -1;", 0),
        ("uint64_t r = UINT64_MAX;", 18446744073709551615),
        ("int r = (char)-1 == (unsigned char)-1;", 0),
        ("int r = (char)-1 < 1u;", 0),
        ("long r = (unsigned)-1 + 1;", 0),
        ("long r = (unsigned char)255 + 1;", 256),
        ("_Bool r = 7;", 1),
        ("int r = 1u << 31 >> 31;", 1),
        ("int r = 1 << 31 >> 31;", -1),
        ("int r = -8 >> 1;", -4),
        ("unsigned r = -8; r >>= 1;", 2147483644),
        ("int r = -1 / 2u == 2147483647;", 1),
        ("__int128 r = (__int128)1 << 100;", 1 << 100),
    ] {
        assert_eq!(value_of(declaration), value, "{declaration}");
    }
}

#[test]
fn assignments_inside_expressions_and_steps() {
    assert_eq!(value_of("int a = 1; int r = (a = 4) + a++ * 0;"), 4);
    assert_eq!(value_of("int r = 5; r += 3; r *= 2; r -= 1; r ^= 1; r %= 8;"), 6);
    assert_eq!(value_of("int a = 3; int b = a++; int r = 10 * a + b;"), 43);
    assert_eq!(value_of("int a = 3; int b = --a; int r = 10 * a + b;"), 22);
    assert_eq!(value_of("unsigned char a = 255; a++; int r = a;"), 0);
    assert_eq!(value_of("int a; int r; r = a = 7;"), 7);
    assert_eq!(value_of("int a = 1; int r = (a++, a + 1);"), 3);
}

#[test]
fn control_flow() {
    assert_eq!(value_of("int r = 0; for (int i = 0; i < 5; i++) { if (i == 3) continue; r += i; }"), 7);
    assert_eq!(value_of("int r = 0; while (1) { r++; if (r == 4) break; }"), 4);
    assert_eq!(value_of("int r = 0; do r++; while (r < 3);"), 3);
    assert_eq!(
        value_of(
            "int r = 0; switch (2) { case 1: r = 1; case 2: r += 2; case 3: r += 3; break; default: r = 9; }"
        ),
        5
    );
    assert_eq!(value_of("int r = 0; switch (7) { case 1: r = 1; break; default: r = 9; }"), 9);
    assert_eq!(value_of("int r = 1; { int r = 2; r = 3; }"), 1);
    assert_eq!(value_of("int r = 1; if (r) return; r = 2;"), 1);
    assert_eq!(
        value_of(
            "int i = 0; int r = 0; for (;;) { switch (i++) { case 2: continue; case 4: goto out; } r += i; } out: ;"
        ),
        7
    );
}

#[test]
fn helpers_take_values_and_return_them() {
    let text = "int twice(int a) { a = a + a; return a; }
        int larger(int a, int b) { if (a > b) return a; else return b; }
        P0() { int a = 4; int r = larger(twice(a), twice(a + 1)) + (twice(1) == 2 ? twice(50) : 0) + a; }";
    let checked = translate(text, None, KernelVersion::V1);
    let program = checked.program.unwrap_or_else(|| panic!("{}", checked.report));
    assert_eq!(run(&program), Some(Value::Int(114)));
}
