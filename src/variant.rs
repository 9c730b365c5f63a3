//! Variants: switches that change what a program does, or what a model asks about (`-variant`, `Variant=` of a test,
//! `"mixed"` in a model).
//!
//! This is the only list of them. Whoever implements one changes its line from [`Support::Missing`] to [`Support::Here`].

use std::collections::BTreeSet;

/// What becomes of a test under a variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// It is implemented, or only a model reads it, or it names what is done anyway.
    Here,
    /// It would change the answer and is not implemented: the test is refused.
    Missing,
    /// It says how herd7's engine goes on after a fault; models never see it as set.
    Engine,
}

macro_rules! variants {
    ($($variant:ident $name:literal $(= $alias:literal)* : $support:ident,)*) => {
        /// A variant.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Variant {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
            /// `t00` to `t99`: switches for a model to use as it likes.
            Switch(u8),
        }

        const ALL: &[(Variant, &str, &[&str], Support)] =
            &[$((Variant::$variant, $name, &[$($alias),*], Support::$support),)*];
    };
}

variants! {
    Success "success": Missing,
    Instr "instr": Missing,
    SpecialX0 "specialx0" = "amox0" = "x0": Missing,
    NoRmw "normw": Missing,
    AcqRelAsFence "acqrelasfence": Missing,
    BackCompat "backcompat" = "back": Here,
    FullScDepend "fullscdepend" = "scdepend": Missing,
    SplittedRmw "splittedrmw": Missing,
    SwitchDepScWrite "switchdepscwrite": Missing,
    SwitchDepScResult "switchdepscresult": Missing,
    LrScDiffOk "lrscdiffok": Missing,
    Mixed "mixed": Here,
    Unaligned "unaligned": Here,
    DontCheckMixed "dontcheckmixed": Here,
    NotWeakPredicated "notweakpredicated" = "notweakpred": Missing,
    LkmmV1 "lkmmv1": Here,
    LkmmV2 "lkmmv2": Here,
    MemTag "memtag" = "tagmem" = "mte": Here,
    CutOff "cutoff": Missing,
    Morello "morello": Missing,
    Neon "neon": Missing,
    Sve "sve": Missing,
    Sme "sme": Missing,
    Deps "deps": Missing,
    Instances "instances" = "instance": Here,
    Vmsa "vmsa" = "kvm": Here,
    Ets "ets": Here,
    Ets2 "ets2": Here,
    Ets3 "ets3": Here,
    Exs "exs": Here,
    Eis "eis": Here,
    Eos "eos": Here,
    NoPteBranch "noptebranch" = "nobranch": Here,
    Pte2 "pte2" = "pte-squared": Here,
    OptRfRmw "optrfrmw": Here,
    ConstrainedUnpredictable "constrainedunpredictable" = "cu": Missing,
    Exp "exp": Here,
    Ifetch "ifetch" = "self": Here,
    ShadowStack "shadowstack": Here,
    CosOpt "cos-opt": Here,
    Test "test": Here,
    Asl "asl": Missing,
    AslAArch64 "asl_aarch64" = "aslaarch64" = "asl+aarch64": Missing,
    AslV0 "aslv0": Missing,
    AslV1 "aslv1": Missing,
    AslTypeWarn "asltype+warn": Here,
    AslTypeSilence "asltype+silence": Here,
    AslTypeCheck "asltype+check": Here,
    AslAArch64Udf "asl+aarch64+udf": Here,
    S128 "s128": Here,
    Strict "strict": Here,
    Warn "warn": Here,
    Telechat "telechat": Here,
    Nv2 "nv2": Here,
    OldSolver "oldsolver": Here,
    Oota "oota": Missing,
    PAuth1 "pauth1": Here,
    PAuth2 "pauth2": Here,
    NoKeyDa "no-key-da": Here,
    NoKeyDb "no-key-db": Here,
    NoKeyIa "no-key-ia": Here,
    NoKeyIb "no-key-ib": Here,
    ConstPacField "const-pac-field": Here,
    FPac "fpac": Here,
    D128 "d128": Here,
    Dic "dic": Here,
    Idc "idc": Here,
    Fatal "fatal" = "precise": Engine,
    Handled "handled" = "imprecise": Engine,
    FaultToNext "faulttonext" = "skip": Engine,
    Sync "sync" = "synchronous": Engine,
    Async "async" = "asynchronous": Engine,
    Asym "asym" = "asymmetric": Engine,
    StoreOnly "store-only": Engine,
}

impl Variant {
    /// By any of its names, in any case; `sve:256` is `sve`.
    pub fn parse(name: &str) -> Option<Variant> {
        let lower = name.to_ascii_lowercase();
        let base = match lower.split_once(':') {
            Some((base @ ("sve" | "sme"), width)) if width.bytes().all(|b| b.is_ascii_digit()) => base,
            _ => lower.as_str(),
        };
        if let [b't', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] = base.as_bytes() {
            return Some(Variant::Switch((tens - b'0') * 10 + (ones - b'0')));
        }
        let is = |(_, own, aliases, _): &&(_, &str, &[&str], _)| *own == base || aliases.contains(&base);
        ALL.iter().find(is).map(|(variant, ..)| *variant)
    }

    /// Its own name; `switch` for those that have a number.
    pub fn name(self) -> &'static str {
        ALL.iter().find(|(variant, ..)| *variant == self).map_or("switch", |(_, name, ..)| name)
    }

    /// What becomes of a test under it.
    pub fn support(self) -> Support {
        ALL.iter().find(|(variant, ..)| *variant == self).map_or(Support::Here, |(.., support)| *support)
    }

    /// The names that a model can ask about, for suggestions.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.iter().filter(|(.., support)| *support != Support::Engine).map(|(_, name, ..)| *name)
    }

    /// Is it one that a model asks about (and not one that only the engine knows)?
    pub fn is_for_models(self) -> bool {
        self.support() != Support::Engine
    }
}

/// The variants that are set.
pub type Variants = BTreeSet<Variant>;

/// The names in the `Variant=` line of a test: between commas and blanks.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_goes_by_each_of_its_names() {
        for (variant, name, aliases, support) in ALL {
            assert_eq!(Variant::parse(name), Some(*variant));
            assert_eq!(variant.support(), *support);
            for alias in *aliases {
                assert_eq!(Variant::parse(alias), Some(*variant), "{alias}");
            }
        }
        assert_eq!(Variant::parse("KVM"), Some(Variant::Vmsa));
        assert_eq!(Variant::parse("sve:256"), Some(Variant::Sve));
        assert_eq!(Variant::parse("T07"), Some(Variant::Switch(7)));
        assert_eq!(Variant::parse("sve:x"), None);
        assert_eq!(Variant::parse("t7"), None);
        assert_eq!(Variant::parse("mixed vmsa"), None);
    }

    #[test]
    fn no_name_stands_for_two() {
        let mut seen = BTreeSet::new();
        for (_, name, aliases, _) in ALL {
            for name in std::iter::once(name).chain(*aliases) {
                assert!(seen.insert(*name), "{name}");
                assert_eq!(*name, name.to_ascii_lowercase());
            }
        }
    }

    #[test]
    fn commas_and_blanks_are_the_same() {
        assert_eq!(split("mixed,vmsa").collect::<Vec<_>>(), ["mixed", "vmsa"]);
        assert_eq!(split(" mixed  vmsa , fatal\t").collect::<Vec<_>>(), ["mixed", "vmsa", "fatal"]);
        assert_eq!(split("").count(), 0);
    }
}
