//! The annotations of LISA tests, held against the bell file.

use crate::arch::{self, ArchId};
use crate::cat::lower::Bell;
use crate::diag::Diagnostics;
use crate::litmus::Lowered;

/// Checks what the instructions of a LISA test carry, and supplies the default annotations. `None`: some may not be
/// there, and that has been reported.
pub(super) fn check(lowered: &mut Lowered, bell: &Bell, diagnostics: &mut Diagnostics) -> Option<()> {
    if lowered.arch != ArchId::Lisa {
        return Some(());
    }
    let mut ok = Some(());
    for instr in lowered.program.threads.iter_mut().flat_map(|thread| &mut thread.code) {
        if let Err(diagnostic) = arch::lisa::check(instr, &Declared(bell)) {
            diagnostics.error(diagnostic);
            ok = None;
        }
    }
    ok
}

/// A bell file as the instruction set sees it.
struct Declared<'a>(&'a Bell);

impl arch::lisa::Annotations for Declared<'_> {
    fn allows(&self, kind: &str, annotations: &[String]) -> bool {
        self.0.allows(kind, annotations)
    }

    fn default_of(&self, kind: &str) -> Option<Vec<String>> {
        self.0.default_of(kind).map(<[String]>::to_vec)
    }

    fn tags(&self, kind: &str) -> Vec<String> {
        let lists = self.0.instructions.iter().filter(|(declared, _)| declared == kind);
        lists.flat_map(|(_, lists)| lists.iter().flatten().cloned()).collect()
    }
}
