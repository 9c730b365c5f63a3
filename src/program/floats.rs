//! Floating-point numbers: their bits, as C has them, and what is computed with them.
//!
//! A number is kept as the bits of its type (`float` has 4 bytes, `double` 8), read as a signed integer, so that memory holds it like any other.

/// What is computed with two numbers of one type. Comparisons give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// A function of the library, of two numbers or of the first.
    Function(Function),
}

/// Functions of `<math.h>`. What a library only comes near to is what this machine's comes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Function {
    Sqrt,
    Cbrt,
    Exp,
    Log,
    Log2,
    Log10,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Round,
    Pow,
    Rem,
    Atan2,
    Hypot,
}

impl Function {
    /// The function that C has by that name.
    pub fn named(name: &str) -> Option<Function> {
        Some(match name {
            "sqrt" => Function::Sqrt,
            "cbrt" => Function::Cbrt,
            "exp" => Function::Exp,
            "log" => Function::Log,
            "log2" => Function::Log2,
            "log10" => Function::Log10,
            "sin" => Function::Sin,
            "cos" => Function::Cos,
            "tan" => Function::Tan,
            "asin" => Function::Asin,
            "acos" => Function::Acos,
            "atan" => Function::Atan,
            "round" => Function::Round,
            "pow" => Function::Pow,
            "fmod" => Function::Rem,
            "atan2" => Function::Atan2,
            "hypot" => Function::Hypot,
            _ => return None,
        })
    }

    fn of(self, x: f64, y: f64) -> f64 {
        match self {
            Function::Sqrt => x.sqrt(),
            Function::Cbrt => x.cbrt(),
            Function::Exp => x.exp(),
            Function::Log => x.ln(),
            Function::Log2 => x.log2(),
            Function::Log10 => x.log10(),
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Tan => x.tan(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan => x.atan(),
            Function::Round => x.round(),
            Function::Pow => x.powf(y),
            Function::Rem => x % y,
            Function::Atan2 => x.atan2(y),
            Function::Hypot => x.hypot(y),
        }
    }
}

/// The number that bits stand for.
pub fn from_bits(bits: i128, bytes: u8) -> f64 {
    match bytes {
        4 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

/// The bits of a number, rounded to a type.
pub fn to_bits(n: f64, bytes: u8) -> i128 {
    match bytes {
        4 => i128::from((n as f32).to_bits() as i32),
        _ => i128::from(n.to_bits() as i64),
    }
}

/// An integer as a number of that type.
pub fn from_integer(n: i128, bytes: u8) -> i128 {
    match bytes {
        // At once: rounding twice is not rounding once.
        4 => i128::from((n as f32).to_bits() as i32),
        _ => to_bits(n as f64, bytes),
    }
}

/// What a number leaves as an integer: what is behind the point goes. Too large a number is the nearest there is.
pub fn to_integer(bits: i128, bytes: u8) -> i128 {
    from_bits(bits, bytes) as i128
}

/// `op(a, b)`.
pub fn compute(op: FloatOp, a: i128, b: i128, bytes: u8) -> i128 {
    let (x, y) = (from_bits(a, bytes), from_bits(b, bytes));
    // The results of one operation in `float` are those in `double`, rounded: it has more than twice the digits.
    let number = |n: f64| to_bits(n, bytes);
    match op {
        FloatOp::Add => number(x + y),
        FloatOp::Sub => number(x - y),
        FloatOp::Mul => number(x * y),
        FloatOp::Div => number(x / y),
        FloatOp::Eq => i128::from(x == y),
        FloatOp::Ne => i128::from(x != y),
        FloatOp::Lt => i128::from(x < y),
        FloatOp::Le => i128::from(x <= y),
        FloatOp::Gt => i128::from(x > y),
        FloatOp::Ge => i128::from(x >= y),
        FloatOp::Function(function) => number(function.of(x, y)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_their_types() {
        let double = |n: f64| to_bits(n, 8);
        assert_eq!(compute(FloatOp::Add, double(0.1), double(0.2), 8), double(0.1 + 0.2));
        let float = |n: f32| i128::from(n.to_bits() as i32);
        assert_eq!(compute(FloatOp::Div, float(1.0), float(3.0), 4), float(1.0f32 / 3.0));
        assert_eq!(from_integer(16_777_217, 4), float(16_777_216.0));
        assert_eq!(to_integer(double(-2.9), 8), -2);
        assert_eq!(compute(FloatOp::Eq, double(0.0), double(-0.0), 8), 1);
        let none = compute(FloatOp::Div, double(0.0), double(0.0), 8);
        assert_eq!(compute(FloatOp::Eq, none, none, 8), 0);
        let of = |name: &str, x: f64, y: f64| {
            let function = Function::named(name).expect("a function");
            from_bits(compute(FloatOp::Function(function), double(x), double(y), 8), 8)
        };
        assert_eq!(
            (of("sqrt", 2.25, 0.0), of("pow", 2.0, 10.0), of("round", -2.5, 0.0)),
            (1.5, 1024.0, -3.0)
        );
        assert_eq!((of("fmod", -7.0, 3.0), of("hypot", 3.0, 4.0), of("log2", 8.0, 0.0)), (-1.0, 5.0, 3.0));
    }
}
