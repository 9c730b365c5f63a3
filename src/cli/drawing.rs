//! Where graphs go: files in a folder, or the output itself.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::diag::Class;
use crate::report::graph::{self, Graph, Style};
use crate::report::several;
use crate::session::{Execution, Report};

/// The form of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Pictures for a browser.
    Svg,
    /// For Graphviz.
    Dot,
    /// For a terminal.
    Text,
}

/// Where the graphs of a test go.
#[derive(Clone, Debug)]
pub enum Place {
    /// One file per execution, named after the test.
    Files(PathBuf),
    /// As herd7: all of a test in one `.dot` file, named after the test's file with that suffix.
    HerdFile {
        /// The folder.
        folder: PathBuf,
        /// What comes before `.dot`.
        suffix: String,
    },
    /// As herd7's `-o -`: on standard output, between markers, for that program.
    HerdOutput(String),
    /// After the result of the test.
    Output,
}

/// What is to be drawn, and where.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Where.
    pub place: Place,
    /// How.
    pub form: Form,
    /// In what style.
    pub style: Style,
    /// Text for the start of each Graphviz graph.
    pub header: String,
    /// Are there several models, so that names must tell them apart?
    pub by_model: bool,
    /// At most how many of one test, where that is our own idea.
    pub limit: Option<usize>,
    /// How wide text may be.
    pub width: Option<usize>,
    written: BTreeSet<PathBuf>,
}

impl Drawing {
    /// In that place and form.
    pub fn new(place: Place, form: Form, style: Style) -> Drawing {
        Drawing {
            place,
            form,
            style,
            header: String::new(),
            by_model: false,
            limit: None,
            width: None,
            written: BTreeSet::new(),
        }
    }

    /// Draws what a report shows. What there is to say about it comes back, for standard error.
    pub fn draw(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<String> {
        let Some(answer) = &report.answer else { return Ok(String::new()) };
        let model = report.model_name.clone().unwrap_or_default();
        // herd7's own drawings name the model alone.
        let ours = matches!(self.place, Place::Output | Place::Files(_));
        let title = match report.without_checks().filter(|_| ours) {
            Some(without) => format!("{model} {without}"),
            None => model.clone(),
        };
        let mut graphs: Vec<String> = Vec::new();
        let mut seen = BTreeSet::new();
        for execution in &report.executions {
            // Executions that differ only in what is not drawn are one picture.
            let graph = self.render(execution, answer, &title);
            if seen.insert(graph.clone()) {
                graphs.push(graph);
            }
        }
        match self.place.clone() {
            Place::Output => {
                for text in &graphs {
                    writeln!(out, "{text}")?;
                }
                Ok(self.remark(report, ""))
            }
            Place::HerdOutput(program) => {
                let base = stem(&report.file);
                write!(out, "\nDOTBEGIN {base}\nDOTCOM {program}\n")?;
                for text in &graphs {
                    out.write_all(text.as_bytes())?;
                }
                write!(out, "\nDOTEND {base}\n")?;
                Ok(String::new())
            }
            Place::HerdFile { folder, suffix } => {
                let path = folder.join(format!("{}{suffix}.dot", stem(&report.file)));
                // As herd7: the answer stands, whether or not there is a drawing of it.
                match std::fs::write(&path, graphs.concat()) {
                    Ok(()) => Ok(String::new()),
                    Err(error) => Ok(format!("warning: cannot write `{}`: {error}\n", path.display())),
                }
            }
            Place::Files(folder) => {
                let extension = match self.form {
                    Form::Svg => "svg",
                    Form::Dot => "dot",
                    Form::Text => "txt",
                };
                let mut base = file_name(&report.name);
                if self.by_model {
                    base += &format!(".{}", file_name(&stem(&model)));
                }
                let mut said = String::new();
                for (index, text) in graphs.iter().enumerate() {
                    let path = self.free(&folder, &base, index + 1, extension);
                    std::fs::write(&path, text).map_err(|error| {
                        io::Error::new(error.kind(), format!("cannot write `{}`: {error}", path.display()))
                    })?;
                    said += &format!("{}: drawn in {}\n", report.title(), path.display());
                    self.written.insert(path);
                }
                Ok(self.remark(report, &said))
            }
        }
    }

    fn render(&self, execution: &Execution, answer: &crate::session::Answer, model: &str) -> String {
        let graph = Graph::new(execution, &answer.test, model, &self.style);
        match self.form {
            Form::Svg => graph::svg(&graph),
            Form::Text => graph::text_within(&graph, self.width),
            Form::Dot => {
                let text = graph::dot(&graph, &self.style);
                match self.header.is_empty() {
                    true => text,
                    false => text.replacen("{\n", &format!("{{\n{}\n", self.header.trim_end()), 1),
                }
            }
        }
    }

    /// Why there is no graph, or that there are more.
    fn remark(&self, report: &Report, said: &str) -> String {
        let mut said = said.to_string();
        let name = report.title();
        let Some(outcome) = report.outcome() else { return said };
        let cut = report.diagnostics.iter().any(|diagnostic| matches!(diagnostic.class, Class::Limit(_)));
        if report.executions.is_empty() && !cut {
            let all = outcome.executions();
            said += &match all.is_zero() {
                true => format!("{name}: nothing to draw, the model allows no execution\n"),
                false => format!(
                    "{name}: nothing to draw, none of the {all} executions that the model allows is of that kind (--show all \
                     draws them)\n"
                ),
            };
        } else if Some(report.executions.len()) == self.limit {
            said += &format!(
                "{name}: {} drawn, there may be more (--graphs N)\n",
                several(report.executions.len() as u64, "execution")
            );
        }
        said
    }

    /// A path that this run has not written to yet.
    fn free(&self, folder: &Path, base: &str, number: usize, extension: &str) -> PathBuf {
        let path = folder.join(format!("{base}-{number}.{extension}"));
        if !self.written.contains(&path) {
            return path;
        }
        // Another test of that name.
        (2..)
            .map(|again| folder.join(format!("{base}~{again}-{number}.{extension}")))
            .find(|path| !self.written.contains(path))
            .unwrap_or(path)
    }
}

/// The base name of a file, without its extension.
fn stem(file: &str) -> String {
    if file == "-" {
        return "stdin".to_string();
    }
    Path::new(file).file_stem().map_or_else(|| file.to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// Longer names of tests are cut, as names of files.
const LONGEST: usize = 100;

/// A name of a test as the name of a file: it stays in its folder.
pub(super) fn file_name(name: &str) -> String {
    let harmless = |c: char| c.is_alphanumeric() || "+-_.[]".contains(c);
    let mut name: String = name.chars().map(|c| if harmless(c) { c } else { '_' }).collect();
    if name.len() > LONGEST {
        // File systems take 255 bytes, of which a number and an extension need some. Names that begin alike stay apart.
        let sum = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let end = (0..=LONGEST).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
        name.truncate(end);
        name += &format!("~{sum:016x}");
    }
    if name.starts_with('.') { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        assert_eq!(file_name("MP+dmb.sy+addr"), "MP+dmb.sy+addr");
        assert_eq!(file_name("../../etc/passwd"), "_.._.._etc_passwd");
        assert_eq!(file_name("a/b:c"), "a_b_c");
        let long = [file_name(&"a".repeat(300)), file_name(&"a".repeat(301))];
        assert!(long[0] != long[1] && long.iter().all(|name| name.len() < 130), "{long:?}");
    }

    #[test]
    fn the_base_name_of_a_test() {
        assert_eq!(stem("tests/SB+mfences.litmus"), "SB+mfences");
        assert_eq!(stem("-"), "stdin");
    }
}
