//! Tests that are refused, with what the user is told.

use super::load;

/// The diagnostics for a text that must be refused.
fn refused(text: &str) -> String {
    load(text).expect_err("this must be refused")
}

#[test]
fn empty_file() {
    insta::assert_snapshot!(refused(""), @r"
    error[litmus::empty]: the file is empty
      ┌─ t.litmus:1:1
      │
    1 │ 
      │ ^ expected `ARCH NAME`, the header of a litmus test
    ");
}

#[test]
fn only_blanks_and_comments() {
    insta::assert_snapshot!(refused("\n\n(* nothing *)\n"), @r"
    error[litmus::empty]: the file is empty
      ┌─ t.litmus:1:1
      │
    1 │ 
      │ ^ expected `ARCH NAME`, the header of a litmus test
    ");
}

#[test]
fn not_a_test() {
    insta::assert_snapshot!(refused("#include <stdio.h>\nint main() {}\n"), @"
    error[litmus::not-a-test]: this is not a litmus test
      ┌─ t.litmus:1:1
      │
    1 │ #include <stdio.h>
      │ ^^^^^^^^ expected the name of an architecture
    ");
}

#[test]
fn misspelt_architecture() {
    insta::assert_snapshot!(refused("RISC-V MP\n{}\n"), @r"
    error[litmus::not-a-test]: this is not a litmus test
      ┌─ t.litmus:1:1
      │
    1 │ RISC-V MP
      │ ^^^^^^ expected the name of an architecture
      │
      = help: did you mean `RISCV`?
    ");
}

#[test]
fn architecture_of_another_tool() {
    insta::assert_snapshot!(refused("PTX MP\n{}\n"), @r"
    error[litmus::unsupported-arch]: tests for `PTX` are not supported
      ┌─ t.litmus:1:1
      │
    1 │ PTX MP
      │ ^^^ this architecture
      │
      = note: supported: X86, X86_64, PPC, ARM, AArch64, RISCV, MIPS, BPF, LISA, C
    ");
}

#[test]
fn no_name() {
    insta::assert_snapshot!(refused("X86 \n{}\n"), @r"
    error[litmus::no-name]: the test has no name
      ┌─ t.litmus:1:1
      │
    1 │ X86 
      │ ^^^^ expected `X86 NAME`
    ");
}

#[test]
fn no_initial_state() {
    insta::assert_snapshot!(refused("X86 SB\n P0 ;\n NOP ;\n"), @r"
    error[litmus::no-init]: the test has no initial state
      ┌─ t.litmus:2:2
      │
    2 │  P0 ;
      │  ^^^^ expected `{ … }` before the program
      │
      = help: an empty initial state is written `{}`
    ");
}

#[test]
fn unclosed_initial_state() {
    insta::assert_snapshot!(refused("X86 SB\n{ x=1;\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::unclosed-init]: the initial state is never closed
      ┌─ t.litmus:2:1
      │
    2 │ { x=1;
      │ ^ no `}` for this
    ");
}

#[test]
fn bad_token_in_the_initial_state() {
    insta::assert_snapshot!(refused("X86 SB\n{ x=1; y=?; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::bad-character]: unexpected character `?`
      ┌─ t.litmus:2:10
      │
    2 │ { x=1; y=?; }
      │          ^ no part of an initial state or a condition looks like this
    ");
}

#[test]
fn missing_semicolon_in_the_initial_state() {
    insta::assert_snapshot!(refused("X86 SB\n{ x=1 y=2; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::syntax]: unexpected `y` in the initial state
      ┌─ t.litmus:2:7
      │
    2 │ { x=1 y=2; }
      │       ^ expected `;`
    ");
}

#[test]
fn type_of_two_words() {
    insta::assert_snapshot!(refused("X86 SB\n{ unsigned int x; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::bad-type]: a type in the initial state is one word
      ┌─ t.litmus:2:3
      │
    2 │ { unsigned int x; }
      │   ^^^^^^^^^^^^ more than one
      │
      = help: write `uint32_t`
    ");
}

#[test]
fn unknown_type() {
    insta::assert_snapshot!(refused("X86 SB\n{ uint46_t x; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::unknown-type]: the size of type `uint46_t` is not known
      ┌─ t.litmus:2:3
      │
    2 │ { uint46_t x; }
      │   ^^^^^^^^ not a type of litmus tests
      │
      = help: did you mean `uint16_t`?
    ");
}

#[test]
fn array_with_the_wrong_number_of_values() {
    insta::assert_snapshot!(refused("X86 SB\n{ int x[2]={1,2,3}; }\n P0 ;\n MOV [y],$1 ;\n"), @r"
    error[litmus::array-size]: 3 values for an array of 2
      ┌─ t.litmus:2:7
      │
    2 │ { int x[2]={1,2,3}; }
      │       ^^^^^^^^^^^^ in this declaration
    ");
}

#[test]
fn array_element_alone() {
    insta::assert_snapshot!(refused("X86 SB\n{ x[0]=1; }\n P0 ;\n MOV [y],$1 ;\n"), @r"
    error[litmus::array-element]: an element of an array cannot be set alone
      ┌─ t.litmus:2:3
      │
    2 │ { x[0]=1; }
      │   ^^^^ this names one element
      │
      = help: declare the whole array: `int x[1]={…}`
    ");
}

#[test]
fn values_of_a_scalar() {
    insta::assert_snapshot!(refused("X86 SB\n{ int x={1,2}; }\n P0 ;\n MOV [y],$1 ;\n"), @r"
    error[litmus::array-value]: only an array takes several values
      ┌─ t.litmus:2:7
      │
    2 │ { int x={1,2}; }
      │       ^ not declared as an array
      │
      = help: declare its type and size, as in `int x[2]={1,2}`
    ");
}

#[test]
fn set_twice() {
    insta::assert_snapshot!(refused("X86 SB\n{ x=1; y=2; x=3; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::set-twice]: `x` is initialized more than once
      ┌─ t.litmus:2:13
      │
    2 │ { x=1; y=2; x=3; }
      │   -         ^ again here
      │   │          
      │   first here
    ");
}

#[test]
fn register_set_twice_under_two_names() {
    insta::assert_snapshot!(refused("RISCV A\n{ 0:x10=1; 0:a0=2; }\n P0 ;\n nop ;\n"), @r"
    error[litmus::set-twice]: `0:x10` is initialized more than once
      ┌─ t.litmus:2:12
      │
    2 │ { 0:x10=1; 0:a0=2; }
      │            ^^^^ the same register under another name
    ");
}

#[test]
fn number_too_large() {
    insta::assert_snapshot!(refused("X86 SB\n{ x=99999999999; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::out-of-range]: `99999999999` does not fit the 32-bit values of X86
      ┌─ t.litmus:2:5
      │
    2 │ { x=99999999999; }
      │     ^^^^^^^^^^^ too large
    ");
}

#[test]
fn reserved_word() {
    insta::assert_snapshot!(refused("X86 SB\n{ filter=1; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::reserved]: `filter` is a reserved word
      ┌─ t.litmus:2:3
      │
    2 │ { filter=1; }
      │   ^^^^^^ cannot name a location
    ");
}

#[test]
fn unknown_register_in_the_initial_state() {
    insta::assert_snapshot!(refused("X86 SB\n{ 0:EAZ=1; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::unknown-register]: `EAZ` is not a register of X86
      ┌─ t.litmus:2:3
      │
    2 │ { 0:EAZ=1; }
      │   ^^^^^ no such register
      │
      = help: did you mean `EAX`?
    ");
}

#[test]
fn unknown_thread() {
    insta::assert_snapshot!(refused("X86 SB\n{ 3:EAX=1; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::unknown-thread]: there is no thread P3
      ┌─ t.litmus:2:3
      │
    2 │ { 3:EAX=1; }
      │   ^^^^^ the test has 1 thread
    ");
}

#[test]
fn unknown_label_as_a_value() {
    insta::assert_snapshot!(refused("MIPS A\n{ 0:a0=P0:L2; }\n P0 ;\n L1: nop ;\n"), @r"
    error[litmus::unknown-label]: label `L2` is not defined on P0
      ┌─ t.litmus:2:8
      │
    2 │ { 0:a0=P0:L2; }
      │        ^^^^^ no such label
      │
      = help: did you mean `L1`?
    ");
}

#[test]
fn page_table_entry() {
    insta::assert_snapshot!(refused("X86 SB\n{ PTE(x)=1; }\n P0 ;\n MOV [x],$1 ;\n"), @r"
    error[litmus::special-value]: `PTE(x)` is not supported
      ┌─ t.litmus:2:3
      │
    2 │ { PTE(x)=1; }
      │   ^^^^^^ not a value or place of this machine
      │
      = help: page tables need the variant `vmsa` (AArch64), tags `memtag`
    ");
}

#[test]
fn no_program() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\nexists (x=1)\n"), @r"
    error[litmus::no-program]: the test has no program
      ┌─ t.litmus:2:4
      │
    2 │ { }
      │    ^ expected ` P0 | P1 ;` after the initial state
    ");
}

#[test]
fn threads_out_of_order() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 | P2 ;\n MOV [x],$1 | MOV [y],$1 ;\nexists (x=1)\n"), @r"
    error[litmus::bad-threads]: threads must be P0, P1, … in order
      ┌─ t.litmus:3:7
      │
    3 │  P0 | P2 ;
      │       ^^ expected `P1`
    ");
}

#[test]
fn rows_of_the_wrong_width() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV [y],$1 ;\n MOV [x],$2 | | MOV [x],$3 ;\nexists (x=1)\n"), @r"
    error[litmus::cell-count]: 1 cell in a row of 2 threads
      ┌─ t.litmus:5:2
      │
    3 │  P0 | P1 ;
      │  ------- 2 threads here
    4 │  MOV [x],$1 | MOV [y],$1 ;
    5 │  MOV [y],$1 ;
      │  ^^^^^^^^^^ this row

    error[litmus::cell-count]: 3 cells in a row of 2 threads
      ┌─ t.litmus:6:2
      │
    3 │  P0 | P1 ;
      │  ------- 2 threads here
      ·
    6 │  MOV [x],$2 | | MOV [x],$3 ;
      │  ^^^^^^^^^^^^^^^^^^^^^^^^^ this row
    ");
}

#[test]
fn row_without_an_end() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV [x],$1\nexists (x=1)\n"), @r"
    error[litmus::unfinished-row]: a row of the program has no `;` at its end
      ┌─ t.litmus:4:2
      │
    4 │  MOV [x],$1
      │  ^^^^^^^^^^ this row
    ");
}

#[test]
fn misspelt_keyword() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV [x],$1 ;\nexits (x=1)\n"), @r"
    error[litmus::unfinished-row]: a row of the program has no `;` at its end
      ┌─ t.litmus:5:1
      │
    5 │ exits (x=1)
      │ ^^^^^^^^^^^ this row
      │
      = help: if this is the condition: did you mean `exists`?
    ");
}

#[test]
fn fault_handler_of_nobody() {
    insta::assert_snapshot!(refused("AArch64 F\n{ }\n P0 | P1.F ;\n NOP | NOP ;\n"), @r"
    error[litmus::bad-threads]: a fault handler of P1, which is not there
      ┌─ t.litmus:3:7
      │
    3 │  P0 | P1.F ;
      │       ^^^^ no such thread
    ");
}

#[test]
fn template() {
    insta::assert_snapshot!(refused("PPC T\n{ }\n P0 ;\n codevar:x ;\n"), @r"
    error[litmus::template]: this is a template for another tool, not a test that can be run
      ┌─ t.litmus:4:2
      │
    4 │  codevar:x ;
      │  ^^^^^^^^^ a `codevar` stands for code to be filled in
    ");
}

#[test]
fn duplicate_label() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 | P1 ;\n L0: MOV [x],$1 | L0: MOV [y],$1 ;\nexists (x=1)\n"), @r"
    error[litmus::duplicate-label]: label `L0` occurs more than once
      ┌─ t.litmus:4:19
      │
    4 │  L0: MOV [x],$1 | L0: MOV [y],$1 ;
      │  --               ^^ again here
      │  │                 
      │  first here
    ");
}

#[test]
fn unknown_label() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n JMP LOP ;\n LOOP: MOV [x],$1 ;\n"), @r"
    error[arch::unknown-label]: thread P0 has no label `LOP`
      ┌─ t.litmus:4:6
      │
    4 │  JMP LOP ;
      │      ^^^ branches only go to labels of their own thread
      │
      = help: did you mean `LOOP`?
    ");
}

#[test]
fn unknown_instruction() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOW [x],$1 ;\n"), @r"
    error[arch::unknown-instruction]: unknown X86 instruction `MOW`
      ┌─ t.litmus:4:2
      │
    4 │  MOW [x],$1 ;
      │  ^^^ not an instruction that this tool knows
      │
      = help: did you mean `MOV`?
    ");
}

#[test]
fn unknown_location_in_the_condition() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV [flag],$1 ;\nexists (flga=1)\n"), @r"
    error[litmus::unknown-location]: the condition names `flga`, which the test does not have
      ┌─ t.litmus:5:9
      │
    5 │ exists (flga=1)
      │         ^^^^ neither in the initial state nor in the program
      │
      = help: did you mean `flag`?
    ");
}

#[test]
fn register_without_its_thread() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (EAX=1)\n"), @r"
    error[litmus::unknown-location]: the condition names `EAX`, which the test does not have
      ┌─ t.litmus:5:9
      │
    5 │ exists (EAX=1)
      │         ^^^ neither in the initial state nor in the program
      │
      = help: a register is written with its thread: `0:EAX`
    ");
}

#[test]
fn unknown_location_as_a_value() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=zz)\n"), @r"
    error[litmus::unknown-location]: the condition names `zz`, which the test does not have
      ┌─ t.litmus:5:15
      │
    5 │ exists (0:EAX=zz)
      │               ^^ neither in the initial state nor in the program
    ");
}

#[test]
fn unknown_register_in_the_condition() {
    insta::assert_snapshot!(refused("RISCV SB\n{ }\n P0 ;\n nop ;\nexists (0:x32=1)\n"), @r"
    error[litmus::unknown-register]: `x32` is not a register of RISCV
      ┌─ t.litmus:5:9
      │
    5 │ exists (0:x32=1)
      │         ^^^^^ no such register
      │
      = help: did you mean `x12`?
    ");
}

#[test]
fn unfinished_condition() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=1 /\\\n"), @r"
    error[litmus::syntax]: the condition ends too early
      ┌─ t.litmus:5:19
      │
    5 │ exists (0:EAX=1 /\
      │                   ^ expected a location or a register (`x`, `0:R1`)
    ");
}

#[test]
fn unbalanced_condition() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=1\n"), @r"
    error[litmus::syntax]: the condition ends too early
      ┌─ t.litmus:5:16
      │
    5 │ exists (0:EAX=1
      │                ^ expected `)`
    ");
}

#[test]
fn text_after_the_condition() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=1) x\n"), @r"
    error[litmus::syntax]: unexpected `x` in the condition
      ┌─ t.litmus:5:18
      │
    5 │ exists (0:EAX=1) x
      │                  ^ expected the end of the test
    ");
}

#[test]
fn locations_after_the_condition() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=1) locations [x;]\n"), @r"
    error[litmus::syntax]: unexpected `locations` in the condition
      ┌─ t.litmus:5:18
      │
    5 │ exists (0:EAX=1) locations [x;]
      │                  ^^^^^^^^^ expected the end of the test
      │
      = help: the order is `locations`, `filter`, then the condition
    ");
}

#[test]
fn array_against_a_scalar() {
    insta::assert_snapshot!(refused("X86 SB\n{ int v[2]; }\n P0 ;\n MOV EAX,[x] ;\nexists (v=1 /\\ v={1,2,3} /\\ x={1} /\\ v[2]=0)\n"), @r"
    error[litmus::bad-atom]: an array is compared with all its values, as in `v={1,2}`
      ┌─ t.litmus:5:9
      │
    5 │ exists (v=1 /\ v={1,2,3} /\ x={1} /\ v[2]=0)
      │         ^ in this comparison

    error[litmus::bad-atom]: the array has 2 elements
      ┌─ t.litmus:5:16
      │
    5 │ exists (v=1 /\ v={1,2,3} /\ x={1} /\ v[2]=0)
      │                ^^^^^^^^^ in this comparison

    error[litmus::bad-atom]: only an array has several values
      ┌─ t.litmus:5:29
      │
    5 │ exists (v=1 /\ v={1,2,3} /\ x={1} /\ v[2]=0)
      │                             ^ in this comparison

    error[litmus::no-such-element]: there is no such element
      ┌─ t.litmus:5:38
      │
    5 │ exists (v=1 /\ v={1,2,3} /\ x={1} /\ v[2]=0)
      │                                      ^^^^ `v` has 2 elements
    ");
}

#[test]
fn comment_without_an_end() {
    insta::assert_snapshot!(refused("X86 SB\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=1) (* open\n"), @r"
    error[litmus::open-comment]: a comment is never closed
      ┌─ t.litmus:5:18
      │
    5 │ exists (0:EAX=1) (* open
      │                  ^^ this one
    ");
}

#[test]
fn bad_unrolling_bound() {
    insta::assert_snapshot!(refused("X86 SB\nUnroll=many\n{ }\n P0 ;\n MOV EAX,[x] ;\n"), @r"
    error[litmus::bad-info]: `Unroll` takes a number
      ┌─ t.litmus:2:8
      │
    2 │ Unroll=many
      │        ^^^^ not a number
    ");
}

#[test]
fn deep_nesting_is_refused_and_not_run_out_of_stack() {
    for open in ["(", "not ", "~", "(* *)(", "x=1 => "] {
        let text = format!("X86 SB\n{{}}\n P0 ;\n MOV EAX,[x] ;\nexists {} x=1", open.repeat(100_000));
        assert!(refused(&text).starts_with("error[litmus::too-deep]"), "{open}");
    }
}

/// Every prefix of a test, and every test with one byte changed, gets an answer or a diagnostic.
#[test]
fn broken_files_never_panic() {
    let text = "X86 SB (tex)\n\"doc\"\nUnroll=3\n{ uint64_t x=0x10; int v[2]={1,2}; 0:EAX=&x; %r=y; *p=x; }\n P0 | P1 ;\n \
                L: MOV [x],$1 | (* c *) lock; inc [y] ;\nscopes: (system 0 (cta 1))\nlocations [x; v; v[1]; fault(P0:L,x);] \
                filter (0:EAX=0 => true)\nexists (x=1 /\\ v={1,2} \\/ not [y]!=-1) with tso: ~exists; << end";
    for end in 0..text.len() {
        let _ = load(&text[..end]);
        // Every byte is a prefix's end; insertions are tried at every fifth, which meets every kind of token.
        if end % 5 != 0 {
            continue;
        }
        for insert in
            ["{", "}", "(*", "\"", ";", "|", ":", "é", "$", "%", "99999999999999999999999999999999999999999"]
        {
            let _ = load(&format!("{}{insert}{}", &text[..end], &text[end..]));
        }
    }
}
