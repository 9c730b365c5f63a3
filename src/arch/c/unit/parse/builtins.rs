//! Functions that are part of the language: what headers are made of.

use super::{Entity, Parsed, Parser};
use crate::arch::c::unit::tree::{Expr, ExprKind};
use crate::arch::c::unit::types::{IntTy, Ty};
use crate::diag::Diagnostic;
use crate::source::Span;

/// What a builtin gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    Void,
    Int,
    Bool,
    Ulong,
    /// An integer type by size, signed or not.
    Integer(u8, bool),
    Double,
    /// `void *`.
    Address,
    /// What its first argument points at.
    Target,
    /// What its first argument is.
    First,
}

/// Name as written, name as lowered, least and most arguments, what it gives.
pub const BUILTINS: &[(&str, &str, usize, usize, Gives)] = &[
    ("__atomic_load_n", "load", 2, 2, Gives::Target),
    ("__atomic_store_n", "store", 3, 3, Gives::Void),
    ("__atomic_exchange_n", "exchange", 3, 3, Gives::Target),
    ("__atomic_compare_exchange_n", "compare_exchange", 6, 6, Gives::Bool),
    ("__atomic_load", "load_to", 3, 3, Gives::Void),
    ("__atomic_store", "store_from", 3, 3, Gives::Void),
    ("__atomic_exchange", "exchange_from", 4, 4, Gives::Void),
    ("__atomic_compare_exchange", "compare_exchange_from", 6, 6, Gives::Bool),
    ("__atomic_fetch_add", "fetch_add", 3, 3, Gives::Target),
    ("__atomic_fetch_sub", "fetch_sub", 3, 3, Gives::Target),
    ("__atomic_fetch_and", "fetch_and", 3, 3, Gives::Target),
    ("__atomic_fetch_or", "fetch_or", 3, 3, Gives::Target),
    ("__atomic_fetch_xor", "fetch_xor", 3, 3, Gives::Target),
    ("__atomic_fetch_nand", "fetch_nand", 3, 3, Gives::Target),
    ("__atomic_fetch_min", "fetch_min", 3, 3, Gives::Target),
    ("__atomic_fetch_max", "fetch_max", 3, 3, Gives::Target),
    ("__atomic_add_fetch", "add_fetch", 3, 3, Gives::Target),
    ("__atomic_sub_fetch", "sub_fetch", 3, 3, Gives::Target),
    ("__atomic_and_fetch", "and_fetch", 3, 3, Gives::Target),
    ("__atomic_or_fetch", "or_fetch", 3, 3, Gives::Target),
    ("__atomic_xor_fetch", "xor_fetch", 3, 3, Gives::Target),
    ("__atomic_nand_fetch", "nand_fetch", 3, 3, Gives::Target),
    ("__atomic_min_fetch", "min_fetch", 3, 3, Gives::Target),
    ("__atomic_max_fetch", "max_fetch", 3, 3, Gives::Target),
    ("__atomic_test_and_set", "test_and_set", 2, 2, Gives::Bool),
    ("__atomic_clear", "clear", 2, 2, Gives::Void),
    ("__atomic_thread_fence", "thread_fence", 1, 1, Gives::Void),
    ("__atomic_signal_fence", "signal_fence", 1, 1, Gives::Void),
    ("__sync_fetch_and_add", "fetch_add", 2, 9, Gives::Target),
    ("__sync_fetch_and_sub", "fetch_sub", 2, 9, Gives::Target),
    ("__sync_fetch_and_and", "fetch_and", 2, 9, Gives::Target),
    ("__sync_fetch_and_or", "fetch_or", 2, 9, Gives::Target),
    ("__sync_fetch_and_xor", "fetch_xor", 2, 9, Gives::Target),
    ("__sync_fetch_and_nand", "fetch_nand", 2, 9, Gives::Target),
    ("__sync_fetch_and_min", "fetch_min", 2, 9, Gives::Target),
    ("__sync_fetch_and_max", "fetch_max", 2, 9, Gives::Target),
    ("__sync_fetch_and_umin", "fetch_umin", 2, 9, Gives::Target),
    ("__sync_fetch_and_umax", "fetch_umax", 2, 9, Gives::Target),
    ("__sync_nand_and_fetch", "nand_fetch", 2, 9, Gives::Target),
    ("__sync_add_and_fetch", "add_fetch", 2, 9, Gives::Target),
    ("__sync_sub_and_fetch", "sub_fetch", 2, 9, Gives::Target),
    ("__sync_and_and_fetch", "and_fetch", 2, 9, Gives::Target),
    ("__sync_or_and_fetch", "or_fetch", 2, 9, Gives::Target),
    ("__sync_xor_and_fetch", "xor_fetch", 2, 9, Gives::Target),
    ("__sync_bool_compare_and_swap", "bool_cas", 3, 9, Gives::Bool),
    ("__sync_val_compare_and_swap", "val_cas", 3, 9, Gives::Target),
    ("__sync_lock_test_and_set", "lock_exchange", 2, 9, Gives::Target),
    ("__sync_lock_release", "lock_release", 1, 9, Gives::Void),
    ("__sync_synchronize", "synchronize", 0, 9, Gives::Void),
    // Those of C11: pointers move by elements, the first write is a plain one.
    ("__litmus_fetch_add", "fetch_add", 3, 3, Gives::Target),
    ("__litmus_fetch_sub", "fetch_sub", 3, 3, Gives::Target),
    ("__litmus_init", "init", 2, 2, Gives::Void),
    ("__litmus_peek", "peek", 1, 1, Gives::Target),
    ("__litmus_acquire", "acquire", 1, 1, Gives::Void),
    ("__litmus_try_acquire", "try_acquire", 1, 1, Gives::Bool),
    ("__litmus_release", "release", 1, 1, Gives::Void),
    ("__litmus_destroy", "destroy", 1, 1, Gives::Void),
    ("__litmus_await", "await", 1, 1, Gives::Void),
    ("__litmus_calls", "calls", 1, 1, Gives::Int),
    ("__litmus_kernel_fence", "kernel_fence", 1, 2, Gives::Void),
    ("__litmus_data_race", "data_race", 1, 1, Gives::First),
    ("__litmus_full_fence", "full_fence", 0, 0, Gives::Void),
    ("__litmus_spawn", "spawn", 3, 3, Gives::Void),
    ("__litmus_join", "join", 1, 1, Gives::Address),
    ("__litmus_exit", "exit", 1, 1, Gives::Void),
    ("__litmus_self", "self", 0, 0, Gives::Ulong),
    ("__litmus_varargs", "varargs", 0, 0, Gives::Address),
    ("__litmus_assume", "assume", 1, 1, Gives::Void),
    ("__litmus_assert", "assert", 2, 2, Gives::Void),
    ("__litmus_lock_error", "lock_error", 2, 2, Gives::Void),
    ("__litmus_nondet", "nondet", 2, 2, Gives::Int),
    ("__litmus_any", "nondet_int", 2, 2, Gives::Int),
    ("__litmus_rand", "nondet_int", 0, 0, Gives::Integer(2, false)),
    ("__litmus_malloc", "malloc", 1, 1, Gives::Address),
    ("__litmus_calloc", "calloc", 1, 1, Gives::Address),
    ("__litmus_free", "free", 1, 1, Gives::Void),
    ("__litmus_copy", "copy", 3, 3, Gives::First),
    ("__litmus_move", "move", 3, 3, Gives::First),
    ("__litmus_fill", "fill", 3, 3, Gives::First),
    ("__litmus_realloc", "realloc", 2, 2, Gives::Address),
    ("__litmus_print", "print", 0, 99, Gives::Int),
    ("__litmus_math", "math", 3, 3, Gives::Double),
    ("__litmus_nothing", "nothing", 0, 99, Gives::Void),
    ("__litmus_stop", "stop", 0, 99, Gives::Void),
    ("__litmus_atomic_begin", "atomic_begin", 0, 0, Gives::Void),
    ("__litmus_atomic_end", "atomic_end", 0, 0, Gives::Void),
    ("__builtin_ffs", "ffs", 1, 1, Gives::Int),
    ("__builtin_ffsl", "ffs", 1, 1, Gives::Int),
    ("__builtin_ffsll", "ffs", 1, 1, Gives::Int),
    ("__builtin_ctz", "ctz", 1, 1, Gives::Int),
    ("__builtin_ctzl", "ctz", 1, 1, Gives::Int),
    ("__builtin_ctzll", "ctz", 1, 1, Gives::Int),
    ("__builtin_clz", "clz", 1, 1, Gives::Int),
    ("__builtin_clzl", "clzl", 1, 1, Gives::Int),
    ("__builtin_clzll", "clzl", 1, 1, Gives::Int),
    ("__builtin_bswap16", "bswap16", 1, 1, Gives::Integer(2, false)),
    ("__builtin_bswap32", "bswap32", 1, 1, Gives::Integer(4, false)),
    ("__builtin_bswap64", "bswap64", 1, 1, Gives::Integer(8, false)),
    ("__builtin_popcount", "popcount", 1, 1, Gives::Int),
    ("__builtin_popcountl", "popcount", 1, 1, Gives::Int),
    ("__builtin_popcountll", "popcount", 1, 1, Gives::Int),
    ("__builtin_add_overflow", "add_overflow", 3, 3, Gives::Bool),
    ("__builtin_sub_overflow", "sub_overflow", 3, 3, Gives::Bool),
    ("__builtin_mul_overflow", "mul_overflow", 3, 3, Gives::Bool),
    ("__builtin_prefetch", "nothing", 1, 3, Gives::Void),
    ("__builtin_unreachable", "unreachable", 0, 0, Gives::Void),
    ("__builtin_trap", "trap", 0, 0, Gives::Void),
    ("__builtin_alloca", "alloca", 1, 1, Gives::Address),
    ("__builtin_memcpy", "copy", 3, 3, Gives::First),
    ("__builtin_memmove", "move", 3, 3, Gives::First),
    ("__builtin_memset", "fill", 3, 3, Gives::First),
    ("__builtin_ia32_pause", "nothing", 0, 0, Gives::Void),
    ("__builtin_ia32_mfence", "full_fence", 0, 0, Gives::Void),
    // Functions that a preprocessed file only declares. Where a header of ours is included, they are macros or have a body.
    ("malloc", "malloc", 1, 1, Gives::Address),
    ("realloc", "realloc", 2, 2, Gives::Address),
    ("free", "free", 1, 1, Gives::Void),
    ("abort", "abort", 0, 0, Gives::Void),
    ("exit", "stop", 1, 1, Gives::Void),
    ("memcpy", "copy", 3, 3, Gives::First),
    ("memmove", "move", 3, 3, Gives::First),
    ("memset", "fill", 3, 3, Gives::First),
    ("printf", "print", 1, 99, Gives::Int),
    ("puts", "print", 1, 1, Gives::Int),
    ("usleep", "nothing", 1, 1, Gives::Int),
    ("sleep", "nothing", 1, 1, Gives::Int),
    ("sched_yield", "nothing", 0, 0, Gives::Int),
    ("__assert_fail", "assert_fail", 4, 4, Gives::Void),
    ("__VERIFIER_assert", "verifier_assert", 1, 1, Gives::Void),
    ("pthread_create", "pthread_create", 4, 4, Gives::Int),
    ("pthread_join", "pthread_join", 2, 2, Gives::Int),
    ("pthread_exit", "exit", 1, 1, Gives::Void),
    ("pthread_self", "self", 0, 0, Gives::Ulong),
    ("pthread_detach", "nothing", 1, 1, Gives::Int),
    ("pthread_mutex_init", "lock_init", 2, 2, Gives::Int),
    ("pthread_mutex_lock", "acquire", 1, 1, Gives::Int),
    ("pthread_mutex_unlock", "release", 1, 1, Gives::Int),
    ("pthread_mutex_destroy", "destroy", 1, 1, Gives::Int),
    ("__VERIFIER_assume", "assume", 1, 1, Gives::Void),
    ("__VERIFIER_error", "error", 0, 9, Gives::Void),
    ("reach_error", "error", 0, 9, Gives::Void),
    ("__VERIFIER_atomic_begin", "atomic_begin", 0, 0, Gives::Void),
    ("__VERIFIER_atomic_end", "atomic_end", 0, 0, Gives::Void),
    ("__VERIFIER_nondet_bool", "nondet_bool", 0, 0, Gives::Bool),
    ("__VERIFIER_nondet__Bool", "nondet_bool", 0, 0, Gives::Bool),
    ("__VERIFIER_nondet_pointer", "nondet_bool", 0, 0, Gives::Address),
    ("__VERIFIER_nondet_char", "nondet_int", 0, 0, Gives::Integer(1, true)),
    ("__VERIFIER_nondet_uchar", "nondet_int", 0, 0, Gives::Integer(1, false)),
    ("__VERIFIER_nondet_short", "nondet_int", 0, 0, Gives::Integer(2, true)),
    ("__VERIFIER_nondet_ushort", "nondet_int", 0, 0, Gives::Integer(2, false)),
    ("__VERIFIER_nondet_int", "nondet_int", 0, 0, Gives::Int),
    ("__VERIFIER_nondet_uint", "nondet_int", 0, 0, Gives::Integer(4, false)),
    ("__VERIFIER_nondet_unsigned", "nondet_int", 0, 0, Gives::Integer(4, false)),
    ("__VERIFIER_nondet_long", "nondet_int", 0, 0, Gives::Integer(8, true)),
    ("__VERIFIER_nondet_ulong", "nondet_int", 0, 0, Gives::Ulong),
    ("__VERIFIER_nondet_size_t", "nondet_int", 0, 0, Gives::Ulong),
    ("__VERIFIER_nondet_longlong", "nondet_int", 0, 0, Gives::Integer(8, true)),
    ("__VERIFIER_nondet_ulonglong", "nondet_int", 0, 0, Gives::Ulong),
    ("__VERIFIER_nondet_u8", "nondet_int", 0, 0, Gives::Integer(1, false)),
    ("__VERIFIER_nondet_u16", "nondet_int", 0, 0, Gives::Integer(2, false)),
    ("__VERIFIER_nondet_u32", "nondet_int", 0, 0, Gives::Integer(4, false)),
    // As other tools call them.
    ("assert", "verifier_assert", 1, 1, Gives::Void),
    ("__CPROVER_assert", "assert", 2, 2, Gives::Void),
    ("__CPROVER_assume", "assume", 1, 1, Gives::Void),
    ("__CPROVER_atomic_begin", "atomic_begin", 0, 0, Gives::Void),
    ("__CPROVER_atomic_end", "atomic_end", 0, 0, Gives::Void),
    ("__ESBMC_assert", "assert", 2, 2, Gives::Void),
    ("__ESBMC_assume", "assume", 1, 1, Gives::Void),
    ("__ESBMC_atomic_begin", "atomic_begin", 0, 0, Gives::Void),
    ("__ESBMC_atomic_end", "atomic_end", 0, 0, Gives::Void),
    ("__ESBMC_yield", "nothing", 0, 0, Gives::Void),
    ("__builtin_assume", "assume", 1, 1, Gives::Void),
    ("calloc", "calloc", 2, 2, Gives::Address),
    ("_exit", "stop", 1, 1, Gives::Void),
    ("_Exit", "stop", 1, 1, Gives::Void),
    ("__VERIFIER_tid", "self", 0, 0, Gives::Integer(4, false)),
    ("__VERIFIER_loop_begin", "nothing", 0, 9, Gives::Void),
    ("__VERIFIER_spin_start", "nothing", 0, 9, Gives::Void),
    ("__VERIFIER_spin_end", "nothing", 0, 9, Gives::Void),
    ("__VERIFIER_loop_bound", "nothing", 0, 9, Gives::Void),
];

impl Parser {
    /// A call of a builtin, from the `(`.
    pub(super) fn builtin(&mut self, name: &str, start: Span) -> Parsed<Option<Expr>> {
        if let Some(e) = self.special(name, start)? {
            return Ok(Some(e));
        }
        let Some((written, lowered, least, most, gives)) = BUILTINS.iter().find(|(text, ..)| *text == name)
        else {
            return self.any_value(name, start);
        };
        let mut args = Vec::new();
        self.expect("(", "before the arguments")?;
        while !self.is(")") {
            let e = self.assignment()?;
            args.push(self.further_argument(e)?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "after the arguments")?;
        let span = self.since(start);
        if args.len() < *least || args.len() > *most {
            return Err(Diagnostic::error(
                "c::arguments",
                format!("`{written}` takes {least} arguments, not {}", args.len()),
            )
            .at(span, "here"));
        }
        let target = |args: &[Expr]| match args.first().and_then(|e| e.ty.target()) {
            Some(target) => Ok(target.plain().clone()),
            None => {
                Err(Diagnostic::error("c::type", format!("the first argument of `{written}` is a pointer"))
                    .at(span, "this one is none"))
            }
        };
        if *lowered == "compare_exchange" && args[1].ty.target().is_none() {
            let message = "what is expected is told by its address";
            return Err(Diagnostic::error("c::type", message)
                .at(args[1].span, "this is no pointer")
                .help("the value that was found is written there where it is another one"));
        }
        let ty = match gives {
            Gives::Void => Ty::Void,
            Gives::Int => Ty::INT,
            Gives::Bool => Ty::BOOL,
            Gives::Ulong => Ty::ULONG,
            Gives::Integer(bytes, signed) => Ty::int(*bytes, *signed),
            Gives::Double => Ty::Float(8),
            Gives::Address => Ty::Void.pointer(),
            Gives::First => args[0].ty.decayed(),
            Gives::Target => target(&args)?,
        };
        // Bits are those of the type that the function takes, whatever is given to it.
        if matches!(*lowered, "ffs" | "ctz" | "clz" | "clzl" | "popcount") {
            let taken = if written.ends_with('l') { Ty::ULONG } else { Ty::UINT };
            args[0] = self.convert(args[0].clone(), &taken)?;
        }
        // Values are converted to the type of the object.
        let values: &[usize] = match *lowered {
            "init" | "store" | "exchange" | "lock_exchange" => &[1],
            "compare_exchange" => &[2],
            "bool_cas" | "val_cas" => &[1, 2],
            _ if lowered.starts_with("fetch_") || lowered.ends_with("_fetch") => &[1],
            _ => &[],
        };
        for index in values {
            let object = target(&args)?;
            let value = args[*index].clone();
            // Pointers move by bytes here.
            let wanted =
                if matches!(object, Ty::Pointer(_)) && lowered.contains("fetch") { Ty::LONG } else { object };
            args[*index] = self.convert(value, &wanted)?;
        }
        if name.starts_with("__litmus_fetch")
            && let Ty::Pointer(element) = target(&args)?
        {
            args[1] = self.scaled(args[1].clone(), &element)?;
        }
        Ok(Some(Expr { kind: ExprKind::Builtin(lowered, args), ty, span }))
    }

    /// `nondet_…()`: any value of the type that the program declares it with, or that its name says.
    fn any_value(&mut self, name: &str, start: Span) -> Parsed<Option<Expr>> {
        let Some(kind) = name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"))
        else {
            return Ok(None);
        };
        let declared = match self.find(name) {
            Some(Entity::Function(id)) => self.unit.functions[*id].result.as_int(),
            _ => None,
        };
        let known =
            BUILTINS.iter().find(|b| b.0.strip_prefix("__VERIFIER_nondet_") == Some(kind)).map(|b| b.4);
        let int = match (declared, known) {
            (Some(int), _) => int,
            (None, Some(Gives::Int)) => IntTy { bytes: 4, signed: true, boolean: false },
            (None, Some(Gives::Ulong)) => IntTy { bytes: 8, signed: false, boolean: false },
            (None, Some(Gives::Integer(bytes, signed))) => IntTy { bytes, signed, boolean: false },
            (None, Some(Gives::Bool)) => IntTy { bytes: 1, signed: false, boolean: true },
            _ => return Ok(None),
        };
        self.skip_parentheses()?;
        let builtin = if int.boolean { "nondet_bool" } else { "nondet_int" };
        let span = self.since(start);
        Ok(Some(Expr { kind: ExprKind::Builtin(builtin, Vec::new()), ty: Ty::Int(int), span }))
    }

    /// Those with a syntax of their own.
    fn special(&mut self, name: &str, start: Span) -> Parsed<Option<Expr>> {
        let e = match name {
            "__builtin_expect" | "__builtin_expect_with_probability" | "__builtin_assume_aligned" => {
                self.expect("(", "before the arguments")?;
                let value = self.assignment()?;
                while self.eat(",") {
                    self.assignment()?;
                }
                self.expect(")", "after the arguments")?;
                self.rvalue(value)
            }
            "__builtin_constant_p" => {
                self.expect("(", "before the argument")?;
                let value = self.assignment()?;
                self.expect(")", "after the argument")?;
                let known = self.constant_of(&value).is_some();
                Expr::int(i128::from(known), Ty::INT, self.since(start))
            }
            "__builtin_offsetof" => {
                self.expect("(", "before the type")?;
                let ty = self.type_name()?;
                self.expect(",", "after the type")?;
                let null = Expr::int(0, ty.pointer(), start);
                let mut object = Expr { kind: ExprKind::Deref(Box::new(null)), ty, span: start };
                object = self.member(object)?;
                while !self.is(")") {
                    self.expect(".", "between the members")?;
                    object = self.member(object)?;
                }
                self.bump();
                let span = self.since(start);
                let address = Expr { kind: ExprKind::AddressOf(Box::new(object)), ty: Ty::ULONG, span };
                match self.constant_of(&address) {
                    Some(offset) => Expr::int(offset, Ty::ULONG, span),
                    None => {
                        return Err(
                            Diagnostic::error("c::constant", "this offset is not known").at(span, "here")
                        );
                    }
                }
            }
            "__builtin_types_compatible_p" => {
                self.expect("(", "before the types")?;
                let a = self.type_name()?;
                self.expect(",", "between the types")?;
                let b = self.type_name()?;
                self.expect(")", "after the types")?;
                Expr::int(i128::from(a.plain() == b.plain()), Ty::INT, self.since(start))
            }
            "__builtin_choose_expr" => {
                self.expect("(", "before the arguments")?;
                let choice = self.constant_expression()?;
                self.expect(",", "after the condition")?;
                let a = self.assignment()?;
                self.expect(",", "between the values")?;
                let b = self.assignment()?;
                self.expect(")", "after the values")?;
                if choice != 0 { a } else { b }
            }
            _ => return Ok(None),
        };
        Ok(Some(e))
    }
}
