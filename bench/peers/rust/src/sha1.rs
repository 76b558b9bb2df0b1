//! SHA-1 of messages of a few words, after FIPS 180-4. Good for random trees, no longer for secrets.

pub type Digest = [u32; 5];

/// The digest of the words' bytes, most significant first. With their length they fill one block at most.
#[inline]
pub fn sha1<const WORDS: usize>(message: [u32; WORDS]) -> Digest {
    const { assert!(WORDS <= 13) };
    let mut schedule = [0; 80];
    schedule[..WORDS].copy_from_slice(&message);
    schedule[WORDS] = 0x80000000; // the bit that ends the message
    schedule[15] = 32 * WORDS as u32; // its length in bits
    for t in 16..80 {
        schedule[t] =
            (schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16]).rotate_left(1);
    }

    const START: Digest = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    let [mut a, mut b, mut c, mut d, mut e] = START;
    for (t, &word) in schedule.iter().enumerate() {
        let (chosen, constant) = match t {
            0..20 => ((b & c) | (!b & d), 0x5a827999),
            20..40 => (b ^ c ^ d, 0x6ed9eba1),
            40..60 => ((b & c) | (b & d) | (c & d), 0x8f1bbcdc),
            _ => (b ^ c ^ d, 0xca62c1d6u32),
        };
        let sum = a.rotate_left(5).wrapping_add(chosen).wrapping_add(e);
        let next = sum.wrapping_add(constant).wrapping_add(word);
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
    }
    let end = [a, b, c, d, e];
    std::array::from_fn(|i| START[i].wrapping_add(end[i]))
}

#[cfg(test)]
mod tests {
    use super::sha1;

    #[test]
    fn known_digests() {
        assert_eq!(sha1([]), [0xda39a3ee, 0x5e6b4b0d, 0x3255bfef, 0x95601890, 0xafd80709]);
        let of_test = [0xa94a8fe5, 0xccb19ba6, 0x1c4c0873, 0xd391e987, 0x982fbbd3];
        assert_eq!(sha1([0x74657374]), of_test);
    }
}
