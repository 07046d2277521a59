//! SHA-256 (FIPS 180-4) in base 64: a page names the digests of its own script and style, and a browser runs
//! no others.

use std::fmt::Write;

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const ROUND: [u32; 64] = roots::<64>(3);

/// The same of the square roots of the first 8 primes.
const START: [u32; 8] = roots::<8>(2);

/// The first 32 bits behind the binary point of the `degree`-th roots of the first primes.
const fn roots<const N: usize>(degree: u32) -> [u32; N] {
    let mut found = [0; N];
    let (mut count, mut candidate) = (0, 2u128);
    while count < N {
        if is_prime(candidate) {
            // The root of the number with `32 * degree` zero bits behind it, by bisection.
            let wanted = candidate << (32 * degree);
            let (mut low, mut high) = (0u128, 1u128 << 37);
            while high - low > 1 {
                let middle = (low + high) / 2;
                let power = if degree == 2 { middle * middle } else { middle * middle * middle };
                if power <= wanted {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            found[count] = low as u32;
            count += 1;
        }
        candidate += 1;
    }
    found
}

const fn is_prime(number: u128) -> bool {
    let mut divisor = 2;
    while divisor * divisor <= number {
        if number.is_multiple_of(divisor) {
            return false;
        }
        divisor += 1;
    }
    true
}

/// The digest of a text, as policies for contents write it: `sha256-…`.
pub fn policy(text: &str) -> String {
    format!("sha256-{}", base64(&sha256(text.as_bytes())))
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    let mut state = START;
    padded.chunks_exact(64).for_each(|block| compress(&mut state, block));
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

fn compress(state: &mut [u32; 8], block: &[u8]) {
    let mut words = [0u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for at in 16..64 {
        let (a, b) = (words[at - 15], words[at - 2]);
        let small = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let large = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        words[at] = words[at - 16].wrapping_add(small).wrapping_add(words[at - 7]).wrapping_add(large);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, word) in ROUND.iter().zip(words) {
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let chosen = (e & f) ^ (!e & g);
        let first = h.wrapping_add(mixed).wrapping_add(chosen).wrapping_add(*round).wrapping_add(word);
        let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = mixed.wrapping_add(majority);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group = (0..3).fold(0u32, |group, at| group << 8 | u32::from(*chunk.get(at).unwrap_or(&0)));
        for at in 0..4 {
            let letter = char::from(LETTERS[(group >> (18 - 6 * at)) as usize % 64]);
            let _ = out.write_char(if at > chunk.len() { '=' } else { letter });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hexadecimal(text: &str) -> String {
        sha256(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!((START[0], ROUND[0], ROUND[63]), (0x6a09_e667, 0x428a_2f98, 0xc671_78f2));
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hexadecimal("abc"), abc);
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hexadecimal(""), nothing);
        let two_blocks = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        assert_eq!(hexadecimal("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), two_blocks);
        assert_eq!(policy(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
