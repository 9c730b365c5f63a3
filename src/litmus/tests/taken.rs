//! Tests that are taken: what the parts of the format mean.

use super::load;
use crate::diag::{Color, render_all};
use crate::litmus::{Lowered, parse};
use crate::outcome::{StateStyle, format_state};
use crate::program::{Sym, Value};
use crate::source::Sources;

fn taken(text: &str) -> Lowered {
    load(text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// The state line of the initial values.
fn initial(test: &Lowered) -> String {
    let values: Vec<Value> = test
        .shown
        .iter()
        .map(|observable| match observable {
            crate::condition::Observable::Reg(thread, reg) => {
                let set =
                    test.program.init_regs.iter().find(|(t, r, _)| (*t, *r) == (*thread as usize, *reg));
                set.map_or(Value::ZERO, |(_, _, value)| *value)
            }
            crate::condition::Observable::Loc(loc) => test.program.locations[loc.0 as usize].init,
            _ => Value::ZERO,
        })
        .collect();
    format_state(&values, test, &StateStyle::default())
}

/// A test around an initial state and a final part.
fn around(init: &str, fin: &str) -> Lowered {
    taken(&format!("X86 t\n{{ {init} }}\n P0 | P1 ;\n L0: MOV EAX,[x] | L1: MOV [y],$1 ;\n{fin}\n"))
}

#[test]
fn names_and_header() {
    let name = |header: &str| taken(&format!("{header}\n{{}}\n P0 ;\n MOV EAX,[x] ;\n")).name;
    assert_eq!(name("X86 SB+x.y/z[1]:2 (tex)"), "SB+x.y/z[1]:2");
    assert_eq!(name("X86 SB.litmus \"doc\""), "SB");
    assert_eq!(name("X86 --"), "t");
    assert_eq!(name("\n\n(* first *)\nX86\tSB\r"), "SB");
    assert_eq!(name("\u{feff}X86 SB ;"), "SB");
}

#[test]
fn doc_string_and_info_fields() {
    let text = "X86 SB\n \"two\nlines\"\nCycle=a b\r\nVariant = mixed, S128\n (* Hash=no { *) free text = nothing {\n}\n P0 ;\n NOP ;\n";
    let mut sources = Sources::new();
    let source = sources.add("t.litmus", text);
    let test = parse(&sources, source).map_err(|d| render_all(&d, &sources, Color::Never)).expect("parses");
    assert_eq!(test.doc.as_deref(), Some("two\nlines"));
    let info: Vec<String> = test.info.iter().map(|info| format!("{}={}", info.key, info.value)).collect();
    assert_eq!(info, ["Cycle=a b", "Variant=mixed, S128"]);
}

#[test]
fn line_ends_tabs_and_comments_do_not_matter() {
    let plain = "X86 SB\n{ x=1; }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nexists (1:EAX=1)\n";
    let odd = "X86 SB\r\n{\tx=1;\t}\r\n\tP0\t|\tP1\t;\r\n\tMOV [x],$1\t(* ; | *)|\tMOV EAX,[x]\t;\r\nexists\t(1:EAX=1)\r\n";
    assert_eq!(taken(plain).hashes, taken(odd).hashes);
    assert_eq!(taken(plain).condition_text, taken(odd).condition_text);
    assert!(taken(plain.trim_end()).hashes == taken(plain).hashes, "the last line end may be missing");
}

#[test]
fn initial_values_and_types() {
    let test = around(
        "uint8_t x=0x1ff; int y=-1; 0:EAX=x; *p=&y; int v[2]={1,2}; 1:EBX=v[1]; q=P1:L1; [z]=5; uint32_t 0:ECX=-1;",
        "locations [x; y; 0:EAX; p; v; v[1]; 1:EBX; q; z; 0:ECX; 0:EDX;]",
    );
    assert_eq!(
        initial(&test),
        "0:EAX=x; 0:ECX=4294967295; 0:EDX=0; 1:EBX=v+4; [p]=y; [q]=label:\"P1:L1\"; v={1,2}; [x]=255; [y]=-1; [z]=5; v[1]=2;"
    );
}

#[test]
fn symbolic_registers_belong_to_the_threads_that_use_them() {
    let test = taken("ARM t\n{ %a=x; %ab=y; }\n P0 | P1 ;\n LDR R0,[%a] | LDR R0,[%ab] ;\n");
    let set: Vec<(usize, &str, Value)> = test
        .program
        .init_regs
        .iter()
        .map(|(thread, reg, value)| (*thread, test.program.regs.name(*reg), *value))
        .collect();
    assert_eq!(set, [(0, "%a", Value::addr(Sym(0))), (1, "%ab", Value::addr(Sym(1)))]);
}

#[test]
fn conditions_print_as_herd7_prints_them() {
    let text = |fin: &str| around("int v[2]; int64_t w;", fin).condition_text;
    assert_eq!(text(""), "forall (true)");
    assert_eq!(text("exists x=1/\\y=0x10"), "exists ([x]=1 /\\ [y]=16)");
    assert_eq!(text("~ exists (P0:EAX == 1)"), "~exists (0:EAX=1)");
    assert_eq!(text("final x=1;"), "exists ([x]=1)");
    assert_eq!(
        text("forall (x=1 \\/ y!=2 /\\ ~x<>3)"),
        "forall ([x]=1 \\/ not ([y]=2) /\\ not (not ([x]=3)))"
    );
    assert_eq!(
        text("exists (x=1 \\/ y=1) /\\ (x=2 /\\ y=2)"),
        "exists (([x]=1 \\/ [y]=1) /\\ [x]=2 /\\ [y]=2)"
    );
    assert_eq!(text("exists x=1 /\\ y=1 => x=2"), "exists ([x]=1 /\\ ([y]=1 => [x]=2))");
    assert_eq!(text("exists x=1 => y=1 /\\ x=2"), "exists (([x]=1 => [y]=1) /\\ [x]=2)");
    assert_eq!(text("exists (x=1 /\\ y=1) => x=2 => true"), "exists (([x]=1 /\\ [y]=1) => [x]=2 => true)");
    assert_eq!(text("exists v={1,2} \\/ v[1]=3"), "exists (v={1,2} \\/ v[1]=3)");
    assert_eq!(
        text("exists 0:EAX=x \\/ 0:EAX=1:EAX \\/ x=[y]"),
        "exists (0:EAX=x \\/ 0:EAX=1:EAX \\/ [x]=[y])"
    );
    assert_eq!(text("observed x=1; y=2; and x=3;"), "exists ([x]=1 /\\ [y]=2 \\/ [x]=3)");
    assert_eq!(text("exists x=0xffffffff"), "exists ([x]=-1)");
    assert_eq!(text("final (x=1) with tso: ~exists; cc: exists; << junk"), "exists ([x]=1)");
}

#[test]
fn state_lines_show_what_is_asked_for_once_and_in_order() {
    let test = around(
        "int v[2];",
        "locations [v[1]; y; 1:EBX; v; x;] filter 0:ECX=0 exists (1:EAX=0 /\\ 0:EDX=1:EAX /\\ y=1)",
    );
    assert_eq!(initial(&test), "0:EDX=0; 1:EAX=0; 1:EBX=0; v={0,0}; [x]=0; [y]=0; v[1]=0;");
    assert_eq!(test.observed.len(), test.shown.len(), "v[1] counts once, and the filter adds 0:ECX");
    assert!(initial(&around("", "")).is_empty());
}

#[test]
fn values_are_cut_to_the_declared_type() {
    let test = taken(
        "RISCV t\n{ 0:x5=0x100000001; uint64_t 0:x6=-1; int8_t y=0xff; x=0xffffffffffffffff; }\n P0 ;\n nop ;\n\
         locations [0:x5; 0:x6; y; x;]",
    );
    assert_eq!(initial(&test), "0:x5=1; 0:x6=18446744073709551615; [x]=-1; [y]=-1;");
    let values = [0x1_0000_0001, -1, -1, -1].map(Value::Int);
    let hexa = StateStyle { hexa: true, brackets: false };
    assert_eq!(
        format_state(&values, &test, &hexa),
        "0:x5=0x1; 0:x6=0xffffffffffffffff; x=0xffffffff; y=0xff;"
    );
}

#[test]
fn faults_never_happen_and_say_so() {
    let test = around("", "locations [fault(P1);] exists (fault(P0:L0,x,MMU:Translation) \\/ x=1)");
    assert_eq!(initial(&test), "[x]=0;  ~Fault(P1); ~Fault(P0:L0,x,MMU:Translation);");
    assert_eq!(test.condition_text, "exists (fault(P0:L0,x,MMU:Translation) \\/ [x]=1)");
}

#[test]
fn lock_prefixes_do_not_end_a_row() {
    let test = taken("X86 t\n{}\n P0 | P1 ;\n lock; inc [x] | L: LOCK ; dec [y] ;\n");
    let lengths: Vec<usize> = test.program.threads.iter().map(|thread| thread.code.len()).collect();
    assert_eq!(lengths, [1, 1]);
}

#[test]
fn hashes_are_those_of_herd7() {
    let hash = |text: &str| taken(text).hashes.join(" ");
    let sb = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)";
    assert_eq!(hash(sb), "edd4722437d708675ed921e7607e77f0");
    let ppc = "PPC MP\n{0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x;}\n P0 | P1 ;\n li r1,1 | lwz r1,0(r2) ;\n stw r1,0(r2) | cmpw r1,r1 ;\n \
               lwsync | beq LC00 ;\n li r3,1 | LC00: isync ;\n stw r3,0(r4) | lwz r3,0(r4) ;\nexists (1:r1=1 /\\ 1:r3=0)";
    assert_eq!(hash(ppc), "c5295ee5e44478f712c42a0ca7a3267e");
    let arm = "ARM MP\n{%x0=x; %y0=y; %y1=y; %x1=x;}\n P0 | P1 ;\n MOV R0,#1 | LDR R0,[%y1] ;\n STR R0,[%x0] | DMB ;\n DMB ST | LDR R1,[%x1] ;\n \
               STR R0,[%y0] | ;\nexists (1:R0=1 /\\ 1:R1=0)";
    assert_eq!(hash(arm), "61cf934bc8d40ebb7d33247ff17265a1");
    let x86_64 = "X86_64 MP\n{uint64_t x; uint64_t 1:rbx; 0:rcx=y;}\n P0 | P1 ;\n movq $1,(x) | movl (y),%eax ;\n movl $1,(%rcx) | movq (x),%rbx ;\n\
                  exists (1:rax=1 /\\ 1:rbx=0)";
    assert_eq!(hash(x86_64), "607f7d13da661361b4693dc4e64b46a4");
    let caches = "AArch64 IC\n{ 0:X1=x; }\n P0 ;\n IC IALLU ;\n IC IALLUIS ;\n IC IVAU,X1 ;\nexists (0:X1=x)";
    assert_eq!(hash(caches), "30107e083d92bc5a00eec6fa288f15fb");
    // The file's own hash is taken as it is; a key spelled otherwise only keeps ours from being computed.
    assert_eq!(hash(&sb.replace("{}", "Hash=one\nHash=two\n{}")), "one two");
    assert_eq!(hash(&sb.replace("{}", "hash=one\n{}")), "");
}
