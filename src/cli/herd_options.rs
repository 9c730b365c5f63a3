//! herd7's options: what each means here. Command line (`-key arg`) and configuration files (`key arg`) share this table.

use std::path::{Path, PathBuf};

use crate::diag::nearest;
use crate::limits;

use crate::condition::Quantifier;
use crate::litmus::Overrides;
use crate::variant::Variant;

use super::cfg;
use super::herd_graph::GraphOptions;
use super::herd_table::{Class, OPTIONS};

/// The settings that herd7's options can make, resolved.
#[derive(Clone, Debug)]
pub struct HerdOptions {
    /// `-I`, in order.
    pub include: Vec<PathBuf>,
    /// `-model`, `-cat`.
    pub model: Option<String>,
    /// `-bell`.
    pub bell: Option<String>,
    /// `-macros`.
    pub macros: Option<String>,
    /// `-variant`, cumulative.
    pub variants: Vec<Variant>,
    /// `-unroll`.
    pub unroll: Option<u32>,
    /// `-speedcheck`.
    pub speedcheck: Speedcheck,
    /// `-timeout`.
    pub timeout: Option<f64>,
    /// `-skipchecks`, `-skipcheck`.
    pub skip_checks: Vec<String>,
    /// `-archcheck`.
    pub arch_check: bool,
    /// `-checkfilter`.
    pub filter: bool,
    /// `-hexa`.
    pub hexa: bool,
    /// `-brackets`.
    pub brackets: bool,
    /// `-candidates`.
    pub candidates: bool,
    /// `-exit`.
    pub exit: bool,
    /// `-badflag`.
    pub bad_flag: Option<String>,
    /// `-o`.
    pub output: Option<String>,
    /// `-suffix`.
    pub suffix: String,
    /// `-show`, and how to draw what it shows.
    pub graphs: GraphOptions,
    /// `-rename`, `-kinds`, `-conds`.
    pub overrides: Overrides,
    /// `-through all`, or `invalid`.
    pub let_through: bool,
    /// `-optace true`.
    pub coherent: bool,
    /// `-strictskip true`.
    pub strict_skip: bool,
    /// `-v`.
    pub verbose: u8,
    /// `-q`.
    pub quiet: bool,
    /// `-names` and `-oknames`: only these.
    pub only: Option<Vec<String>>,
    /// `-excl` and `-nonames`: not these.
    pub except: Vec<String>,
    /// Tests.
    pub tests: Vec<String>,
}

/// `-speedcheck`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speedcheck {
    /// Count everything.
    False,
    /// Keep only executions that matter to the condition.
    True,
    /// Likewise, and stop at the first.
    Fast,
}

impl Default for HerdOptions {
    fn default() -> HerdOptions {
        HerdOptions {
            include: Vec::new(),
            model: None,
            bell: None,
            macros: None,
            variants: Vec::new(),
            unroll: None,
            speedcheck: Speedcheck::False,
            timeout: None,
            skip_checks: Vec::new(),
            arch_check: true,
            filter: true,
            hexa: false,
            brackets: true,
            candidates: false,
            exit: false,
            bad_flag: None,
            output: None,
            suffix: String::new(),
            graphs: GraphOptions::default(),
            overrides: Overrides::default(),
            let_through: false,
            coherent: false,
            strict_skip: false,
            verbose: 0,
            quiet: false,
            only: None,
            except: Vec::new(),
            tests: Vec::new(),
        }
    }
}

/// Why an option was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It, or its argument, is wrong.
    Wrong(String),
    /// It is one of herd7's, but we do not have it.
    Missing(String),
}

impl HerdOptions {
    /// Takes herd7's command line. `-I` counts wherever it stands, so that `-conf` finds its file; otherwise later settings win.
    pub fn parse(args: &[String]) -> Result<HerdOptions, Refused> {
        let mut options = HerdOptions::default();
        let mut settings = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let key = match arg.strip_prefix('-') {
                None | Some("") => {
                    options.tests.push(arg.clone());
                    continue;
                }
                Some(rest) => rest.strip_prefix('-').unwrap_or(rest),
            };
            let Some((_, arity, _)) = OPTIONS.iter().find(|(name, ..)| *name == key) else {
                return Err(unknown("option", &format!("-{key}"), key));
            };
            let value = match arity {
                0 => String::new(),
                _ => match args.next() {
                    Some(value) => value.clone(),
                    None => return Err(Refused::Wrong(format!("option -{key} needs an argument"))),
                },
            };
            if key == "I" || key == "include" {
                options.include.push(PathBuf::from(&value));
            } else {
                settings.push((key.to_string(), value));
            }
        }
        if let Some(dir) = std::env::var_os("HERDLIB").filter(|dir| !dir.is_empty()) {
            options.include.push(PathBuf::from(dir));
        }
        for (key, value) in settings {
            options.set(&key, &value, true, 0)?;
        }
        Ok(options)
    }

    /// Takes a configuration file.
    pub fn read_conf(&mut self, name: &str, depth: usize) -> Result<(), Refused> {
        if depth > 30 {
            return Err(Refused::Wrong(format!(
                "configuration files include each other without end: {name}"
            )));
        }
        let Some(path) = find(name, &self.include) else {
            return Err(Refused::Wrong(format!(
                "cannot find the configuration file `{name}`{}",
                searched(&self.include)
            )));
        };
        let shown = path.display();
        let text = limits::read_file(&path, limits::MAX_TEXT)
            .map_err(|e| Refused::Wrong(format!("cannot read `{shown}`: {e}")))?;
        let settings = cfg::parse(&String::from_utf8_lossy(&text))
            .map_err(|(line, message)| Refused::Wrong(format!("{shown}:{line}: {message}")))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        // What it names may stand beside it. Last, so that nothing is found there that herd7 finds elsewhere.
        if !self.include.iter().any(|dir| dir == folder) {
            self.include.push(folder.to_path_buf());
        }
        for setting in settings {
            let value = if setting.key == "local-conf" {
                folder.join(&setting.value).display().to_string()
            } else {
                setting.value
            };
            self.set(&setting.key, &value, false, depth + 1).map_err(|refused| {
                let place = |message| format!("{shown}:{}: {message}", setting.line);
                match refused {
                    Refused::Wrong(message) => Refused::Wrong(place(message)),
                    Refused::Missing(message) => Refused::Missing(place(message)),
                }
            })?;
        }
        Ok(())
    }

    /// Makes one setting.
    fn set(&mut self, key: &str, value: &str, command_line: bool, depth: usize) -> Result<(), Refused> {
        let shown = if command_line { format!("-{key}") } else { key.to_string() };
        let Some((_, arity, class)) = OPTIONS.iter().find(|(name, ..)| *name == key) else {
            return Err(unknown("setting", key, key));
        };
        if !command_line && *arity == 0 && !matches!(class, Class::Only(..)) {
            return Err(unknown("setting", key, key));
        }
        match class {
            Class::Ours => {}
            Class::Graph => {
                return self.graphs.set(key, value).map_err(|expected| {
                    Refused::Wrong(format!("`{shown}` takes {expected}, not `{value}`"))
                });
            }
            Class::Layout => {
                self.graphs.unused.push(shown);
                return Ok(());
            }
            Class::Only(harmless, _) if value == *harmless => return Ok(()),
            Class::Only(_, why) if *arity == 0 => {
                return Err(Refused::Missing(format!("herd7's `{shown}` is not supported: {why}")));
            }
            Class::Only(harmless, why) => {
                return Err(Refused::Missing(format!(
                    "herd7's `{shown} {value}` is not supported, only `{shown} {harmless}`: {why}"
                )));
            }
            Class::Absent(why) => {
                return Err(Refused::Missing(format!("herd7's `{shown}` is not supported: {why}")));
            }
        }
        let boolean = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(Refused::Wrong(format!("`{shown}` takes true or false, not `{value}`"))),
        };
        let list = || value.split(',').filter(|item| !item.is_empty()).map(|item| item.trim().to_string());
        let optional = || (value != "none").then(|| value.to_string());
        match key {
            // Memory is cut up as far as accesses ask for it, which gives the same executions.
            "machsize" if ["auto", "byte", "short", "word", "quad"].contains(&value) => {}
            "machsize" => {
                let message = format!("`{shown}` takes auto, byte, short, word or quad, not `{value}`");
                return Err(Refused::Wrong(message));
            }
            "include" | "I" => self.include.push(PathBuf::from(value)),
            "set-libdir" => self.include.push(PathBuf::from(value)),
            "model" | "cat" => self.model = Some(value.to_string()),
            "bell" => self.bell = optional(),
            "macros" => self.macros = optional(),
            "conf" | "local-conf" => self.read_conf(value, depth)?,
            "web" => self.read_conf("web.cfg", depth)?,
            "c11" => self.read_conf("cpp11.cfg", depth)?,
            "variant" => {
                for name in list() {
                    let variant = Variant::parse(&name)
                        .ok_or_else(|| Refused::Wrong(format!("`{shown}`: herd7 has no variant `{name}`")))?;
                    self.variants.push(variant);
                }
            }
            "unroll" => {
                let bound = value
                    .parse()
                    .map_err(|_| Refused::Wrong(format!("`{shown}` takes a number, not `{value}`")))?;
                self.unroll = Some(bound);
            }
            "speedcheck" => {
                self.speedcheck = match value {
                    "false" => Speedcheck::False,
                    "true" => Speedcheck::True,
                    "fast" => Speedcheck::Fast,
                    _ => {
                        return Err(Refused::Wrong(format!(
                            "`{shown}` takes false, true or fast, not `{value}`"
                        )));
                    }
                }
            }
            "timeout" => {
                self.timeout = match value.parse::<f64>() {
                    _ if value == "none" => None,
                    Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Some(seconds),
                    _ => return Err(Refused::Wrong(format!("`{shown}` takes seconds, not `{value}`"))),
                }
            }
            "skipchecks" | "skipcheck" => self.skip_checks.extend(list()),
            "strictskip" => self.strict_skip = boolean()?,
            "archcheck" => self.arch_check = boolean()?,
            "checkfilter" => self.filter = boolean()?,
            "hexa" => self.hexa = boolean()?,
            "brackets" => self.brackets = boolean()?,
            "candidates" => self.candidates = boolean()?,
            "exit" => self.exit = boolean()?,
            "badflag" => self.bad_flag = optional(),
            "o" => self.output = Some(value.to_string()),
            "suffix" => self.suffix = value.to_string(),
            "rename" => {
                for (_, name, new) in pairs(value)? {
                    self.overrides.names.insert(name, new);
                }
            }
            "kinds" => {
                for (line, name, kind) in pairs(value)? {
                    let Some(quantifier) = self::kind(&kind) else {
                        return Err(Refused::Wrong(format!(
                            "{value}:{line}: `{kind}` is not a kind of test: Allow, Forbid or Require"
                        )));
                    };
                    self.overrides.kinds.insert(name, quantifier);
                }
            }
            "conds" => {
                for (_, name, condition) in pairs(value)? {
                    self.overrides.conditions.insert(name, condition);
                }
            }
            "through" => {
                self.let_through = match value {
                    "none" => false,
                    "all" | "invalid" => true,
                    _ => {
                        return Err(Refused::Wrong(format!(
                            "`{shown}` takes all, invalid or none, not `{value}`"
                        )));
                    }
                }
            }
            "optace" => match value {
                "iico" => self.coherent = false,
                "true" => self.coherent = true,
                "false" => {
                    return Err(Refused::Missing(format!(
                        "herd7's `{shown} false` is not supported: a read never takes its value from a write that its own \
                         instruction makes of it"
                    )));
                }
                _ => {
                    return Err(Refused::Wrong(format!(
                        "`{shown}` takes false, iico or true, not `{value}`"
                    )));
                }
            },
            "v" => self.verbose = self.verbose.saturating_add(1),
            "verbose" => self.verbose = value.parse().unwrap_or(0),
            "q" => self.quiet = true,
            "version" => {}
            "names" => self.only.get_or_insert_default().extend(self::names(value)?),
            "oknames" => self.only.get_or_insert_default().extend(list()),
            "excl" => self.except.extend(self::names(value)?),
            "nonames" => self.except.extend(list()),
            _ => return Err(unknown("option", &shown, key)),
        }
        Ok(())
    }

    /// Is a test of this name selected?
    pub fn selects(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|n| n == name))
            && !self.except.iter().any(|n| n == name)
    }
}

fn unknown(what: &str, shown: &str, key: &str) -> Refused {
    let names = OPTIONS.iter().map(|(name, ..)| *name);
    let hint = nearest(key, names).map_or(String::new(), |name| {
        if shown.starts_with('-') {
            format!(", did you mean -{name}?")
        } else {
            format!(", did you mean {name}?")
        }
    });
    Refused::Wrong(format!("herd7 has no {what} `{shown}`{hint}"))
}

/// A file by herd7's rules: `/…`, `./…` and `../…` as they are, others in the current directory and then in `include`.
pub fn find(name: &str, include: &[PathBuf]) -> Option<PathBuf> {
    let direct = Path::new(name);
    if name.starts_with('/') || name.starts_with("./") || name.starts_with("../") {
        return direct.is_file().then(|| direct.to_path_buf());
    }
    std::iter::once(direct.to_path_buf())
        .chain(include.iter().map(|dir| dir.join(name)))
        .find(|p| p.is_file())
}

/// Where a file was looked for, for messages.
pub fn searched(include: &[PathBuf]) -> String {
    let mut text = " in the current directory".to_string();
    for dir in include {
        text += &format!(", {}", dir.display());
    }
    text
}

/// One name a line.
fn names(file: &str) -> Result<Vec<String>, Refused> {
    let text = limits::read_text(Path::new(file))
        .map_err(|e| Refused::Wrong(format!("cannot read the list of names `{file}`: {e}")))?;
    Ok(text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(String::from)
        .collect())
}

/// Lines `NAME VALUE`, the value perhaps quoted: line number, name, value.
fn pairs(file: &str) -> Result<Vec<(usize, String, String)>, Refused> {
    let text = limits::read_text(Path::new(file))
        .map_err(|e| Refused::Wrong(format!("cannot read `{file}`: {e}")))?;
    let mut pairs = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let pair = line.split_once(char::is_whitespace).map(|(name, value)| (name, value.trim()));
        let Some((name, value)) = pair else {
            return Err(Refused::Wrong(format!("{file}:{}: a name and a value are needed", index + 1)));
        };
        let unquoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        pairs.push((index + 1, name.to_string(), unquoted.unwrap_or(value).to_string()));
    }
    Ok(pairs)
}

/// The shape of a condition by herd7's word for it.
fn kind(word: &str) -> Option<Quantifier> {
    match word {
        "Allow" | "Allowed" => Some(Quantifier::Exists),
        "Forbid" | "Forbidden" => Some(Quantifier::NotExists),
        "Require" | "Required" => Some(Quantifier::Forall),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<HerdOptions, Refused> {
        let args: Vec<String> = line.split_whitespace().map(String::from).collect();
        HerdOptions::parse(&args)
    }

    #[test]
    fn the_usual_options() {
        let options = parse(
            "-model x86tso.cat -I a -unroll 3 -variant t01,cos-opt -variant self SB.litmus --hexa true -speedcheck fast",
        )
        .unwrap();
        assert_eq!(options.model.as_deref(), Some("x86tso.cat"));
        assert_eq!(options.unroll, Some(3));
        assert_eq!(options.variants, [Variant::Switch(1), Variant::CosOpt, Variant::Ifetch]);
        assert_eq!(options.tests, ["SB.litmus"]);
        assert_eq!(options.speedcheck, Speedcheck::Fast);
        assert!(options.hexa);
    }

    #[test]
    fn what_we_do_not_have_is_named() {
        let message = |line| match parse(line) {
            Err(Refused::Wrong(m)) => format!("wrong: {m}"),
            Err(Refused::Missing(m)) => format!("missing: {m}"),
            Ok(_) => "taken".to_string(),
        };
        insta::assert_snapshot!(message("-modle x.cat"), @"wrong: herd7 has no option `-modle`, did you mean -model?");
        insta::assert_snapshot!(message("-optace false"), @"missing: herd7's `-optace false` is not supported: a read never takes its value from a write that its own instruction makes of it");
        insta::assert_snapshot!(message("-restrict observed"), @"missing: herd7's `-restrict observed` is not supported, only `-restrict none`: outcomes are never left out");
        insta::assert_snapshot!(message("-optace iico"), @"taken");
        insta::assert_snapshot!(message("-gv"), @"missing: herd7's `-gv` is not supported: no viewer is started from here: draw with `-o DIR` and open the file");
        insta::assert_snapshot!(message("-hexa yes"), @"wrong: `-hexa` takes true or false, not `yes`");
        insta::assert_snapshot!(message("-model"), @"wrong: option -model needs an argument");
    }

    #[test]
    fn a_configuration_file_is_found_on_the_path_and_can_be_overridden() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("k.cfg"), "model k.cat\nbell k.bell\nunroll 5\nsquished true\n")
            .unwrap();
        let folder = dir.path().display();
        let options = parse(&format!("-conf k.cfg -unroll 1 -I {folder}")).unwrap();
        assert_eq!(options.model.as_deref(), Some("k.cat"));
        assert_eq!(options.bell.as_deref(), Some("k.bell"));
        assert_eq!(options.unroll, Some(1));
        assert!(options.graphs.style.squished);
    }

    #[test]
    fn a_wrong_setting_names_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bad.cfg");
        std::fs::write(&path, "model x.cat\nunrol 3\n").unwrap();
        let Err(Refused::Wrong(message)) = parse(&format!("-conf {}", path.display())) else {
            panic!("taken")
        };
        assert!(
            message.ends_with("bad.cfg:2: herd7 has no setting `unrol`, did you mean unroll?"),
            "{message}"
        );
    }
}
