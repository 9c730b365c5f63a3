//! Files that a compiler has preprocessed already: the headers of its system are taken out, and ours put in their place.
//!
//! Such a file says which lines come from which file, and which of these belong to the system (`# 27 "/usr/include/pthread.h" 1 3 4`). What those headers
//! declare has no bodies, so that nobody knew what its functions do.

use super::headers;

/// The text with our headers, each line where it was; nothing, if no line comes from a header of the system that we have.
pub fn with_our_headers(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut included: Vec<&str> = Vec::new();
    let is_system = |flags: &str| flags.split_whitespace().any(|flag| flag == "3");
    // What a macro of the system stands for, in a file of the program's own, is marked as the system's, too.
    let own: Vec<&str> = text
        .lines()
        .filter_map(marker)
        .filter(|(_, flags)| !is_system(flags))
        .map(|(path, _)| path)
        .collect();
    let mut system = false;
    for line in text.lines() {
        match marker(line) {
            Some((path, flags)) => {
                system = is_system(flags) && !own.contains(&path);
                let ours = if system { ours(path) } else { None };
                if let Some(name) = ours.filter(|name| !included.contains(name)) {
                    included.push(name);
                    out.push_str(&format!("#include <{name}>"));
                }
            }
            None if system => {}
            None => out.push_str(line),
        }
        out.push('\n');
    }
    (!included.is_empty()).then_some(out)
}

/// `# 27 "/usr/include/pthread.h" 3 4`: the file, and what is said of it.
fn marker(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("# ")?;
    let (number, rest) = rest.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let (path, flags) = rest.strip_prefix('"')?.split_once('"')?;
    Some((path, flags))
}

/// The name of our header that stands for a file of the system.
fn ours(path: &str) -> Option<&'static str> {
    // What only other headers include is part of theirs.
    if path.contains("/bits/") {
        return None;
    }
    let starts = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    starts.filter_map(|name| headers::names().find(|known| *known == name)).next()
}

#[cfg(test)]
mod tests {
    use super::with_our_headers;

    #[test]
    fn headers_of_the_system_become_ours() {
        let text = "# 0 \"a.c\"\n# 1 \"/usr/include/pthread.h\" 1 3 4\ntypedef int hidden;\n\
                    # 1 \"/usr/include/x86_64-linux-gnu/bits/sched.h\" 1 3 4\nint more;\n\
                    # 2 \"a.c\" 2\nint x =\n# 2 \"a.c\" 3 4\n1\n# 2 \"a.c\"\n;\n# 1 \"/usr/lib/gcc/x86_64-linux-gnu/13/include/stdatomic.h\" 1 3\nint y;\n";
        let expected = "\n#include <pthread.h>\n\n\n\n\nint x =\n\n1\n\n;\n#include <stdatomic.h>\n\n";
        assert_eq!(with_our_headers(text).as_deref(), Some(expected));
        // A file of the program's own, or of no compiler.
        assert_eq!(with_our_headers("# 1 \"mine.h\" 1\nint x;\n"), None);
        assert_eq!(with_our_headers("#define x 1\nint y;\n"), None);
    }
}
