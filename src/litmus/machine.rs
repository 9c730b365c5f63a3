//! What a test says of its machine: variants, page table management, privilege.

use crate::arch::extensions::{Extensions, Signing, SigningVersion, Tables, TagChecks, TagMode};
use crate::diag::Diagnostic;
use crate::program::{Key, Managed};
use crate::variant::Variant;

use super::ast::{Info, Test};

/// Tags that instructions make up, by number.
pub const TAGS: [&str; 8] = ["green", "red", "blue", "black", "white", "cyan", "yellow", "magenta"];

/// The machine of a test.
pub struct Setup {
    /// What hardware does to page tables anywhere, if there are any.
    pub tables: Option<Managed>,
    /// Are page table entries themselves reached through page tables?
    pub squared: bool,
    /// Are there tags?
    pub tags: bool,
    /// Are there signed pointers?
    pub signs: bool,
    /// By thread.
    pub threads: Vec<Extensions>,
}

/// Reads the machine off the variants (those given first, then the test's own: the last word counts) and the info fields.
///
/// # Errors
/// An info field that says nothing.
pub fn setup(test: &Test, variants: &[Variant], n_threads: usize) -> Result<Setup, Diagnostic> {
    let mut checks: Option<TagChecks> = None;
    let mut mode = TagMode::default();
    let (mut tables, mut stores_only, mut stacks, mut mixed) = (false, false, false, false);
    for variant in variants {
        match variant {
            Variant::Vmsa => tables = true,
            Variant::MemTag => checks = Some(TagChecks::default()),
            Variant::Sync => mode = TagMode::Synchronous,
            Variant::Async => mode = TagMode::Asynchronous,
            Variant::Asym => mode = TagMode::Asymmetric,
            Variant::StoreOnly => stores_only = true,
            Variant::ShadowStack => stacks = true,
            Variant::Mixed => mixed = true,
            _ => {}
        }
    }
    let signing = signing(variants)?;
    let managers = match test.info("TTHM") {
        Some(info) => managers(info)?,
        None => Vec::new(),
    };
    let users = match test.info("EL0").or_else(|| test.info("user")) {
        Some(info) => users(info)?,
        None => Vec::new(),
    };
    let highest = |of: &dyn Fn(Option<usize>) -> bool| {
        let managed = managers.iter().filter(|(thread, _)| of(*thread)).filter_map(|(_, managed)| *managed);
        managed.max().unwrap_or_default()
    };
    let squared = tables && variants.contains(&Variant::Pte2);
    let threads = (0..n_threads).map(|thread| {
        let announced = highest(&|of| of.is_none_or(|t| t == thread));
        let own_way = managers.contains(&(Some(thread), None));
        let managed = if own_way { Managed::Software } else { announced };
        Extensions {
            tables: tables.then_some(Tables {
                managed,
                announced,
                user: users.contains(&thread),
                squared,
                silent: variants.contains(&Variant::NoPteBranch),
            }),
            tags: checks.map(|_| TagChecks { mode, stores_only }),
            signing,
            mixed,
            stacks,
            nested: variants.contains(&Variant::Nv2),
            handler: false,
        }
    });
    Ok(Setup {
        tables: tables.then(|| highest(&|_| true)),
        squared,
        tags: checks.is_some(),
        signs: signing.is_some(),
        threads: threads.collect(),
    })
}

/// How pointers are signed, if they are.
fn signing(variants: &[Variant]) -> Result<Option<Signing>, Diagnostic> {
    let has = |variant: Variant| variants.contains(&variant);
    let contradiction = |message: &str| Err(Diagnostic::error("variant::contradiction", message));
    let version = match (has(Variant::PAuth1), has(Variant::PAuth2), has(Variant::FPac)) {
        (true, true, _) => {
            return contradiction("`pauth1` and `pauth2` are two versions of the same: only one can be");
        }
        (_, false, true) => return contradiction("`fpac` is an extension of `pauth2`, which is not there"),
        (false, false, false) => return Ok(None),
        (true, false, false) => SigningVersion::First,
        (false, true, false) => SigningVersion::Second,
        (false, true, true) => SigningVersion::Faulting,
    };
    let keys = [Variant::NoKeyDa, Variant::NoKeyDb, Variant::NoKeyIa, Variant::NoKeyIb];
    debug_assert_eq!(keys.len(), Key::ALL.len());
    Ok(Some(Signing { version, adds_up: has(Variant::ConstPacField), disabled: keys.map(has) }))
}

/// Whose updates of entries hardware does: a thread's, or everyone's.
type Manager = (Option<usize>, Option<Managed>);

/// `TTHM=HA P1:HD`: for each word the thread it is about, and what hardware manages; none: nothing, software does.
fn managers(info: &Info) -> Result<Vec<Manager>, Diagnostic> {
    let mut all = Vec::new();
    for word in info.value.split_whitespace() {
        let (thread, key) = match word.split_once(':') {
            Some((thread, key)) => (thread.trim_start_matches(['P', 'p']).parse().ok().map(Some), key),
            None => (Some(None), word),
        };
        let managed = match key.to_ascii_uppercase().as_str() {
            "SW" => Some(None),
            "HA" => Some(Some(Managed::AccessFlag)),
            "HD" => Some(Some(Managed::Dirty)),
            _ => None,
        };
        match (thread, managed) {
            (Some(thread), Some(managed)) => all.push((thread, managed)),
            _ => {
                return Err(Diagnostic::error("litmus::bad-info", format!("`{word}` is no word of `TTHM`"))
                    .at(info.span, "words are HA, HD and SW, each perhaps after a thread, as in `P1:HA`"));
            }
        }
    }
    Ok(all)
}

/// `EL0=P0,P2`.
fn users(info: &Info) -> Result<Vec<usize>, Diagnostic> {
    let words = info.value.split(',').map(str::trim).filter(|word| !word.is_empty());
    words
        .map(|word| {
            word.strip_prefix('P').and_then(|number| number.parse().ok()).ok_or_else(|| {
                Diagnostic::error("litmus::bad-info", format!("`{word}` is not a thread"))
                    .at(info.span, "expected threads, as in `P0,P2`")
            })
        })
        .collect()
}
