//! Words of tests about the machine: variants, fields of the header, values, types of faults.

use super::Word;

const VARIANT: &str = "variant: `--variant`, or `Variant=` in the test";
const FAULTS: &str = "variant: what follows a fault without a handler";
const CHECKS: &str = "variant: how tags are checked";
const KEYS: &str = "variant of `pauth1` and `pauth2`";
const MODEL: &str = "variant, for the model alone";
const FIELD: &str = "field of a test's header";
const VALUE: &str = "value or place of a test";
const FAULT: &str = "type of a fault, as in `fault(P0:L0,x,TYPE)`";

const fn word(word: &'static str, place: &'static str, text: &'static str) -> Word {
    Word { word, place, text }
}

/// All of them.
#[rustfmt::skip]
pub const MACHINE: [Word; 64] = [
    word("mixed", VARIANT, "Accesses of several sizes in every test, with herd7's rules on bounds and alignment. Where a test needs them they are there without it."),
    word("unaligned", VARIANT, "With `mixed`: accesses need not be aligned."),
    word("ifetch", VARIANT, "Instructions are fetched from memory, and may have been overwritten. Also `self`."),
    word("vmsa", VARIANT, "Every access goes through a page table entry. Also `kvm`."),
    word("pte2", VARIANT, "With `vmsa`: page table entries are reached through page tables, too: `PTE(x)` through `PTE(PTE(x))`. Also `pte-squared`."),
    word("noptebranch", VARIANT, "With `vmsa`: no branch stands between a walk and what hangs on it. Also `nobranch`."),
    word("memtag", VARIANT, "Memory and pointers have tags, which accesses compare. Also `mte`."),
    word("pauth1", VARIANT, "Signed pointers; a wrong signature leaves an error in the pointer."),
    word("pauth2", VARIANT, "Signed pointers; a wrong signature leaves both signatures in the pointer."),
    word("fpac", KEYS, "A wrong signature faults where it is checked."),
    word("const-pac-field", KEYS, "A pointer that is signed can be signed again."),
    word("no-key-da", KEYS, "Instructions of that key only copy. Likewise `no-key-db`, `no-key-ia`, `no-key-ib`."),
    word("shadowstack", VARIANT, "Guarded control stacks: calls and returns use a second stack."),
    word("nv2", VARIANT, "Nested virtualization: VNCR_EL2, ESR_EL1 and ELR_EL1 live in memory, where VNCR_EL2 points to."),
    word("fatal", FAULTS, "The thread ends. This is the default; also `precise`."),
    word("handled", FAULTS, "The instruction is run again, once. Also `imprecise`."),
    word("faulttonext", FAULTS, "The thread goes on with the next instruction. Also `skip`."),
    word("sync", CHECKS, "Before the access: a mismatch faults. This is the default."),
    word("async", CHECKS, "Some time later: a mismatch shows in TFSR_ELx, as a fault without place or address."),
    word("asym", CHECKS, "Loads as by `sync`, stores as by `async`."),
    word("store-only", CHECKS, "Loads are not checked."),
    word("ets2", MODEL, "Translation faults are ordered after what comes before them (FEAT_ETS2)."),
    word("ets3", MODEL, "Likewise, faults of tag checks too (FEAT_ETS3)."),
    word("exs", MODEL, "Entry to an exception and return from it synchronize the context only as far as `eis` and `eos` say so."),
    word("eis", MODEL, "With `exs`: entry to an exception synchronizes the context."),
    word("eos", MODEL, "With `exs`: the return from an exception synchronizes the context."),
    word("DIC", MODEL, "Instruction caches need no invalidation: `CacheType=DIC` in the test sets it."),
    word("IDC", MODEL, "Data caches need no cleaning: `CacheType=IDC` in the test sets it."),
    word("cos-opt", MODEL, "`cos.cat` tries only coherence orders that respect what each thread does to one location."),
    word("neon", VARIANT, "Vectors. Not supported: tests that ask for it are refused."),
    word("sve", VARIANT, "Scalable vectors. Not supported: tests that ask for it are refused."),
    word("sme", VARIANT, "Matrices. Not supported: tests that ask for it are refused."),
    word("morello", VARIANT, "Capabilities. Not supported: tests that ask for it are refused."),
    word("asl", VARIANT, "Instructions as the architecture's pseudocode has them. Not supported: tests that ask for it are refused."),
    word("TTHM", FIELD, "What hardware does to page table entries by itself: `HA` sets access flags, `HD` marks pages as dirty, too; `SW` does nothing. For one thread: `P1:HA`."),
    word("HA", "value of the header field `TTHM`", "Hardware sets the access flag of a page table entry when the page is accessed, or by nobody's doing."),
    word("HD", "value of the header field `TTHM`", "Hardware sets access flags, and marks a page as dirty (writable) when it is written and its entry has `dbm:1`."),
    word("EL0", FIELD, "Threads that are unprivileged: `EL0=P0,P2`."),
    word("CacheType", FIELD, "What caches do by themselves (`DIC`, `IDC`), for the model."),
    word("fault", VALUE, "In a condition: `fault(P0:L0,x,MMU:Translation)` holds where that thread had such a fault. What is left out does not matter."),
    word("PA", VALUE, "`PA(x)`: the memory of x, where its page table entry leads unless the test says otherwise."),
    word("TTD", VALUE, "`TTD(x)`: the page table entry of x, the same as `PTE(x)`."),
    word("oa", VALUE, "Field of a page table entry: where it leads, `oa:PA(x)`."),
    word("valid", VALUE, "Field of a page table entry: is there a translation? 1 unless said otherwise."),
    word("af", VALUE, "Field of a page table entry: the access flag, 1 unless said otherwise."),
    word("db", VALUE, "Field of a page table entry: may the page be written (is it dirty)? 1 unless said otherwise."),
    word("dbm", VALUE, "Field of a page table entry: may hardware make the page writable? 0 unless said otherwise."),
    word("el0", VALUE, "Field of a page table entry: may unprivileged code access the page? 1 unless said otherwise."),
    word("attrs", VALUE, "Field of a page table entry: memory attributes, `attrs:(Normal,ISH,iWB,oWB)` unless said otherwise."),
    word("tag", VALUE, "`tag(x)`: the tag of the first 16 bytes of x, `:green` unless said otherwise. A pointer with a tag is `x:red`."),
    word("pacda", VALUE, "`pacda(x,53)`: the address of x, signed with the key DA and the modifier 53. Likewise pacdb, pacia, pacib."),
    word("SS", VALUE, "`SS(s,2)`: a guarded control stack of two entries."),
    word("instr", VALUE, "`instr:\"B .+8\"`: an instruction as a value. `NOP` is one, too."),
    word("label", VALUE, "`label:\"P0:L0\"`, or `P0:L0`: the address of an instruction."),
    word("MMU:Translation", FAULT, "The page table entry is not valid. `D-MMU:Translation` is that of a data access, `I-MMU:Translation` that of a fetch."),
    word("MMU:AccessFlag", FAULT, "The access flag of the page table entry is clear, and hardware does not set it."),
    word("MMU:Permission", FAULT, "The page table entry does not allow the access."),
    word("SupervisorCall", FAULT, "An `SVC`."),
    word("PacCheck:DA", FAULT, "A wrong signature under the key DA (`fpac`). Likewise for DB, IA, IB."),
    word("GCS:PRET", FAULT, "A return that does not find its address on the guarded control stack."),
    word("GCS:POPM", FAULT, "What was popped from the guarded control stack is no address."),
    word("GCS:SS1", FAULT, "The guarded control stack to switch to is not valid."),
    word("GCS:SS2", FAULT, "The guarded control stack that was left is not valid."),
    word("PAR_EL1", "system register", "What `AT` leaves: `(parel1_t:(oa:PA(x)))`, or `(parel1_t:(f:1))` where the translation would fault."),
];
