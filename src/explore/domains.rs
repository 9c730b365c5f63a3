//! Which values each read can still have, given the writes that it may read from.
//!
//! Where values go from reads to writes and on to other reads (page table entries that hardware updates, chains of atomics), most ways to bind the
//! reads contradict the constraints of the paths, or justify themselves. The least sets of values that are closed under what the writes write
//! tell that before a model is asked: a source without a value that its reader can have is none.

use rustc_hash::FxHashMap;

use crate::execution::{Event, SymVal, World};
use crate::program::{Program, Value};

/// A set of values, by their places in the table; the top bit stands for values that are not known.
type Domain = u64;

/// Not bounded.
const ANY: Domain = 1 << 63;

/// More combinations of values than this are not tried.
const MAX_COMBINATIONS: u32 = 256;

/// More values of one event than this are not looked at one by one.
const MAX_ASKED: u32 = 12;

/// Looks at one combination of values, by their places, and the result; it is given the table, too.
type See<'s> = dyn FnMut(&[usize], Domain, &[Value]) + 's;

/// A function of reads.
struct Function<'w> {
    value: &'w SymVal,
    /// Reads that it depends on, by position.
    reads: Vec<usize>,
    /// Results by combination of values; of a function of one read by its value, 0 where it has not been asked for.
    known: FxHashMap<u64, Domain>,
    of_one: Vec<Domain>,
}

impl Function<'_> {
    fn new(value: &SymVal, reads: Vec<usize>) -> Function<'_> {
        Function { value, reads, known: FxHashMap::default(), of_one: Vec::new() }
    }

    /// The result for some values of its reads.
    fn result(value: &SymVal, chosen: &[usize], table: &mut Vec<Value>, bits: u32) -> Domain {
        let events = value.reads();
        let given = |event: u32| {
            let place = events.iter().position(|read| *read == event)?;
            Some(table[*chosen.get(place)?])
        };
        match value.eval_with(&given, bits) {
            Ok(Some(value)) => place(table, value),
            Ok(None) | Err(_) => ANY,
        }
    }
}

/// What a write writes.
enum Source<'w> {
    Constant(Domain),
    Function(Function<'w>),
}

/// A constraint of the path.
struct Rule<'w> {
    /// Its results are values that count as true or false.
    condition: Function<'w>,
    expected: bool,
}

/// The values of one world.
pub(super) struct Domains<'w> {
    bits: u32,
    /// The reads whose values matter, by event.
    pub reads: Vec<usize>,
    /// Values met so far.
    table: Vec<Value>,
    /// By event.
    sources: Vec<Option<Source<'w>>>,
    /// Constraints on one read each: those are in force whenever a value is met. By position of the read.
    single: Vec<Vec<Rule<'w>>>,
    /// Values that these allow, and those that have been looked at.
    allowed: Vec<(Domain, Domain)>,
    rules: Vec<Rule<'w>>,
    /// What each read can have, by position.
    domains: Vec<Domain>,
    limits: Vec<Domain>,
    /// May more be found out than by looking at each constraint with all but one value known?
    useful: bool,
}

/// The writes that a read may read from.
pub(super) trait Candidates {
    /// Calls `see` with each, by event. The read is given by its position among those that matter.
    fn each(&self, read: usize, see: &mut dyn FnMut(usize));
    /// How many.
    fn count(&self, read: usize) -> usize;
    /// Takes one away.
    fn drop_source(&mut self, read: usize, write: usize);
}

impl<'w> Domains<'w> {
    /// Of a world with these constraints: of the reads that they or written values depend on, or of all.
    fn new(
        world: &'w World,
        constraints: impl Iterator<Item = (&'w SymVal, bool)> + Clone,
        all: bool,
        bits: u32,
    ) -> Domains<'w> {
        let writes = || world.writes.iter().flatten();
        let written = |write: &usize| world.events[*write].written_value();
        let mut reads: Vec<usize> = match all {
            true => world.reads.iter().map(|(read, _)| *read).collect(),
            false => Vec::new(),
        };
        let values = constraints.clone().map(|(value, _)| value).chain(writes().filter_map(written));
        for value in values.filter(|value| value.known().is_none()) {
            reads.extend(value.reads().into_iter().map(|read| read as usize));
        }
        reads.sort_unstable();
        reads.dedup();
        let position = |read: &u32| reads.binary_search(&(*read as usize)).ok();
        let function =
            |value: &'w SymVal| Function::new(value, value.reads().iter().filter_map(position).collect());
        let mut single: Vec<Vec<Rule>> = reads.iter().map(|_| Vec::new()).collect();
        let mut rules = Vec::new();
        for (value, expected) in constraints {
            let rule = Rule { condition: function(value), expected };
            match rule.condition.reads[..] {
                [] => {}
                [read] => single[read].push(rule),
                _ => rules.push(rule),
            }
        }
        let matters = |(read, sources): &&(usize, Vec<usize>)| {
            reads.binary_search(read).is_ok()
                && sources.iter().any(|write| written(write).is_some_and(|value| value.known().is_none()))
        };
        let useful = world.reads.iter().any(|read| matters(&read));
        let count = reads.len();
        let mut domains = Domains {
            bits,
            reads: Vec::new(),
            table: Vec::new(),
            sources: world.events.iter().map(|_| None).collect(),
            single,
            allowed: vec![(ANY, ANY); count],
            rules,
            domains: vec![0; count],
            limits: vec![0; count],
            useful,
        };
        for write in writes() {
            let Some(value) = written(write) else { continue };
            domains.sources[*write] = Some(match value.known() {
                Some(value) => Source::Constant(place(&mut domains.table, value)),
                None => Source::Function(function(value)),
            });
        }
        domains.reads = reads;
        domains
    }

    /// Of a world with these constraints, where knowing them helps: values go from reads to writes and on to reads.
    pub fn of(
        world: &'w World,
        constraints: impl Iterator<Item = (&'w SymVal, bool)> + Clone,
        bits: u32,
    ) -> Option<Domains<'w>> {
        let mut written = world.writes.iter().flatten().filter_map(|w| world.events[*w].written_value());
        if written.all(|value| value.known().is_some()) {
            return None;
        }
        Some(Domains::new(world, constraints, false, bits)).filter(|domains| domains.useful)
    }

    /// Drops sources that no value can come from. False: nothing is left for some read.
    pub fn settle(&mut self, candidates: &mut impl Candidates) -> bool {
        self.limits.fill(!0);
        loop {
            self.close(candidates);
            if self.domains.contains(&0) {
                return false;
            }
            let mut changed = false;
            for rule in 0..self.rules.len() {
                let Rule { condition, expected } = &mut self.rules[rule];
                let expected = *expected;
                let accepts = |result: Option<Value>| result.is_none_or(|v| (v != Value::ZERO) == expected);
                let tables = (&mut self.table, &mut self.limits[..]);
                match narrow(condition, &self.domains, tables, self.bits, Keep::Truth(&accepts)) {
                    Some(more) => changed |= more,
                    None => return false,
                }
            }
            for read in 0..self.reads.len() {
                match self.narrow_sources(read, candidates) {
                    Some(more) => changed |= more,
                    None => return false,
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// The values that an event can have, if they are known and not too many.
    fn values(&mut self, event: &Event) -> Vec<Option<Value>> {
        let (Some(value), None) = (&event.value, &event.written) else { return Vec::new() };
        if let Some(known) = value.known() {
            return vec![Some(known)];
        }
        let reads = value.reads();
        let positions: Vec<usize> =
            reads.iter().filter_map(|read| self.reads.binary_search(&(*read as usize)).ok()).collect();
        if positions.len() != reads.len() {
            return Vec::new();
        }
        let mut function = Function::new(value, positions);
        let mut image = 0;
        let complete =
            combinations(&mut function, &self.domains, &mut self.table, self.bits, &mut |_, result, _| {
                image |= result;
            });
        if !complete || image & ANY != 0 || image.count_ones() > MAX_ASKED {
            return Vec::new();
        }
        bits(image).map(|index| Some(self.table[index])).collect()
    }

    /// The least domains that are closed under what is written.
    fn close(&mut self, candidates: &impl Candidates) {
        self.domains.fill(0);
        loop {
            let mut changed = false;
            for read in 0..self.reads.len() {
                let mut domain = 0;
                candidates.each(read, &mut |write| domain |= self.image(write));
                domain = self.allow(read, domain & self.limits[read]) | self.domains[read];
                changed |= domain != self.domains[read];
                self.domains[read] = domain;
            }
            if !changed {
                return;
            }
        }
    }

    /// What a write can write.
    fn image(&mut self, write: usize) -> Domain {
        match &mut self.sources[write] {
            Some(Source::Constant(domain)) => *domain,
            Some(Source::Function(function)) => {
                let mut image = 0;
                let complete =
                    combinations(function, &self.domains, &mut self.table, self.bits, &mut |_, result, _| {
                        image |= result;
                    });
                if complete { image } else { ANY }
            }
            None => ANY,
        }
    }

    /// Those values of a domain that the read can have as far as its own constraints tell.
    fn allow(&mut self, read: usize, domain: Domain) -> Domain {
        let (mut allowed, mut looked_at) = self.allowed[read];
        for index in bits(domain & !looked_at) {
            let value = self.table[index];
            let fits = self.single[read].iter().all(|rule| {
                match rule.condition.value.eval_with(&|_| Some(value), self.bits) {
                    Ok(Some(result)) => (result != Value::ZERO) == rule.expected,
                    // An operation without meaning is reported when an execution gets to the end with it.
                    Ok(None) | Err(_) => true,
                }
            });
            allowed |= u64::from(fits) << index;
            looked_at |= 1 << index;
        }
        self.allowed[read] = (allowed, looked_at);
        domain & allowed
    }

    /// Drops the sources of a read that have no value for it; where one is left, what that one depends on has values that fit.
    fn narrow_sources(&mut self, read: usize, candidates: &mut impl Candidates) -> Option<bool> {
        let own = self.domains[read];
        if candidates.count(read) == 1 {
            let mut only = None;
            candidates.each(read, &mut |write| only = Some(write));
            let Some(Some(Source::Function(function))) = only.map(|write| &mut self.sources[write]) else {
                return Some(false);
            };
            if own & ANY != 0 {
                return Some(false);
            }
            let tables = (&mut self.table, &mut self.limits[..]);
            return narrow(function, &self.domains, tables, self.bits, Keep::Inside(own));
        }
        let mut hopeless = Vec::new();
        candidates.each(read, &mut |write| {
            let image = self.image(write);
            let image = self.allow(read, image & self.limits[read]);
            if image & (own | ANY) == 0 {
                hopeless.push(write);
            }
        });
        hopeless.iter().for_each(|write| candidates.drop_source(read, *write));
        match candidates.count(read) {
            0 => None,
            _ => Some(!hopeless.is_empty()),
        }
    }
}

/// Which results of a function are wanted.
enum Keep<'k> {
    Truth(&'k dyn Fn(Option<Value>) -> bool),
    Inside(Domain),
}

/// Limits the reads of a function to values with which its result is wanted. `None`: there are none.
fn narrow(
    function: &mut Function,
    domains: &[Domain],
    (table, limits): (&mut Vec<Value>, &mut [Domain]),
    bits: u32,
    keep: Keep,
) -> Option<bool> {
    let mut supported = vec![0; function.reads.len()];
    let complete = combinations(function, domains, table, bits, &mut |chosen, result, table| {
        let wanted = match &keep {
            Keep::Truth(accepts) => accepts((result != ANY).then(|| table[result.trailing_zeros() as usize])),
            Keep::Inside(domain) => result & (domain | ANY) != 0,
        };
        if wanted {
            supported.iter_mut().zip(chosen).for_each(|(domain, index)| *domain |= 1 << index);
        }
    });
    if !complete {
        return Some(false);
    }
    let mut changed = false;
    for (read, supported) in function.reads.iter().zip(supported) {
        let left = domains[*read] & supported;
        if left == 0 {
            return None;
        }
        if left != domains[*read] && limits[*read] & !left != 0 {
            changed |= domains[*read] & limits[*read] & !left != 0;
            limits[*read] &= left;
        }
    }
    Some(changed)
}

/// Calls `see` with the values of every combination of what the reads of a function can have, and the result. False: there are too many.
fn combinations(
    function: &mut Function,
    domains: &[Domain],
    table: &mut Vec<Value>,
    bits: u32,
    see: &mut See,
) -> bool {
    let Function { value, reads, known, of_one } = function;
    if let [read] = reads[..] {
        if domains[read] & ANY != 0 {
            return false;
        }
        of_one.resize(64, 0);
        for chosen in self::bits(domains[read]) {
            if of_one[chosen] == 0 {
                of_one[chosen] = Function::result(value, &[chosen], table, bits);
            }
            see(&[chosen], of_one[chosen], table);
        }
        return true;
    }
    let mut total = 1u32;
    for read in reads.iter() {
        if domains[*read] & ANY != 0 {
            return false;
        }
        total = total.saturating_mul(domains[*read].count_ones());
    }
    if total > MAX_COMBINATIONS || reads.len() > 8 {
        return false;
    }
    let mut left: Vec<Domain> = reads.iter().map(|read| domains[*read]).collect();
    let mut chosen = vec![0; reads.len()];
    for _ in 0..total {
        let mut key = 0u64;
        for (place, domain) in left.iter().enumerate() {
            chosen[place] = domain.trailing_zeros() as usize;
            key = key << 6 | chosen[place] as u64;
        }
        let result = match known.get(&key) {
            Some(result) => *result,
            None => {
                let result = Function::result(value, &chosen, table, bits);
                known.insert(key, result);
                result
            }
        };
        see(&chosen, result, table);
        // The next combination.
        for (place, read) in reads.iter().enumerate() {
            left[place] &= left[place] - 1;
            if left[place] != 0 {
                break;
            }
            left[place] = domains[*read];
        }
    }
    true
}

/// A value's place in the table, as a set.
fn place(table: &mut Vec<Value>, value: Value) -> Domain {
    match table.iter().position(|known| *known == value) {
        Some(index) => 1 << index,
        None if table.len() == 63 => ANY,
        None => {
            table.push(value);
            1 << (table.len() - 1)
        }
    }
}

fn bits(domain: Domain) -> impl Iterator<Item = usize> {
    crate::relation::rows::bits([domain & !ANY])
}

/// The sources in a world, as it is made.
struct InWorld {
    sources: Vec<Vec<usize>>,
}

impl Candidates for InWorld {
    fn each(&self, read: usize, see: &mut dyn FnMut(usize)) {
        self.sources[read].iter().for_each(|write| see(*write));
    }

    fn count(&self, read: usize) -> usize {
        self.sources[read].len()
    }

    fn drop_source(&mut self, read: usize, write: usize) {
        self.sources[read].retain(|source| *source != write);
    }
}

/// Drops sources that no value can come from, whatever a model says. False: the world has no execution.
pub(super) fn narrow_world(world: &mut World, program: &Program) -> bool {
    let constraints = world.constraints.iter().map(|(value, expected)| (value, *expected));
    // Models ask about the values of page table entries.
    let asked = program.machine.tables.is_some();
    let domains = match asked {
        true => Some(Domains::new(world, constraints, true, program.bits)),
        false => Domains::of(world, constraints, program.bits),
    };
    let Some(mut domains) = domains else { return true };
    let of = |event: &usize| world.reads.iter().position(|(read, _)| read == event);
    let positions: Vec<usize> = domains.reads.iter().filter_map(of).collect();
    if positions.len() != domains.reads.len() {
        return true;
    }
    let mut candidates = InWorld { sources: positions.iter().map(|at| world.reads[*at].1.clone()).collect() };
    let fits = domains.settle(&mut candidates);
    let possible = match asked && fits {
        true => world.events[..world.n_memory].iter().map(|event| domains.values(event)).collect(),
        false => Vec::new(),
    };
    world.possible = possible;
    for (position, sources) in positions.into_iter().zip(candidates.sources) {
        world.reads[position].1 = sources;
    }
    fits
}
