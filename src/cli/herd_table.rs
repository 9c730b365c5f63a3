//! herd7's options: their names, how many arguments they take, and what each is to us.

/// What an option is to us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// It has a meaning here.
    Ours,
    /// It says what graphs show, or how.
    Graph,
    /// It fine-tunes herd7's layout of graphs; ours needs no such thing.
    Layout,
    /// It would change the answer, and we do not have it; where the argument is this one, it changes nothing. Then: why.
    Only(&'static str, &'static str),
    /// Not here, and why.
    Absent(&'static str),
}

const VIEWER: &str = "no viewer is started from here: draw with `-o DIR` and open the file";
const TEX: &str = "graphs are for Graphviz, not for TeX";
const INTERNALS: &str = "it shows herd7's inside";

/// herd7's options: name, number of arguments on the command line (in a file: always one), class.
#[rustfmt::skip]
pub const OPTIONS: &[(&str, usize, Class)] = {
    use Class::{Absent, Graph, Layout, Only, Ours};
    &[
        ("I", 1, Ours), ("include", 1, Ours), ("model", 1, Ours), ("cat", 1, Ours), ("bell", 1, Ours),
        ("macros", 1, Ours), ("conf", 1, Ours), ("local-conf", 1, Ours), ("variant", 1, Ours), ("unroll", 1, Ours),
        ("speedcheck", 1, Ours), ("timeout", 1, Ours), ("skipchecks", 1, Ours), ("skipcheck", 1, Ours),
        ("archcheck", 1, Ours), ("checkfilter", 1, Ours), ("hexa", 1, Ours), ("brackets", 1, Ours),
        ("candidates", 1, Ours), ("exit", 1, Ours), ("badflag", 1, Ours), ("o", 1, Ours), ("suffix", 1, Ours),
        ("v", 0, Ours), ("q", 0, Ours), ("verbose", 1, Ours), ("names", 1, Ours), ("oknames", 1, Ours), ("excl", 1, Ours),
        ("nonames", 1, Ours), ("rename", 1, Ours), ("kinds", 1, Ours), ("conds", 1, Ours), ("through", 1, Ours),
        ("strictskip", 1, Ours), ("optace", 1, Ours), ("web", 0, Ours), ("c11", 0, Ours), ("version", 0, Ours), ("set-libdir", 1, Ours),
        ("machsize", 1, Ours),

        ("initwrites", 1, Only("true", "initial writes are always events")),
        ("badexecs", 1, Only("true", "a search that stops at the first bad execution counts an arbitrary part; the verdict says Undef")),
        ("restrict", 1, Only("none", "outcomes are never left out")),
        ("dumpallfaults", 1, Only("false", "states show the faults that a test asks about")),
        ("endian", 1, Only("little", "memory is little-endian")),
        ("outcomereads", 1, Only("false", "name the registers in a `locations` clause instead")),
        ("throughflag", 1, Absent("`-showflag` shows the executions with a flag")),
        ("cycles", 1, Absent("graphs show executions that the model accepts")),
        ("statelessrc11", 1, Only("false", "the search is stateless for every model")),
        ("maxphantom", 1, Only("none", "every choice of updates that hardware may make is looked at")),
        ("dumpes", 1, Only("false", "draw executions with `-show all -o DIR`")),
        ("debug", 1, Absent(INTERNALS)), ("switch", 0, Absent(INTERNALS)),
        ("dumplem", 1, Only("false", INTERNALS)), ("dumptex", 1, Only("false", TEX)),
        ("tikz", 1, Only("false", TEX)), ("texmacros", 1, Only("false", TEX)), ("dotmode", 1, Only("plain", TEX)),
        ("libdir", 0, Absent("the models are inside the command: `litmus model list`")),
        ("gv", 0, Only("false", VIEWER)), ("evince", 0, Only("false", VIEWER)), ("preview", 0, Only("false", VIEWER)),
        ("view", 1, Only("none", VIEWER)),

        ("show", 1, Graph), ("showflag", 1, Graph), ("nshow", 1, Graph), ("showone", 1, Graph), ("doshow", 1, Graph),
        ("unshow", 1, Graph), ("showraw", 1, Graph), ("symetric", 1, Graph), ("noid", 1, Graph), ("showpo", 1, Graph),
        ("showinitrf", 1, Graph), ("showinitwrites", 1, Graph), ("edgeattr", 1, Graph), ("edgemerge", 1, Graph),
        ("showevents", 1, Graph), ("squished", 1, Graph), ("showobserved", 1, Graph), ("showthread", 1, Graph),
        ("graph", 1, Graph), ("splines", 1, Graph), ("fontname", 1, Graph), ("fontsize", 1, Graph),
        ("edgefontsizedelta", 1, Graph), ("penwidth", 1, Graph), ("arrowsize", 1, Graph), ("overlap", 1, Graph),
        ("sep", 1, Graph), ("margin", 1, Graph), ("pad", 1, Graph), ("mono", 1, Graph), ("showlegend", 1, Graph),
        ("showkind", 1, Graph), ("shortlegend", 1, Graph), ("dotheader", 1, Graph), ("dotcom", 1, Graph),

        ("classes", 1, Layout), ("showfinalrf", 1, Layout), ("movelabel", 1, Layout), ("relabel", 1, Layout),
        ("oneinit", 1, Layout), ("labelinit", 1, Layout), ("fixedsize", 1, Layout), ("withbox", 1, Layout),
        ("labelbox", 1, Layout), ("scale", 1, Layout), ("xscale", 1, Layout), ("yscale", 1, Layout),
        ("boxscale", 1, Layout), ("ptscale", 1, Layout), ("dsiy", 1, Layout), ("siwidth", 1, Layout),
        ("threadposy", 1, Layout), ("shift", 1, Layout), ("initpos", 1, Layout), ("initrfpos", 1, Layout),
        ("finalrfpos", 1, Layout), ("extrachars", 1, Layout),
    ]
};
