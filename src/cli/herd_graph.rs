//! herd7's options about graphs: which executions are drawn, and what a drawing shows.

use crate::explore::{Request, Show};
use crate::report::graph::{EventChoice, Layout, Legend, Style};

/// What herd7's options say about graphs.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// `-show`, `-showflag`: which executions; none: no graphs.
    pub show: Option<Show>,
    /// `-nshow`: at most so many of each test.
    pub limit: Option<usize>,
    /// `-doshow`: relations to draw besides those that the model shows.
    pub names: Vec<String>,
    /// `-dotheader`: a file to copy to the start of each graph.
    pub header: Option<String>,
    /// `-dotcom`: the program that is meant to lay graphs out.
    pub program: Option<String>,
    /// Everything else.
    pub style: Style,
    /// Options that only tune herd7's own layout, by name.
    pub unused: Vec<String>,
    font_size: Option<i32>,
    edge_delta: i32,
}

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions {
            show: None,
            limit: None,
            names: Vec::new(),
            header: None,
            program: None,
            style: Style { events: EventChoice::NoRegisters, ..Style::default() },
            unused: Vec::new(),
            font_size: None,
            edge_delta: 0,
        }
    }
}

impl GraphOptions {
    /// What to ask of the search.
    pub fn request(&self) -> Option<Request> {
        let show = self.show.clone()?;
        Some(Request { show, limit: self.limit, names: self.names.clone() })
    }

    /// The program that lays the graphs out best.
    pub fn program(&self) -> &str {
        match (&self.program, self.style.layout) {
            (Some(program), _) => program,
            (None, Layout::Columns) => "neato",
            (None, _) => "dot",
        }
    }

    /// Makes one setting. The error says what the argument should have been.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        let style = &mut self.style;
        let boolean = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err("true or false"),
        };
        let number = || value.parse::<f64>().map_err(|_| "a number").map(|_| value.to_string());
        let list = || value.split(',').map(str::trim).filter(|item| !item.is_empty()).map(String::from);
        match key {
            "show" => {
                self.show = match value {
                    "none" => None,
                    "prop" | "pos" => Some(Show::Prop),
                    "neg" => Some(Show::Neg),
                    "cond" => Some(Show::Cond),
                    "wit" | "witnesses" => Some(Show::Wit),
                    "all" => Some(Show::All),
                    _ => return Err("prop, neg, cond, wit, all or none"),
                }
            }
            "showflag" => self.show = Some(Show::Flag(value.to_string())),
            "nshow" => self.limit = Some(value.parse().map_err(|_| "a number")?),
            "showone" => {
                self.limit = if boolean()? { Some(1) } else { self.limit };
            }
            "doshow" => {
                self.names.extend(list());
                style.names = self.names.clone();
                style.unshown.retain(|name| !self.names.contains(name));
            }
            "unshow" => {
                style.unshown.extend(list());
                self.names.retain(|name| !style.unshown.contains(name));
            }
            "showraw" => style.raw.extend(list()),
            "symetric" | "noid" => style.symmetric.extend(list()),
            "showpo" => style.program_order = boolean()?,
            "showinitrf" => style.initial_reads = boolean()?,
            "showinitwrites" => style.initial_writes = boolean()?,
            "squished" => style.squished = boolean()?,
            "showobserved" => style.observed = boolean()?,
            "showthread" => style.threads = boolean()?,
            "edgemerge" => style.merge = boolean()?,
            "mono" => style.mono = boolean()?,
            "showlegend" => style.legend = boolean()?.then_some(style.legend.unwrap_or(Legend::Full)),
            "showkind" => {
                style.legend = if boolean()? { Some(Legend::Kind) } else { style.legend };
            }
            "shortlegend" => {
                style.legend = if boolean()? { Some(Legend::Short) } else { style.legend };
            }
            "showevents" => {
                style.events = match value {
                    "all" => EventChoice::All,
                    "mem" | "memory" => EventChoice::Memory,
                    "noregs" => EventChoice::NoRegisters,
                    "memf" | "memfence" => EventChoice::MemoryAndFences,
                    _ => return Err("all, mem, noregs or memf"),
                }
            }
            "graph" => {
                style.layout = match value {
                    "cluster" => Layout::Cluster,
                    "columns" => Layout::Columns,
                    "free" => Layout::Free,
                    _ => return Err("cluster, free or columns"),
                }
            }
            "edgeattr" => {
                let parts: Vec<&str> = value.splitn(3, ',').map(str::trim).collect();
                let [relation, attribute, value] = parts[..] else {
                    return Err("relation,attribute,value");
                };
                style.edge_attributes.push((relation.to_string(), attribute.to_string(), value.to_string()));
            }
            "dotheader" => self.header = (value != "none").then(|| value.to_string()),
            "dotcom" => {
                self.program = match value {
                    "dot" | "neato" | "circo" => Some(value.to_string()),
                    _ => return Err("dot, neato or circo"),
                }
            }
            "fontsize" | "edgefontsizedelta" => {
                if value != "none" {
                    let size: i32 = value.parse().map_err(|_| "a number")?;
                    if key == "fontsize" { self.font_size = Some(size) } else { self.edge_delta = size }
                }
                self.font_sizes();
            }
            "fontname" if value != "none" => {
                let attributes = &mut style.attributes;
                for list in [&mut attributes.graph, &mut attributes.node, &mut attributes.edge] {
                    list.push((key.to_string(), value.to_string()));
                }
            }
            "penwidth" | "arrowsize" if value != "none" => {
                let value = number()?;
                if key == "penwidth" {
                    style.attributes.node.push((key.to_string(), value.clone()));
                }
                style.attributes.edge.push((key.to_string(), value));
            }
            "margin" | "pad" if value != "none" => {
                style.attributes.graph.push((key.to_string(), number()?));
            }
            "splines" if !matches!(value, "none" | "no") => {
                let known = ["spline", "true", "line", "false", "polyline", "ortho", "curved"];
                if !known.contains(&value) {
                    return Err("spline, line, polyline, ortho, curved or none");
                }
                style.attributes.graph.push((key.to_string(), value.to_string()));
            }
            "overlap" | "sep" if value != "none" => {
                style.attributes.graph.push((key.to_string(), value.to_string()));
            }
            _ => {}
        }
        Ok(())
    }

    fn font_sizes(&mut self) {
        let attributes = &mut self.style.attributes;
        let size = self.font_size.unwrap_or(11);
        for (list, size) in [
            (&mut attributes.graph, size),
            (&mut attributes.node, size),
            (&mut attributes.edge, size + self.edge_delta),
        ] {
            list.retain(|(key, _)| key != "fontsize");
            list.push(("fontsize".to_string(), size.max(1).to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_an_argument() {
        let mut options = GraphOptions::default();
        for (key, value, expected) in [
            ("show", "some", "prop, neg, cond, wit, all or none"),
            ("nshow", "few", "a number"),
            ("graph", "tree", "cluster, free or columns"),
            ("edgeattr", "rf,color", "relation,attribute,value"),
            ("showpo", "yes", "true or false"),
            ("penwidth", "thick", "a number"),
            ("splines", "wavy", "spline, line, polyline, ortho, curved or none"),
        ] {
            assert_eq!(options.set(key, value), Err(expected), "-{key} {value}");
        }
    }

    #[test]
    fn showing_and_not_showing_undo_each_other() {
        let mut options = GraphOptions::default();
        options.set("doshow", "ppo,hb").unwrap();
        options.set("unshow", "hb,co").unwrap();
        assert_eq!(
            (options.names.join(","), options.style.unshown.join(",")),
            ("ppo".into(), "hb,co".into())
        );
        options.set("doshow", "co").unwrap();
        assert_eq!(options.style.unshown, ["hb"]);
    }
}
