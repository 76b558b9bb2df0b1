//! The same numbers as bench/programs/random.hpp.

/// A bijection of 64-bit words that spreads every bit over all (the finalizer of SplitMix64).
pub fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d049bb133111eb);
    word ^ (word >> 31)
}

/// SplitMix64.
pub struct RandomSequence(u64);

impl RandomSequence {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        mix(self.0)
    }
}

/// What the sorting programs sort, as in bench/programs/random_values.hpp.
pub struct RandomValues {
    pub values: Vec<u32>,
    fingerprint: u64,
}

impl RandomValues {
    pub fn new(count: usize, seed: u64) -> Self {
        let mut random = RandomSequence::new(seed);
        let values: Vec<u32> = (0..count).map(|_| random.draw() as u32).collect();
        Self { fingerprint: fingerprint(&values), values }
    }

    /// In order, and still the same values.
    pub fn are_sorted(&self) -> bool {
        self.values.is_sorted() && fingerprint(&self.values) == self.fingerprint
    }
}

/// Depends on the values and how often each occurs, not on their order.
fn fingerprint(values: &[u32]) -> u64 {
    values.iter().fold(0, |sum, &value| sum.wrapping_add(mix(u64::from(value) + 1)))
}

pub fn between_minus_one_and_one(random: &mut RandomSequence) -> f64 {
    random.draw() as i64 as f64 / (1u64 << 63) as f64
}
