//! What is a random source made of? Of statements whose expressions are text. What [`crate::reduce`] drops and
//! [`crate::variants`] rewrites has a form of its own; what stands or falls as a whole is one text.

use std::fmt::Write as _;

pub type Body = Vec<Stmt>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// One or more statements that make sense together only.
    Text(String),
    If {
        condition: String,
        then: Body,
        other: Body,
    },
    Loop(Loop),
    /// Text with bodies in it, each behind its opening: a switch, a vote and its sides.
    Parts {
        parts: Vec<(String, Body)>,
        close: String,
    },
}

/// A loop of `count` iterations unless the body leaves it; `counter` is unsigned and counts from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    pub form: Form,
    pub counter: String,
    pub count: String,
    /// In front of it: a pragma, or nothing.
    pub pragma: &'static str,
    pub body: Body,
    /// Behind it, for jumps out of loops inside.
    pub label: Option<String>,
}

/// How a loop is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    For,
    /// A do-while behind an if.
    Rotated,
    /// The counter runs down.
    Down,
    /// The counter is a number whose bits are shifted out: `count` is the number.
    Shift,
}

/// A function of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Up to and including the brace.
    pub head: String,
    pub body: Body,
    /// The last statements, which stay.
    pub tail: String,
}

/// A kernel with its helpers, the kernel last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Declarations in front of the functions.
    pub head: String,
    pub functions: Vec<Function>,
}

impl Source {
    pub fn print(&self) -> String {
        let mut out = self.head.clone();
        for function in &self.functions {
            let _ = writeln!(out, "{}", function.head);
            body(&mut out, &function.body, 1);
            line(&mut out, 1, &function.tail);
            out.push_str("}\n");
        }
        out
    }
}

fn body(out: &mut String, stmts: &[Stmt], depth: usize) {
    for stmt in stmts {
        print(out, stmt, depth);
    }
}

fn line(out: &mut String, depth: usize, text: &str) {
    for part in text.lines() {
        let _ = writeln!(out, "{}{part}", "  ".repeat(depth));
    }
}

fn print(out: &mut String, stmt: &Stmt, depth: usize) {
    match stmt {
        Stmt::Text(text) => line(out, depth, text),
        Stmt::If { condition, then, other } => {
            line(out, depth, &format!("if ({condition}) {{"));
            body(out, then, depth + 1);
            if !other.is_empty() {
                line(out, depth, "} else {");
                body(out, other, depth + 1);
            }
            line(out, depth, "}");
        }
        Stmt::Loop(each) => {
            let Loop { form, counter: i, count, pragma, .. } = each;
            let (open, close) = match form {
                Form::For => (format!("for (u32 {i} = 0, {i}n = {count}; {i} < {i}n; ++{i}) {{"), "}".to_owned()),
                Form::Down => (format!("for (u32 {i} = {count}; {i}-- > 0;) {{"), "}".to_owned()),
                Form::Shift => (format!("for (u32 {i} = {count}; {i}; {i} >>= 1) {{"), "}".to_owned()),
                Form::Rotated => (
                    format!("u32 {i} = 0, {i}n = {count};\nif ({i} < {i}n) do {{"),
                    format!("}} while (++{i} < {i}n);"),
                ),
            };
            line(out, depth, "{");
            // a pragma belongs to the loop itself
            if !pragma.is_empty() && *form != Form::Rotated {
                line(out, depth, pragma);
            }
            line(out, depth, &open);
            body(out, &each.body, depth + 1);
            line(out, depth, &close);
            line(out, depth, "}");
            if let Some(label) = &each.label {
                line(out, depth, &format!("{label}:;"));
            }
        }
        Stmt::Parts { parts, close } => {
            for (open, stmts) in parts {
                line(out, depth, open);
                body(out, stmts, depth + 1);
            }
            line(out, depth, close);
        }
    }
}

/// Calls `each` for every list of statements, those inside first.
pub fn lists(stmts: &mut Body, each: &mut impl FnMut(&mut Body)) {
    for stmt in stmts.iter_mut() {
        match stmt {
            Stmt::Text(_) => {}
            Stmt::If { then, other, .. } => {
                lists(then, each);
                lists(other, each);
            }
            Stmt::Loop(inner) => lists(&mut inner.body, each),
            Stmt::Parts { parts, .. } => parts.iter_mut().for_each(|(_, inner)| lists(inner, each)),
        }
    }
    each(stmts);
}
