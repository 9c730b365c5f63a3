//! Random models, as text: random axioms over random expressions, monotone or not.

use std::fmt::Write;

use crate::random::Random;

/// What a model may mention at some point.
struct Names {
    sets: Vec<String>,
    relations: Vec<String>,
    fresh: usize,
}

/// A model.
pub fn random(random: &mut Random) -> String {
    let mut text = String::from("\"random\"\n");
    let strings = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect();
    let mut names = Names {
        sets: strings(&["W", "R", "IW", "M", "F", "B", "FW", "X"]),
        relations: strings(&[
            "po", "loc", "ext", "int", "addr", "data", "ctrl", "rmw", "rf", "rf", "rfe", "co0", "id",
        ]),
        fresh: 0,
    };
    coherence(random, &mut names, &mut text);
    for _ in 0..random.below(3) {
        definition(random, &mut names, &mut text);
    }
    for _ in 0..1 + random.below(3) {
        let check = check(random, &names);
        // More checks than fit one machine word, now and then.
        let copies = if random.chance(2) { 70 } else { 1 };
        for _ in 0..copies {
            let _ = writeln!(text, "{check}");
        }
    }
    text
}

fn coherence(random: &mut Random, names: &mut Names, text: &mut String) {
    match random.below(12) {
        0 => return,
        1 => {
            text.push_str("include \"cross.cat\"\nwith co from generate_orders(W, co0)\nlet fr = rf^-1;co\n");
        }
        2 => {
            // As the kernel's model does: on top of what rf shows.
            text.push_str(
                "include \"cross.cat\"\nwith co from generate_cos(co0 | (rf;po & (W*W) & loc))\nlet fr = rf^-1;co\n",
            );
        }
        3 => {
            // Not even the initial writes come first.
            text.push_str("include \"cross.cat\"\nwith co from generate_cos(0)\nlet fr = rf^-1;co\n");
        }
        4 => {
            // Some writes only.
            let set = names.set(random, 1);
            let _ = writeln!(
                text,
                "include \"cross.cat\"\nwith co from generate_orders((W & {set}), co0)\nlet fr = rf^-1;co"
            );
        }
        _ => text.push_str("include \"cos.cat\"\n"),
    }
    names.relations.extend(["co", "co", "fr", "fr"].map(str::to_string));
    match random.below(4) {
        0 => {}
        1 => text.push_str("irreflexive co;po as coww\n"),
        _ => text.push_str("acyclic po-loc | rf | fr | co as uniproc\n"),
    }
}

fn definition(random: &mut Random, names: &mut Names, text: &mut String) {
    let a = names.fresh();
    let _ = match random.below(11) {
        0..=1 => {
            let e = names.relation(random, 2);
            names.relations.push(a.clone());
            writeln!(text, "let {a} = {e}")
        }
        2 => {
            let e = names.set(random, 2);
            names.sets.push(a.clone());
            writeln!(text, "let {a} = {e}")
        }
        3..=4 => {
            // Two recursive relations, monotone.
            let (b, d, e) = (names.fresh(), names.relation(random, 2), names.relation(random, 2));
            let last = match random.below(3) {
                0 => format!("{a};{b}"),
                1 => format!("({a} & {b})+"),
                _ => a.clone(),
            };
            names.relations.extend([a.clone(), b.clone()]);
            writeln!(text, "let rec {a} = {d} | {a};{b} and {b} = {e} | {last}")
        }
        5 => {
            // A recursive set.
            let (s, r) = (names.set(random, 1), names.relation(random, 2));
            names.sets.push(a.clone());
            writeln!(text, "let rec {a} = {s} | range([{a}];{r})")
        }
        6 => {
            // Not monotone: only the plain run can tell its value. It settles: what is taken away stays away.
            let (b, d, e) = (names.fresh(), names.relation(random, 2), names.relation(random, 2));
            names.relations.push(a.clone());
            writeln!(text, "let rec {a} = {d} \\ {b} and {b} = {b} | {e} | {a};{d}")
        }
        7 => {
            // A choice spelled out: static, or not.
            let options: Vec<String> = (0..1 + random.below(3)).map(|_| names.relation(random, 1)).collect();
            names.relations.push(a.clone());
            writeln!(text, "with {a} from {{{}}}", options.join(", "))
        }
        8 => {
            let options: Vec<String> = (0..1 + random.below(3)).map(|_| names.set(random, 1)).collect();
            names.sets.push(a.clone());
            writeln!(text, "with {a} from {{{}}}", options.join(", "))
        }
        9 => {
            let (d, e, f) = (names.relation(random, 1), names.relation(random, 1), names.relation(random, 1));
            names.relations.push(a.clone());
            writeln!(text, "include \"cross.cat\"\nwith {a} from cross({{ {{{d}}}, {{{e}, {f}}} }})")
        }
        _ => {
            // An order of something else than writes.
            let e = names.relation(random, 1);
            let set = random.pick(&["F", "IW", "B | F", "R & range(po)", "FW | IW"]).to_string();
            names.relations.push(a.clone());
            writeln!(text, "with {a} from linearisations({set}, {e})")
        }
    };
}

fn check(random: &mut Random, names: &Names) -> String {
    let kind = *random.pick(&["", "", "", "", "", "", "", "flag ", "undefined_unless "]);
    let not = if random.chance(10) { "~" } else { "" };
    // Reflexive relations, and unions of much, leave nothing: most checks look at less.
    let relation = |random: &mut Random| match random.below(4) {
        0 => names.relation(random, 3),
        1 => format!("({} \\ {})", names.relation(random, 2), names.relation(random, 2)),
        _ => format!("({} & {})", names.relation(random, 2), names.relation(random, 2)),
    };
    let (test, of) = match random.below(7) {
        0..=2 => ("acyclic", format!("({} \\ id)", relation(random))),
        3..=4 => ("irreflexive", format!("({};{})", relation(random), relation(random))),
        5 => ("empty", format!("({} & {})", names.set(random, 2), names.set(random, 3))),
        _ => ("empty", format!("({} & {})", relation(random), relation(random))),
    };
    format!("{kind}{not}{test} {of} as check{}", random.below(100))
}

impl Names {
    fn fresh(&mut self) -> String {
        self.fresh += 1;
        format!("d{}", self.fresh)
    }

    fn relation(&self, random: &mut Random, depth: usize) -> String {
        if depth == 0 || random.chance(20) {
            return random.pick(&self.relations).clone();
        }
        let rel = |random: &mut Random| self.relation(random, depth - 1);
        match random.below(20) {
            0..=3 => format!("({} | {})", rel(random), rel(random)),
            4..=6 => format!("({};{})", rel(random), rel(random)),
            7 => format!("({};{};{})", rel(random), rel(random), rel(random)),
            8..=9 => format!("({} & {})", rel(random), rel(random)),
            10..=11 => format!("({} \\ {})", rel(random), rel(random)),
            12 => format!("({})^-1", rel(random)),
            13 => format!("({})?", rel(random)),
            14 => format!("({})+", rel(random)),
            15 => format!("(({})*)", rel(random)),
            16 => format!("(~({}))", rel(random)),
            17 => format!("[{}]", self.set(random, depth - 1)),
            18 => format!("(({}) * ({}))", self.set(random, depth - 1), self.set(random, depth - 1)),
            _ => format!("(different-values({}))", rel(random)),
        }
    }

    fn set(&self, random: &mut Random, depth: usize) -> String {
        if depth == 0 || random.chance(20) {
            return random.pick(&self.sets).clone();
        }
        let set = |random: &mut Random| self.set(random, depth - 1);
        match random.below(8) {
            0 => format!("({} | {})", set(random), set(random)),
            1 => format!("({} & {})", set(random), set(random)),
            2 => format!("({} \\ {})", set(random), set(random)),
            3 => format!("(~({}))", set(random)),
            4..=5 => format!("(domain({}))", self.relation(random, depth - 1)),
            _ => format!("(range({}))", self.relation(random, depth - 1)),
        }
    }
}
