//! Parts of what is exchanged that fit into memory.

/// Divides items into parts that have at most `most_items`, and no item behind the one that makes them `most_bytes`
/// large.
pub(super) fn parts<T>(
    items: impl IntoIterator<Item = T>,
    bytes_of: impl Fn(&T) -> u64,
    most_bytes: u64,
    most_items: usize,
) -> Vec<Vec<T>> {
    let (mut parts, mut part, mut bytes) = (Vec::new(), Vec::new(), 0);
    for item in items {
        bytes += bytes_of(&item);
        part.push(item);
        if bytes >= most_bytes || part.len() == most_items {
            parts.push(std::mem::take(&mut part));
            bytes = 0;
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_when_it_is_large_or_has_enough_items() {
        let of = |sizes: &[u64]| parts(sizes.to_vec(), |size| *size, 10, 3);
        assert_eq!(of(&[1, 1, 1, 1]), [vec![1, 1, 1], vec![1]]);
        assert_eq!(of(&[9, 9, 20, 1]), [vec![9, 9], vec![20], vec![1]]);
        assert_eq!(of(&[]), Vec::<Vec<u64>>::new());
    }
}
