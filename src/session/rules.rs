//! Rules that herd7 applies to candidates before the model sees them, as instructions that run before the model.

use crate::variant::{Variant, Variants};

/// What the checks of these rules are called.
pub(super) const NAME: &str = "candidates";

/// Under `-optace true` candidates are coherent: reading a later write, skipping one of the own thread, and any order of writes that the two
/// together make cyclic, are left out. The read of an atomic instruction comes before its write.
const COHERENT: &str = "
let before = loc & (po | rmw)
acyclic co0 | [W]; before; [W] | ([W]; before; [R]; rf^-1) \\ id | rf; before; [W] | (rf; before; [R]; rf^-1) \\ id as candidates
";

/// Under the variant `optrfrmw` no two atomic instructions read the same write.
const NO_SHARED_SOURCE: &str = "
let updates = domain(rmw) | R & W & X
empty ([updates]; rf^-1; rf; [updates]) \\ id as candidates
";

/// What holds of accesses of several sizes that no model was asked about: an aligned access is to all of its bytes at once. Of two such
/// accesses, one does not come before the other in one place and after it in another.
pub(super) const SINGLE_COPY: &str = "
let communication = let co = try co with 0 in rf | co | (rf^-1; co) \\ id
irreflexive communication; aligned; communication; aligned as single-copy
";

/// The variants that the rules depend on.
pub(super) const ASKS: [Variant; 1] = [Variant::OptRfRmw];

/// The rules in force, as the text of a model.
pub(super) fn text(coherent: bool, variants: &Variants) -> Option<String> {
    let shared = variants.contains(&Variant::OptRfRmw);
    let parts = [(coherent, COHERENT), (shared, NO_SHARED_SOURCE)];
    let text: String = parts.into_iter().filter(|(wanted, _)| *wanted).map(|(_, text)| text).collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use crate::outcome::Outcome;
    use crate::session::{Input, Session, Settings};
    use crate::variant::Variant;

    const ONE: &str = "X86 ONE\n{ }\n P0 ;\n MOV [x],$1 ;\n MOV [x],$2 ;\n MOV EAX,[x] ;\nexists (0:EAX=2)\n";
    const XCHG: &str =
        "X86 XCHG\n{ 0:EAX=1; 1:EAX=2; }\n P0 | P1 ;\n XCHG [x],EAX | XCHG [x],EAX ;\nexists (0:EAX=2)\n";
    const TWO: &str =
        "X86 TWO\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [x],$2 ;\n MOV [y],$1 | MOV [y],$2 ;\nexists (x=1)\n";

    fn run(test: &str, model: &str, set: impl Fn(&mut Settings)) -> Outcome {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("m.cat"), format!("\"m\"\n{model}\n")).unwrap();
        let mut settings = Settings::default();
        set(&mut settings);
        let input = Input::Text { name: "test.litmus".to_string(), text: test.into() };
        let model = dir.path().join("m.cat").display().to_string();
        let report = Session::new(settings).run(&input, Some(&model));
        report.answer.and_then(|answer| answer.outcome).unwrap_or_else(|| panic!("{:?}", report.diagnostics))
    }

    fn figures(test: &str, model: &str, set: impl Fn(&mut Settings)) -> (u64, u64) {
        let outcome = run(test, model, set);
        (outcome.positive.saturating_word(), outcome.negative.saturating_word())
    }

    fn skip(names: &[&str], strict: bool) -> impl Fn(&mut Settings) {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        move |settings| {
            settings.explore.skip_checks = names.clone();
            settings.strict_skip = strict;
        }
    }

    /// Figures that herd7 gives for these.
    #[test]
    fn whole_runs() {
        let plain = |_: &mut Settings| {};
        let coherent = |settings: &mut Settings| settings.coherent = true;
        assert_eq!(figures(ONE, "", plain), (1, 2));
        assert_eq!(figures(ONE, "", coherent), (1, 0));
        assert_eq!(figures(ONE, "with x from {W,R,{}}", plain), (3, 6));
        assert_eq!(figures(ONE, "with x from {W,W}", plain), (1, 2));
        assert_eq!(figures(ONE, "with x from {0,{}}", plain), (1, 2));
        assert_eq!(figures(ONE, "with x from {}", plain), (0, 0));
        assert_eq!(figures(ONE, "with x from {W} \\ {W}", plain), (0, 0));
        let cyclic = "acyclic po | po^-1 as A";
        assert_eq!(figures(ONE, cyclic, plain), (0, 0));
        assert_eq!(figures(ONE, cyclic, skip(&["A"], false)), (1, 2));
        assert_eq!(figures(ONE, cyclic, |settings: &mut Settings| settings.let_through = true), (1, 2));
        assert_eq!(figures(ONE, cyclic, skip(&["A"], true)), (1, 2));
        assert_eq!(figures(ONE, cyclic, skip(&["A", "B"], true)), (0, 0));
        assert_eq!(figures(ONE, "acyclic po as A", skip(&["A"], true)), (0, 0));
        let flag = "flag ~empty W as F";
        assert_eq!(run(ONE, flag, plain).flags.iter().collect::<Vec<_>>(), ["F"]);
        assert!(run(ONE, flag, skip(&["F"], false)).flags.is_empty());
        assert!(run(ONE, "undefined_unless empty W", plain).undefined);
        assert_eq!(figures(XCHG, "", plain), (2, 2));
        assert_eq!(figures(XCHG, "", coherent), (1, 2));
        let shared = |settings: &mut Settings| settings.variants.push(Variant::OptRfRmw);
        assert_eq!(figures(XCHG, "", shared), (2, 1));
        assert_eq!(figures(TWO, "", plain), (1, 1));
        assert_eq!(figures(TWO, "include \"minimal.cat\"", plain), (2, 2));
        assert_eq!(figures(TWO, "include \"uniproc.cat\"", plain), (2, 2));
    }
}
