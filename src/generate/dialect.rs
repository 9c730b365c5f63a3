//! What tests can be written in: instruction sets, C, the kernel's C; and what each has to keep accesses in order.

use super::cycle::{Cycle, Step};
use super::edge::{Com, Dir, Edge, How};
use crate::arch::ArchId;

/// A way to write tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    X86,
    X86_64,
    AArch64,
    Arm,
    Ppc,
    RiscV,
    Mips,
    Bpf,
    /// A bell file says how accesses may be annotated, and which fences there are.
    Lisa(&'static Words),
    /// C11 atomics.
    C,
    /// The Linux kernel's primitives.
    Kernel,
}

/// The words of a bell file.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Words {
    /// How reads may be annotated, the plainest way first; likewise writes.
    pub reads: &'static [&'static str],
    /// Likewise writes.
    pub writes: &'static [&'static str],
    /// How an exchange is annotated whose read and write are plain; `None`: there is none.
    pub exchange: Option<&'static str>,
    /// The fences.
    pub fences: &'static [Fence],
}

impl Words {
    /// Without a bell file: nothing but plain accesses.
    pub const NONE: Words = Words { reads: &[""], writes: &[""], exchange: Some(""), fences: &[] };

    /// What a bell file has, by the annotations of each kind of instruction. They are kept for good: a process reads few such files.
    pub fn new(
        reads: Vec<String>,
        writes: Vec<String>,
        exchange: Option<String>,
        fences: Vec<String>,
    ) -> &'static Words {
        let kept = |text: String| -> &'static str { text.leak() };
        let all = |words: Vec<String>| -> &'static [&'static str] {
            words.into_iter().map(kept).collect::<Vec<_>>().leak()
        };
        let named = |word: String| Fence {
            code: kept(format!("f[{word}]")),
            name: kept(word.replace(',', "-")),
            orders: ("RW", "RW"),
        };
        Box::leak(Box::new(Words {
            reads: all(reads),
            writes: all(writes),
            exchange: exchange.map(kept),
            fences: fences.into_iter().map(named).collect::<Vec<_>>().leak(),
        }))
    }
}

/// A fence: its name in edges and test names, and as an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fence {
    /// In names.
    pub name: &'static str,
    /// In code.
    pub code: &'static str,
    /// The accesses before it that it orders, and those after it: `RW` or one of both.
    pub orders: (&'static str, &'static str),
}

const fn fence(name: &'static str, code: &'static str) -> Fence {
    Fence { name, code, orders: ("RW", "RW") }
}

const fn partial(name: &'static str, code: &'static str, before: &'static str, after: &'static str) -> Fence {
    Fence { name, code, orders: (before, after) }
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 11] = [
        Dialect::X86,
        Dialect::X86_64,
        Dialect::AArch64,
        Dialect::Arm,
        Dialect::Ppc,
        Dialect::RiscV,
        Dialect::Mips,
        Dialect::Bpf,
        Dialect::Lisa(&Words::NONE),
        Dialect::C,
        Dialect::Kernel,
    ];

    /// By name, as the command line has it: an architecture, or `lkmm` for the kernel's C.
    pub fn parse(word: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name().eq_ignore_ascii_case(word))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Kernel => "LKMM",
            other => other.arch().name(),
        }
    }

    /// The dialect of an architecture, if there is one.
    pub fn of(arch: ArchId) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.arch() == arch)
    }

    /// What its tests are for.
    pub fn arch(self) -> ArchId {
        match self {
            Dialect::X86 => ArchId::X86,
            Dialect::X86_64 => ArchId::X86_64,
            Dialect::AArch64 => ArchId::AArch64,
            Dialect::Arm => ArchId::Arm,
            Dialect::Ppc => ArchId::Ppc,
            Dialect::RiscV => ArchId::RiscV,
            Dialect::Mips => ArchId::Mips,
            Dialect::Bpf => ArchId::Bpf,
            Dialect::Lisa(_) => ArchId::Lisa,
            Dialect::C | Dialect::Kernel => ArchId::C,
        }
    }

    /// Its fences, a full one first; some have none.
    pub fn fences(self) -> &'static [Fence] {
        const X86: &[Fence] = &[fence("mfence", "MFENCE")];
        const X86_64: &[Fence] = &[fence("mfence", "mfence")];
        const AARCH64: &[Fence] = &[
            fence("dmb.sy", "DMB SY"),
            partial("dmb.st", "DMB ST", "W", "W"),
            partial("dmb.ld", "DMB LD", "R", "RW"),
        ];
        const ARM: &[Fence] = &[fence("dmb", "DMB"), partial("dmb.st", "DMB ST", "W", "W")];
        const PPC: &[Fence] = &[fence("sync", "sync"), fence("lwsync", "lwsync")];
        const RISCV: &[Fence] = &[
            fence("fence.rw.rw", "fence rw,rw"),
            fence("fence.tso", "fence.tso"),
            partial("fence.rw.w", "fence rw,w", "RW", "W"),
            partial("fence.r.rw", "fence r,rw", "R", "RW"),
            partial("fence.w.w", "fence w,w", "W", "W"),
            partial("fence.r.r", "fence r,r", "R", "R"),
        ];
        const MIPS: &[Fence] = &[fence("sync", "sync")];
        const C: &[Fence] = &[
            fence("fence.sc", "atomic_thread_fence(memory_order_seq_cst);"),
            fence("fence.acqrel", "atomic_thread_fence(memory_order_acq_rel);"),
            fence("fence.rel", "atomic_thread_fence(memory_order_release);"),
            fence("fence.acq", "atomic_thread_fence(memory_order_acquire);"),
        ];
        const KERNEL: &[Fence] = &[
            fence("mb", "smp_mb();"),
            partial("wmb", "smp_wmb();", "W", "W"),
            partial("rmb", "smp_rmb();", "R", "R"),
        ];
        match self {
            Dialect::X86 => X86,
            Dialect::X86_64 => X86_64,
            Dialect::Bpf => &[],
            Dialect::Lisa(words) => words.fences,
            Dialect::AArch64 => AARCH64,
            Dialect::Arm => ARM,
            Dialect::Ppc => PPC,
            Dialect::RiscV => RISCV,
            Dialect::Mips => MIPS,
            Dialect::C => C,
            Dialect::Kernel => KERNEL,
        }
    }

    /// How accesses of a kind may be annotated; the first way is the plain one.
    pub fn annotations(self, dir: Dir) -> &'static [&'static str] {
        match (self, dir) {
            (Dialect::AArch64, Dir::R) => &["", "A", "Q"],
            (Dialect::AArch64, Dir::W) => &["", "L"],
            (Dialect::C, Dir::R) => &["rlx", "acq", "sc"],
            (Dialect::C, Dir::W) => &["rlx", "rel", "sc"],
            (Dialect::Kernel | Dialect::Bpf, Dir::R) => &["", "acq"],
            (Dialect::Kernel | Dialect::Bpf, Dir::W) => &["", "rel"],
            (Dialect::Lisa(words), Dir::R) => words.reads,
            (Dialect::Lisa(words), Dir::W) => words.writes,
            _ => &[""],
        }
    }

    /// The order of an atomic instruction whose read and write are annotated so, if there is such an instruction.
    pub fn atomic_order(self, read: u8, write: u8) -> Option<&'static str> {
        Some(match (self, read, write) {
            (Dialect::X86 | Dialect::X86_64, ..) => "",
            (Dialect::Bpf, 0, 0) => "",
            (Dialect::Lisa(words), 0, 0) => words.exchange?,
            (Dialect::AArch64, 0, 0) => "",
            (Dialect::AArch64, 1, 0) => "A",
            (Dialect::AArch64, 0, 1) => "L",
            (Dialect::AArch64, 1, 1) => "AL",
            (Dialect::RiscV, 0, 0) => "",
            (Dialect::C, 0, 0) => "relaxed",
            (Dialect::C, 1, 0) => "acquire",
            (Dialect::C, 0, 1) => "release",
            (Dialect::C, 1, 1) => "acq_rel",
            (Dialect::C, 2, 2) => "seq_cst",
            (Dialect::Kernel, 0, 0) => "_relaxed",
            (Dialect::Kernel, 1, 0) => "_acquire",
            (Dialect::Kernel, 0, 1) => "_release",
            _ => return None,
        })
    }

    /// Do dependencies mean anything?
    fn dependencies(self) -> &'static [How] {
        match self {
            Dialect::X86 | Dialect::X86_64 | Dialect::C => &[],
            Dialect::Mips | Dialect::Bpf | Dialect::Lisa(_) => &[How::Addr, How::Data, How::Ctrl],
            Dialect::Kernel => &[How::Data, How::Ctrl],
            _ => &[How::Addr, How::Data, How::Ctrl, How::CtrlFence],
        }
    }

    /// The fence that makes reads wait for branches, as names have it.
    pub fn branch_fence(self) -> &'static str {
        match self {
            Dialect::Ppc => "isync",
            Dialect::RiscV => "fencei",
            _ => "isb",
        }
    }

    /// Has it exchanges of one instruction?
    fn has_atomics(self) -> bool {
        match self {
            Dialect::Lisa(words) => words.exchange.is_some(),
            _ => !matches!(self, Dialect::Arm | Dialect::Ppc | Dialect::Mips),
        }
    }

    /// Has it pairs of a read that reserves and a write that may fail?
    fn has_pairs(self) -> bool {
        matches!(self, Dialect::AArch64 | Dialect::Arm | Dialect::Ppc | Dialect::RiscV | Dialect::Mips)
    }

    /// What such a pair is called: where there is nothing else it is the read-modify-write.
    pub fn pair_name(self) -> &'static str {
        if self.has_atomics() { "lxsx" } else { "rmw" }
    }

    /// Is there such a pair with these annotations?
    pub fn reserves(self, read: u8, write: u8) -> bool {
        match self {
            Dialect::AArch64 => read < 2 && write < 2,
            _ => read == 0 && write == 0,
        }
    }

    /// The word for what stands between two accesses.
    pub fn how_name(self, how: How) -> String {
        match how {
            How::Plain => "po".to_string(),
            How::Fence(index) => self.fences()[usize::from(index)].name.to_string(),
            How::Addr => "addr".to_string(),
            How::Data => "data".to_string(),
            How::Ctrl => "ctrl".to_string(),
            How::CtrlFence => format!("ctrl{}", self.branch_fence()),
        }
    }
}

/// What cycles are made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vocabulary {
    /// The dialect that it belongs to.
    pub dialect: Dialect,
    external: Vec<Com>,
    internal: Vec<Com>,
    /// Between accesses to different locations.
    between: Vec<How>,
    /// Between accesses to one location.
    on_one: Vec<How>,
    atomics: bool,
    pairs: bool,
    reads: Vec<u8>,
    writes: Vec<u8>,
}

impl Vocabulary {
    /// All that a dialect has.
    pub fn all(dialect: Dialect) -> Vocabulary {
        let fences = (0..dialect.fences().len()).map(|index| How::Fence(index as u8));
        let mut between: Vec<How> = std::iter::once(How::Plain).chain(fences).collect();
        between.extend(dialect.dependencies());
        let annotations = |dir| (0..dialect.annotations(dir).len() as u8).collect();
        Vocabulary {
            dialect,
            external: Com::ALL.to_vec(),
            internal: Com::ALL.to_vec(),
            on_one: between.clone(),
            between,
            atomics: dialect.has_atomics(),
            pairs: dialect.has_pairs(),
            reads: annotations(Dir::R),
            writes: annotations(Dir::W),
        }
    }

    /// What these dialects have in common: plain accesses, full fences and, where all have them, dependencies and atomic accesses. Written with
    /// the first one's numbers, which mean the same in the others.
    pub fn shared(dialects: &[Dialect]) -> Vocabulary {
        let both = |how: &How| match how {
            How::Plain => true,
            How::Fence(0) => dialects.iter().all(|dialect| !dialect.fences().is_empty()),
            How::Fence(_) | How::CtrlFence => false,
            how => dialects.iter().all(|dialect| dialect.dependencies().contains(how)),
        };
        let all = Vocabulary::all(dialects.first().copied().unwrap_or(Dialect::AArch64));
        let between: Vec<How> = all.between.into_iter().filter(both).collect();
        Vocabulary {
            on_one: between.clone(),
            between,
            atomics: dialects.iter().all(|dialect| dialect.has_atomics()),
            pairs: dialects.iter().all(|dialect| dialect.has_pairs()),
            reads: vec![0],
            writes: vec![0],
            ..all
        }
    }

    /// The same without atomic accesses.
    pub fn without_atomics(self) -> Vocabulary {
        Vocabulary { atomics: false, pairs: false, ..self }
    }

    /// Only what these words name.
    ///
    /// # Errors
    /// A word that names nothing here.
    pub fn restricted(&self, words: &[String]) -> Result<Vocabulary, String> {
        let all = self;
        let mut own = Vocabulary {
            external: Vec::new(),
            internal: Vec::new(),
            between: Vec::new(),
            on_one: Vec::new(),
            atomics: false,
            pairs: false,
            reads: Vec::new(),
            writes: Vec::new(),
            ..all.clone()
        };
        for word in words {
            if !own.add(all, word) {
                return Err(word.clone());
            }
        }
        if own.external.is_empty() {
            own.external = all.external.clone();
        }
        for annotations in [&mut own.reads, &mut own.writes] {
            annotations.sort_unstable();
            annotations.dedup();
            if annotations.is_empty() {
                annotations.push(0);
            }
        }
        Ok(own)
    }

    /// Adds what a word names.
    fn add(&mut self, all: &Vocabulary, word: &str) -> bool {
        let word = word.trim();
        let same = |name: &str| name.eq_ignore_ascii_case(word);
        for (com, name) in Com::ALL.into_iter().zip(["rf", "fr", "co"]) {
            if same(&format!("{name}e")) {
                self.external.push(com);
                return true;
            }
            if same(&format!("{name}i")) {
                self.internal.push(com);
                return true;
            }
        }
        if same("rmw") && all.atomics {
            self.atomics = true;
            return true;
        }
        if same(self.dialect.pair_name()) && all.pairs {
            self.pairs = true;
            return true;
        }
        if same("pos") {
            self.on_one.push(How::Plain);
            return true;
        }
        if let Some(how) = all.between.iter().copied().find(|how| same(&self.dialect.how_name(*how))) {
            self.between.push(how);
            if how != How::Plain {
                self.on_one.push(how);
            }
            return true;
        }
        let mut found = same("plain");
        if found {
            self.reads.push(0);
            self.writes.push(0);
        }
        for (dir, list, there) in
            [(Dir::R, &mut self.reads, &all.reads), (Dir::W, &mut self.writes, &all.writes)]
        {
            let names = self.dialect.annotations(dir);
            let index = names.iter().position(|name| !name.is_empty() && same(name));
            if let Some(index) = index.map(|index| index as u8).filter(|index| there.contains(index)) {
                list.push(index);
                found = true;
            }
        }
        found
    }

    /// All words that [`Vocabulary::restricted`] knows.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> =
            ["rfe", "fre", "coe", "rfi", "fri", "coi", "pos"].map(str::to_string).to_vec();
        words.extend(self.between.iter().map(|how| self.dialect.how_name(*how)));
        if self.atomics {
            words.push("rmw".to_string());
        }
        if self.pairs {
            words.push(self.dialect.pair_name().to_string());
        }
        words.push("plain".to_string());
        for (dir, there) in [(Dir::R, &self.reads), (Dir::W, &self.writes)] {
            for (index, name) in self.dialect.annotations(dir).iter().enumerate() {
                let named = !name.is_empty() && there.contains(&(index as u8));
                if named && !words.iter().any(|word| word == name) {
                    words.push((*name).to_string());
                }
            }
        }
        words
    }

    /// The annotations of accesses of a kind.
    pub(super) fn annotations(&self, dir: Dir) -> impl Iterator<Item = u8> + use<> {
        match dir {
            Dir::R => self.reads.clone().into_iter(),
            Dir::W => self.writes.clone().into_iter(),
        }
    }

    /// All edges, in order; communications between threads first.
    pub(super) fn edges(&self) -> Vec<Edge> {
        let mut edges: Vec<Edge> = self.external.iter().copied().map(Edge::External).collect();
        edges.extend(self.internal.iter().copied().map(Edge::Internal));
        if self.atomics {
            edges.push(Edge::Rmw);
        }
        if self.pairs {
            edges.push(Edge::LxSx);
        }
        for (list, same) in [(&self.between, false), (&self.on_one, true)] {
            for &how in list {
                for from in [Dir::W, Dir::R] {
                    for to in [Dir::W, Dir::R] {
                        if self.fits(how, from, to) {
                            edges.push(Edge::Po { how, same, from, to });
                        }
                    }
                }
            }
        }
        edges.sort();
        edges.dedup();
        edges
    }

    /// The cycles of a write of another thread between the read and the write of an atomic access. These are no cycles of program order and communications: coherence
    /// says nothing of them, only atomicity does.
    pub(super) fn torn(&self) -> Vec<Cycle> {
        let asked = [Com::Fr, Com::Co].iter().all(|com| self.external.contains(com));
        let kinds = [
            (false, self.atomics && self.dialect.atomic_order(0, 0).is_some()),
            (true, self.pairs && self.dialect.reserves(0, 0)),
        ];
        let step = |edge: Edge| Step { edge, annotation: 0 };
        let cycle = |pair: bool| {
            let edges = [Edge::External(Com::Fr), Edge::External(Com::Co), Edge::Torn { pair }];
            Cycle { steps: edges.map(step).to_vec() }
        };
        kinds.iter().filter(|(_, there)| asked && *there).map(|(pair, _)| cycle(*pair)).collect()
    }

    /// Does it mean anything between these?
    fn fits(&self, how: How, from: Dir, to: Dir) -> bool {
        match how {
            How::Plain => true,
            How::Fence(index) => {
                let (before, after) = self.dialect.fences()[usize::from(index)].orders;
                before.contains(from.letter()) && after.contains(to.letter())
            }
            // C has no branch around a declaration.
            How::Ctrl if self.dialect == Dialect::Kernel => from == Dir::R && to == Dir::W,
            How::Addr | How::Ctrl | How::CtrlFence => from == Dir::R,
            How::Data => from == Dir::R && to == Dir::W,
        }
    }
}
