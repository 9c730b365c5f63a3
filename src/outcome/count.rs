//! Numbers of executions: exact, whatever their size. Executions are counted without being built, so that 64 bits do not always do.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How many there are of something. Nearly always a machine word.
///
/// In JSON it is a number if it fits into 64 bits, and a string of digits otherwise: most readers would round such a number without a word.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Count(Digits);

/// A number that fits into a word is always kept in one, so that equal numbers look the same.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Digits {
    Word(u64),
    /// Digits in base [`BASE`], the least first; the last is not zero.
    Many(Vec<u64>),
}

use Digits::{Many, Word};

/// Eighteen decimal digits: what is written and read most is decimal, and the product of two fits into 128 bits.
const BASE: u64 = 10u64.pow(18);
const DECIMALS: usize = 18;

impl Count {
    /// None.
    pub const ZERO: Count = Count(Word(0));
    /// One.
    pub const ONE: Count = Count(Word(1));

    /// The number, if it fits into a word.
    pub fn word(&self) -> Option<u64> {
        match self.0 {
            Word(word) => Some(word),
            Many(_) => None,
        }
    }

    /// Likewise; the largest word stands for all larger numbers.
    pub fn saturating_word(&self) -> u64 {
        self.word().unwrap_or(u64::MAX)
    }

    /// Is it zero?
    pub fn is_zero(&self) -> bool {
        *self == 0
    }

    /// About this much.
    pub fn as_f64(&self) -> f64 {
        match &self.0 {
            Word(word) => *word as f64,
            Many(digits) => digits.iter().rev().fold(0.0, |sum, digit| sum * BASE as f64 + *digit as f64),
        }
    }

    /// In how many ways `k` things can be chosen of `n`.
    pub fn binomial(n: u32, k: u32) -> Count {
        let k = k.min(n.saturating_sub(k));
        (0..u64::from(k)).fold(Count::ONE, |number, i| (&number * (u64::from(n) - i)).divided_by(i + 1))
    }

    /// The quotient by a number that is not zero, rounded down.
    fn divided_by(&self, divisor: u64) -> Count {
        match &self.0 {
            Word(word) => Count(Word(word / divisor)),
            Many(digits) => {
                let mut rest = 0u128;
                let mut quotient = digits.clone();
                for digit in quotient.iter_mut().rev() {
                    let value = rest * u128::from(BASE) + u128::from(*digit);
                    *digit = (value / u128::from(divisor)) as u64;
                    rest = value % u128::from(divisor);
                }
                Count::of(quotient)
            }
        }
    }

    fn digits(&self) -> Cow<'_, [u64]> {
        match &self.0 {
            Word(word) if *word < BASE => Cow::Owned(vec![*word]),
            Word(word) => Cow::Owned(vec![word % BASE, word / BASE]),
            Many(digits) => Cow::Borrowed(digits),
        }
    }

    /// The number with these digits.
    fn of(mut digits: Vec<u64>) -> Count {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let word = match digits[..] {
            [] => Some(0),
            [low] => Some(low),
            [low, high] => u64::try_from(u128::from(high) * u128::from(BASE) + u128::from(low)).ok(),
            _ => None,
        };
        Count(word.map_or(Many(digits), Word))
    }

    #[cold]
    fn sum_of(&self, other: &Count) -> Count {
        let (one, other) = (self.digits(), other.digits());
        let mut carry = 0;
        let mut sum = Vec::with_capacity(one.len().max(other.len()) + 1);
        for at in 0..one.len().max(other.len()) {
            let digit = carry + one.get(at).unwrap_or(&0) + other.get(at).unwrap_or(&0);
            sum.push(digit % BASE);
            carry = digit / BASE;
        }
        sum.push(carry);
        Count::of(sum)
    }

    #[cold]
    fn product_of(&self, other: &Count) -> Count {
        let (one, other) = (self.digits(), other.digits());
        let mut product = vec![0u64; one.len() + other.len() + 1];
        for (at, digit) in one.iter().enumerate() {
            let mut carry = 0u128;
            for (place, factor) in product[at..].iter_mut().zip(other.iter().chain(std::iter::repeat(&0))) {
                let value = u128::from(*place) + u128::from(*digit) * u128::from(*factor) + carry;
                *place = (value % u128::from(BASE)) as u64;
                carry = value / u128::from(BASE);
            }
        }
        Count::of(product)
    }
}

impl Default for Count {
    fn default() -> Count {
        Count::ZERO
    }
}

impl From<u64> for Count {
    fn from(number: u64) -> Count {
        Count(Word(number))
    }
}

impl From<&Count> for Count {
    fn from(count: &Count) -> Count {
        count.clone()
    }
}

impl From<u32> for Count {
    fn from(number: u32) -> Count {
        Count(Word(u64::from(number)))
    }
}

impl AddAssign<&Count> for Count {
    fn add_assign(&mut self, other: &Count) {
        match (&self.0, &other.0) {
            (Word(one), Word(more)) if one.checked_add(*more).is_some() => self.0 = Word(one + more),
            _ => *self = self.sum_of(other),
        }
    }
}

impl AddAssign<Count> for Count {
    fn add_assign(&mut self, other: Count) {
        *self += &other;
    }
}

impl AddAssign<u64> for Count {
    fn add_assign(&mut self, other: u64) {
        *self += &Count::from(other);
    }
}

impl Add<&Count> for &Count {
    type Output = Count;

    fn add(self, other: &Count) -> Count {
        let mut sum = self.clone();
        sum += other;
        sum
    }
}

/// What is left; nothing, where more is taken away than there is.
impl Sub<&Count> for &Count {
    type Output = Count;

    fn sub(self, other: &Count) -> Count {
        if let (Word(one), Word(less)) = (&self.0, &other.0) {
            return Count(Word(one.saturating_sub(*less)));
        }
        if self <= other {
            return Count::ZERO;
        }
        let (mut left, other) = (self.digits().into_owned(), other.digits());
        let mut borrowed = 0;
        for (at, digit) in left.iter_mut().enumerate() {
            let less = other.get(at).unwrap_or(&0) + borrowed;
            borrowed = u64::from(*digit < less);
            *digit = *digit + borrowed * BASE - less;
        }
        Count::of(left)
    }
}

impl Mul<&Count> for &Count {
    type Output = Count;

    fn mul(self, other: &Count) -> Count {
        match (&self.0, &other.0) {
            (Word(one), Word(times)) if one.checked_mul(*times).is_some() => Count(Word(one * times)),
            _ => self.product_of(other),
        }
    }
}

impl Mul<u64> for &Count {
    type Output = Count;

    fn mul(self, other: u64) -> Count {
        self * &Count::from(other)
    }
}

impl<'c> Sum<&'c Count> for Count {
    fn sum<I: Iterator<Item = &'c Count>>(counts: I) -> Count {
        let mut sum = Count::ZERO;
        counts.for_each(|count| sum += count);
        sum
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Count>>(counts: I) -> Count {
        let mut sum = Count::ZERO;
        counts.for_each(|count| sum += count);
        sum
    }
}

impl Ord for Count {
    fn cmp(&self, other: &Count) -> Ordering {
        match (&self.0, &other.0) {
            (Word(one), Word(other)) => one.cmp(other),
            (Word(_), Many(_)) => Ordering::Less,
            (Many(_), Word(_)) => Ordering::Greater,
            (Many(one), Many(other)) => {
                one.len().cmp(&other.len()).then_with(|| one.iter().rev().cmp(other.iter().rev()))
            }
        }
    }
}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Count) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq<u64> for Count {
    fn eq(&self, other: &u64) -> bool {
        self.word() == Some(*other)
    }
}

impl PartialOrd<u64> for Count {
    fn partial_cmp(&self, other: &u64) -> Option<Ordering> {
        Some(self.word().map_or(Ordering::Greater, |word| word.cmp(other)))
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Word(word) => word.fmt(f),
            Many(digits) => {
                let mut text = String::with_capacity(digits.len() * DECIMALS);
                for (at, digit) in digits.iter().rev().enumerate() {
                    let width = if at == 0 { 1 } else { DECIMALS };
                    text += &format!("{digit:0width$}");
                }
                f.pad_integral(true, "", &text)
            }
        }
    }
}

impl fmt::Debug for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Text that is no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotACount;

impl fmt::Display for NotACount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a number of decimal digits")
    }
}

impl std::error::Error for NotACount {}

impl FromStr for Count {
    type Err = NotACount;

    fn from_str(text: &str) -> Result<Count, NotACount> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotACount);
        }
        // Every chunk of digits is one.
        let chunks = text.as_bytes().rchunks(DECIMALS);
        let value = |chunk: &[u8]| chunk.iter().fold(0, |value, byte| value * 10 + u64::from(byte - b'0'));
        Ok(Count::of(chunks.map(value).collect()))
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Word(word) => serializer.serialize_u64(word),
            Many(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Count, D::Error> {
        struct Digits;

        impl de::Visitor<'_> for Digits {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number that is not negative, or its digits as a string")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Count, E> {
                Ok(Count::from(number))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Count, E> {
                text.parse().map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(Digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power(base: u64, exponent: u32) -> Count {
        (0..exponent).fold(Count::ONE, |power, _| &power * base)
    }

    #[test]
    fn as_numbers_of_128_bits() {
        let mut seed = 3u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Of all lengths, and near the ends of words.
            let number = seed >> (seed >> 7 & 63);
            if seed & 3 == 0 { u64::MAX - number } else { number }
        };
        for _ in 0..20_000 {
            let (a, b, c) = (draw(), draw(), draw());
            let [x, y, z] = [a, b, c].map(Count::from);
            let [a, b, c] = [a, b, c].map(u128::from);
            let product = &x * &y;
            assert_eq!(product.to_string(), (a * b).to_string());
            assert_eq!((&x + &y).to_string(), (a + b).to_string());
            assert_eq!((&product - &z).to_string(), (a * b).saturating_sub(c).to_string());
            assert_eq!((&z - &product).to_string(), c.saturating_sub(a * b).to_string());
            assert_eq!(product.cmp(&z), (a * b).cmp(&c));
            assert_eq!(product == z, a * b == c);
            assert_eq!(product.to_string().parse(), Ok(product.clone()));
            assert_eq!(product.word(), u64::try_from(a * b).ok());
            if c > 0 {
                assert_eq!(product.divided_by(c as u64).to_string(), (a * b / c).to_string());
            }
        }
    }

    #[test]
    fn larger_ones() {
        let two_200 = power(2, 200);
        assert_eq!(two_200.to_string(), "1606938044258990275541962092341162602522202993782792835301376");
        assert_eq!(&power(2, 100) * &power(2, 100), two_200);
        assert_eq!(&power(2, 199) + &power(2, 199), two_200);
        assert_eq!(&(&two_200 - &power(2, 199)) - &power(2, 199), Count::ZERO);
        let thirty = (1..=30).fold(Count::ONE, |product, factor| &product * factor);
        assert_eq!(thirty.to_string(), "265252859812191058636308480000000");
        assert_eq!(format!("{thirty:>40}|{:>3}", Count::ONE), format!("{:>40}|  1", thirty.to_string()));
        assert!(thirty < two_200 && two_200 > u64::MAX && two_200 != u64::MAX);
        assert!((two_200.as_f64() / 2f64.powi(200) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn chosen_of_many() {
        assert_eq!(Count::binomial(20, 10), 184_756);
        assert_eq!(Count::binomial(5, 0), 1);
        assert_eq!(Count::binomial(3, 3), 1);
        // By Pascal's triangle.
        let mut row = vec![Count::ONE];
        for n in 1..150u32 {
            let inner: Vec<Count> = row.windows(2).map(|pair| &pair[0] + &pair[1]).collect();
            row = [vec![Count::ONE], inner, vec![Count::ONE]].concat();
            let all: Vec<Count> = (0..=n).map(|k| Count::binomial(n, k)).collect();
            assert_eq!(row, all);
        }
    }

    #[test]
    fn written_and_read() {
        let large = power(2, 81);
        let texts =
            [(Count::from(u64::MAX), "18446744073709551615"), (large, "\"2417851639229258349412352\"")];
        for (count, text) in texts {
            assert_eq!(serde_json::to_string(&count).expect("JSON"), text);
            assert_eq!(serde_json::from_str::<Count>(text).expect("a count"), count);
        }
        // Whatever it is written as.
        assert_eq!(serde_json::from_str::<Count>("\"007\"").expect("a count"), 7);
        for bad in ["-1", "1.5", "\"\"", "\"1e3\"", "\"+1\"", "\"-1\"", "null", "1e30"] {
            assert!(serde_json::from_str::<Count>(bad).is_err(), "{bad}");
        }
    }
}
