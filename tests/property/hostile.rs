//! Models written to mislead a search that prunes: what each is after is said above it.

/// Name and text.
pub const MODELS: [(&str, &str); 43] = [
    ("empty", ""),
    // Nothing but an order of the writes.
    ("order-only", "include \"cos.cat\""),
    // The order alone is constrained, and rf is free.
    ("co-only", "include \"cos.cat\" acyclic co | po as co"),
    ("co-backwards", "include \"cos.cat\" acyclic co | po^-1 as co"),
    // Coherence is broken on purpose.
    ("backwards", "include \"cos.cat\" irreflexive fr;rf;po as back  ~empty po-loc & fr^-1 as seen"),
    // Negated checks: violated by too little.
    ("must-read-something", "include \"cos.cat\" ~empty rf & ext as external"),
    ("must-cycle", "include \"cos.cat\" ~acyclic po | rf | co | fr as weak"),
    ("must-reflex", "include \"cos.cat\" ~irreflexive fr;rf;po as reflex"),
    (
        "both-ways",
        "include \"cos.cat\" ~empty rfe as some acyclic po | rf | fr as sc ~acyclic po | co as other",
    ),
    // What is certain grows what is denied.
    ("difference", "include \"cos.cat\" empty (po & (W*R)) \\ (rf;po | co;rf) as late"),
    ("complement", "include \"cos.cat\" irreflexive (~(rf | co));(fr | po) as others"),
    ("double-complement", "include \"cos.cat\" acyclic ~(~(po | rf) & ~(co | fr)) as sc"),
    ("domain-complement", "include \"cos.cat\" empty (R \\ range(rf & ext)) & domain(po) as reads"),
    // Recursion: monotone, nested, through a difference of two fixpoints, and not monotone.
    (
        "recursion",
        "include \"cos.cat\" let rec r = rf | r;s and s = co | po;r acyclic r as r irreflexive s;r as s",
    ),
    (
        "difference-of-recursions",
        "include \"cos.cat\" let rec r = rf | r;po let rec s = co | s;fr empty (r \\ s) & loc & (W*W) as d acyclic (s \\ r) | po as e",
    ),
    (
        "nested-recursion",
        "include \"cos.cat\" let rec r = rf | (let rec q = r | q;po in q);co acyclic r | po & loc as r",
    ),
    // What is read is known at the root, the values are not.
    (
        "not-monotone-by-values",
        "include \"cos.cat\" let d = (id | loc);different-values(rf) let rec a = d \\ b and b = b | a;d empty a as a",
    ),
    ("not-monotone", "include \"cos.cat\" let rec a = po \\ b and b = b | rf;a | co acyclic a | rf as a"),
    (
        "not-monotone-set",
        "include \"cos.cat\" let rec u = W \\ m and m = m | u | range(rf) empty u & range(co) as u",
    ),
    ("when", "include \"cos.cat\" let rec r = rf | r;po when irreflexive r;fr acyclic r | co as r"),
    // Flags, and what is undefined, of executions that are refuted later.
    (
        "flags",
        "include \"cos.cat\" flag ~empty rfe as seen flag empty rfe as unseen acyclic po | rf | co | fr as sc",
    ),
    (
        "undefined",
        "include \"cos.cat\" undefined_unless empty ((W*M) | (M*W)) & loc & ext & (fr;po;rf) as race acyclic po | rf | co as sc",
    ),
    ("flag-of-choice", "with s from {W, R, W & R} flag ~empty domain(rf;[s]) as some flag empty s as none"),
    // Choices: of sets, of one, of none, of what depends on rf, of what depends on another choice.
    (
        "choice-of-sets",
        "include \"cos.cat\" with s from {W, R, IW, {}} acyclic (po;[s];po) | rf | co | fr as s",
    ),
    ("choice-of-one", "include \"cos.cat\" with r from {po} acyclic r | rf | co | fr as r"),
    ("choice-of-none", "with r from {W} \\ {W} acyclic po as never"),
    ("choice-of-rf", "include \"cos.cat\" with r from {rf, co, po} acyclic r | fr as r"),
    (
        "choice-of-choice",
        "include \"cos.cat\" with r from {po, co} with s from {r, r;rf, 0} acyclic r | s | fr as r",
    ),
    (
        "cross-with-one",
        "include \"cos.cat\" with q from cross({ {po}, {[W], [R]} }) irreflexive q;fr;q;fr as q flag ~empty q & po as po",
    ),
    (
        "cross-of-overlapping",
        "include \"cross.cat\" with q from cross({ {po, po;po}, {po, [R]} }) empty q;rf;q as q",
    ),
    (
        "two-orders",
        "include \"cos.cat\" with mo from linearisations(W \\ IW, co0) acyclic mo | co as same irreflexive mo;fr as mo",
    ),
    (
        "order-of-reads",
        "with all from linearisations(R, po) irreflexive rf^-1;po;rf;all as x acyclic all | rf;po as y",
    ),
    ("order-on-rf", "include \"cross.cat\" with co from generate_cos(co0 | rf;po) irreflexive co;rf;po as x"),
    (
        "order-without-initial",
        "include \"cross.cat\" with co from generate_cos(0) acyclic (rf^-1;co) | po | rf as x",
    ),
    (
        "order-of-some",
        "include \"cross.cat\" with co from generate_orders(W \\ FW, co0) acyclic co | po-loc | rf as x",
    ),
    // An order of one event, on a base that is a cycle as soon as values are known.
    (
        "order-of-one",
        "with o from linearisations(IW & domain(loc), different-values(loc)) acyclic rf | po as x",
    ),
    // The final writes.
    ("final", "empty [FW];po;[W] & loc as last  irreflexive rf;[R];(M * FW);loc as x"),
    ("final-and-order", "include \"cos.cat\" empty ([FW];co) as last empty [FW];rf;[R \\ domain(po)] as y"),
    // Assertions: of candidates that an earlier check refuses they say nothing, of those that a later one does they do.
    ("assert-late", "include \"cos.cat\" empty rf & (IW*R) as a ~empty rf & (IW*R) as b assert empty W as c"),
    ("assert-early", "include \"cos.cat\" assert empty rfe & (IW*R) as a empty rf & (IW*R) as b"),
    (
        "assert-sure",
        "include \"cos.cat\" acyclic po | rf | co | fr as sc assert empty (fr;po;fr;po) & id as a",
    ),
    // Values.
    (
        "values",
        "include \"cos.cat\" empty different-values(co & po) as same acyclic different-values(rf^-1;rf) | po | fr as x",
    ),
    // Register events that only the model looks at.
    ("instructions", "include \"cos.cat\" acyclic (iico_data | iico_ctrl | rf-reg)+ | rf | fr as r"),
];

/// Sixty-six checks that are settled early, and one more that is not.
pub fn many_checks() -> String {
    let settled = "empty [IW];rf;[R \\ domain(po)] as settled\n".repeat(66);
    format!("include \"cos.cat\"\n{settled}acyclic po | rf | fr | co as sc\n")
}

/// Seventy flags: more than a word has bits for. The last ones are raised by some executions only.
pub fn many_flags() -> String {
    let settled: String = (0..68).map(|n| format!("flag ~empty rf & (W * IW) as never{n}\n")).collect();
    let open = "flag ~empty [R];po;[W];rfe as passes\nflag empty rfe as alone\n";
    format!("include \"cos.cat\"\nacyclic po | rf | fr | co as sc\n{settled}{open}")
}

/// A test that every model is run with: three threads, three cells, reads enough for checks to be settled one by one.
pub const RING: &str = "X86 ring
{}
 P0          | P1          | P2          ;
 MOV [x],$1  | MOV [y],$1  | MOV [z],$1  ;
 MOV EAX,[y] | MOV EAX,[z] | MOV EAX,[x] ;
 MOV EBX,[z] | MOV EBX,[x] | MOV EBX,[y] ;
exists (0:EAX=0 /\\ 1:EAX=0 /\\ z=1)
";
