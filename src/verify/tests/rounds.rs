//! Loops that go round as often as other threads let them.

use super::super::{run, shallow};
use super::{Answer, Settings, Verdict, with};

/// The algorithm of Burns: the second thread takes back its flag, and raises it again, as long as the first has raised its own.
const BURNS: &str = "#include <assert.h>\n#include <stdatomic.h>\n#include <pthread.h>\nstatic atomic_int a, b, inside;
    static void *first(void *p) { a = 1; while (b) ; inside++; assert(inside == 1); inside--; a = 0; return 0; }
    static void *second(void *p) { again: b = 0; if (a) goto again; b = 1; if (a) goto again; inside++; assert(inside == 1); inside--; b = 0; return 0; }
    int main(void) { pthread_t s, t; pthread_create(&s, 0, first, 0); pthread_create(&t, 0, second, 0); pthread_join(s, 0); pthread_join(t, 0); return 0; }";

fn by_states(text: &str) -> Option<Answer> {
    with(text, "sc", |program, model, settings| {
        let settings = Settings { engine: run::Engine::States, ..settings.clone() };
        run::run(program, model, &settings).ok()
    })
}

#[test]
fn runs_that_come_back_to_a_state() {
    let verdict = |text: &str| by_states(text).map(|answer| answer.verdict);
    assert_eq!(verdict(BURNS), Some(Verdict::Safe));
    assert_eq!(verdict(&BURNS.replace("while (b) ;", "")), Some(Verdict::Unsafe));
    // Accesses that may race are made also where they only wait.
    let plain = BURNS.replace("static atomic_int", "static volatile int");
    assert_eq!(verdict(&plain), Some(Verdict::Safe));
    // A loop that has no way out is meant to go on, but not that another thread waits for it.
    let serves = BURNS
        .replace("while (b) ;", "")
        .replace("inside++; assert(inside == 1); inside--; a = 0;", "for (;;) { a = 0; a = 1; }");
    assert_eq!(verdict(&serves), None);
}

/// A violation after one round is found where loops are cut after one, though executions without a bound have no end.
#[test]
fn a_few_rounds_are_looked_at_first() {
    let found = |text: &str, model: &str| {
        with(text, model, |program, model, settings| {
            assert!(shallow::would_do(program, settings));
            let found = shallow::search(program, model, settings).expect("an answer")?;
            Some((found.bound, found.answer.violating > 0, found.settles()))
        })
    };
    let broken = BURNS.replace("while (b) ;", "");
    for model in ["sc", "rc11"] {
        assert_eq!(found(&broken, model), Some((1, true, true)), "{model}");
    }
    // A loop that ends by itself within the bound: nothing is left to be asked.
    let counts = "#include <stdatomic.h>\nstatic atomic_int n; int main(void) { for (int i = 0; i < 2; i++) n++; return 0; }";
    assert_eq!(found(counts, "rc11"), Some((1, false, true)));
}
