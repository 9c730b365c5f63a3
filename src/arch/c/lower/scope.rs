//! What names mean.

use std::collections::HashMap;

use super::analysis::Facts;
use crate::arch::c::types::CType;
use crate::program::{Reg, Sym, Type};
use crate::source::Span;

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Variable {
    /// A register.
    Register {
        /// Which.
        reg: Reg,
        /// Its type.
        ty: CType,
    },
    /// A parameter that keeps the address of its global.
    Address {
        /// The global.
        sym: Sym,
        /// The type of the parameter: a pointer.
        ty: CType,
    },
    /// An object in memory: a global declared as such, an array, or a local whose address is taken.
    Memory {
        /// Its symbol.
        sym: Sym,
        /// Its type.
        ty: CType,
    },
}

/// The scopes of the functions being translated, innermost last.
#[derive(Default)]
pub struct Scopes {
    globals: HashMap<String, Variable>,
    functions: Vec<Function>,
    /// Declared types of registers of the thread.
    types: Vec<(Reg, Type)>,
}

struct Function {
    facts: Facts,
    blocks: Vec<HashMap<String, (Variable, Span)>>,
    /// For a helper: what the names of its registers start with.
    prefix: Option<String>,
}

impl Scopes {
    /// A name that every function sees.
    pub fn add_global(&mut self, name: &str, variable: Variable) {
        self.globals.insert(name.to_string(), variable);
    }

    /// Enters a function: nothing but the globals is seen from there.
    pub fn enter_function(&mut self, facts: Facts, prefix: Option<String>) {
        self.functions.push(Function { facts, blocks: vec![HashMap::new()], prefix });
    }

    pub fn leave_function(&mut self) {
        self.functions.pop();
    }

    pub fn enter_block(&mut self) {
        if let Some(function) = self.functions.last_mut() {
            function.blocks.push(HashMap::new());
        }
    }

    pub fn leave_block(&mut self) {
        if let Some(function) = self.functions.last_mut() {
            function.blocks.pop();
        }
    }

    /// Is this the outermost block of a thread?
    pub fn at_thread_level(&self) -> bool {
        self.functions.len() == 1 && self.functions[0].blocks.len() == 1
    }

    /// What is known of the function at hand.
    pub fn facts(&self) -> &Facts {
        static NONE: std::sync::LazyLock<Facts> = std::sync::LazyLock::new(Facts::default);
        self.functions.last().map_or(&NONE, |function| &function.facts)
    }

    /// Declares a name in the innermost block.
    pub fn declare(&mut self, name: &str, variable: Variable, span: Span) {
        if let Variable::Register { reg, ty } = &variable {
            self.note_type(*reg, ty.cell());
        }
        if let Some(block) = self.functions.last_mut().and_then(|f| f.blocks.last_mut()) {
            block.insert(name.to_string(), (variable, span));
        }
    }

    /// Declares a name in the outermost block of the function: one that is used without a declaration.
    pub fn declare_outermost(&mut self, name: &str, variable: Variable, span: Span) {
        if let Some(block) = self.functions.last_mut().and_then(|f| f.blocks.first_mut()) {
            block.insert(name.to_string(), (variable, span));
        }
    }

    /// What a name stands for here.
    pub fn find(&self, name: &str) -> Option<&Variable> {
        let function = self.functions.last();
        let local = function.and_then(|f| f.blocks.iter().rev().find_map(|block| block.get(name)));
        local.map(|(variable, _)| variable).or_else(|| self.globals.get(name))
    }

    /// Where the innermost block declares a name.
    pub fn declared_here(&self, name: &str) -> Option<Span> {
        let block = self.functions.last().and_then(|f| f.blocks.last())?;
        block.get(name).map(|(_, span)| *span)
    }

    /// Where an enclosing block of this function declares a name.
    pub fn declared_outside(&self, name: &str) -> Option<Span> {
        let blocks = &self.functions.last()?.blocks;
        let (_, outer) = blocks.split_last()?;
        outer.iter().rev().find_map(|block| block.get(name)).map(|(_, span)| *span)
    }

    /// The name of the register for a local of the function at hand.
    pub fn register_name(&self, name: &str) -> String {
        match self.functions.last().and_then(|f| f.prefix.as_ref()) {
            Some(prefix) => format!("{prefix}.{name}"),
            None => name.to_string(),
        }
    }

    /// The declared types of registers so far; forgets them.
    pub fn take_types(&mut self) -> Vec<(Reg, Type)> {
        std::mem::take(&mut self.types)
    }

    fn note_type(&mut self, reg: Reg, ty: Type) {
        if !self.types.iter().any(|(other, _)| *other == reg) {
            self.types.push((reg, ty));
        }
    }
}
