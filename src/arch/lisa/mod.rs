//! LISA: a small assembly language whose instructions carry annotations that a model gives a meaning to.

mod lower;
mod syntax;
mod table;
#[cfg(test)]
mod tests;

use super::{ArchId, ColumnCx, Isa, scan::Scanner};
use crate::diag::{Diagnostic, nearest};
use crate::program::{CellSizes, Conventions, Instr, Op, SetName};
use crate::source::Span;

/// How messages call it.
const NAME: &str = "LISA";

/// All accesses have this size: cells are whole.
const BYTES: u8 = 8;

/// The instruction set.
pub struct Lisa;

impl Isa for Lisa {
    fn id(&self) -> ArchId {
        ArchId::Lisa
    }

    fn bits(&self) -> u32 {
        64
    }

    fn register(&self, name: &str) -> Option<String> {
        register_number(name).map(|number| format!("r{number}"))
    }

    fn register_order(&self, name: &str) -> u32 {
        register_number(name).unwrap_or(u32::MAX)
    }

    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic> {
        let mut scanner = Scanner::new(text, span);
        let head = syntax::head(&mut scanner)?;
        let (text, ops) = lower::lower(&head, &mut scanner, cx)?;
        Ok(Instr { text, span, ops })
    }

    fn sets(&self) -> Vec<String> {
        ["X", "RMW", "Ftotal"].map(String::from).to_vec()
    }

    fn conventions(&self, usual: Conventions) -> Conventions {
        Conventions { one_event_rmw: true, sizes: CellSizes::Approximate, ..usual }
    }

    fn default_model(&self) -> &'static str {
        // What annotations mean is the model's to say.
        ""
    }
}

/// What a bell file says about annotations.
pub trait Annotations {
    /// May an instruction of that kind (`R`, `W`, `F`, `RMW`, `B`) carry these?
    fn allows(&self, kind: &str, annotations: &[String]) -> bool;
    /// What an instruction of that kind carries when it is written with none.
    fn default_of(&self, kind: &str) -> Option<Vec<String>>;
    /// All tags that some instruction of that kind may carry.
    fn tags(&self, kind: &str) -> Vec<String>;
}

/// Checks the annotations of an instruction against a bell file, and supplies the default ones.
///
/// # Errors
/// The instruction may not carry what it carries.
pub fn check(instr: &mut Instr, annotations: &dyn Annotations) -> Result<(), Diagnostic> {
    let Some((kind, given)) = annotated(&instr.text) else { return Ok(()) };
    if given.is_empty()
        && let Some(default) = annotations.default_of(kind)
    {
        let sets: Vec<SetName> = default.iter().map(|tag| SetName::Owned(set_name(tag))).collect();
        for op in &mut instr.ops {
            if let Op::Load { sets: own, .. } | Op::Store { sets: own, .. } | Op::Fence { sets: own, .. } = op
            {
                own.extend(sets.iter().cloned());
            }
        }
        return Ok(());
    }
    if annotations.allows(kind, &given) {
        return Ok(());
    }
    let shown = given.join(",");
    let diagnostic = Diagnostic::error(
        "arch::undeclared-annotation",
        format!("the bell file declares no instruction {kind} with the annotations `[{shown}]`"),
    )
    .at(instr.span, "this instruction");
    let known = annotations.tags(kind);
    let near = given.iter().find_map(|tag| nearest(tag, known.iter().map(String::as_str)));
    Err(match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    })
}

/// Kind and annotations of an instruction, from its canonical text.
fn annotated(text: &str) -> Option<(&'static str, Vec<String>)> {
    let (name, rest) = text.split_once('[')?;
    let entry = table::TABLE.iter().find(|entry| entry.name == name)?;
    let (inside, _) = rest.split_once(']')?;
    let annotations = inside.split(',').filter(|tag| !tag.is_empty()).map(str::to_string).collect();
    Some((entry.kind?, annotations))
}

/// The event set of an annotation: its name with the first letter in upper case.
fn set_name(tag: &str) -> String {
    let mut chars = tag.chars();
    match chars.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + chars.as_str(),
        None => String::new(),
    }
}

fn register_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('r')?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}
