//! Names of power schemes by their identifiers.

/// The identifier as Windows writes it, from the four parts of its `GUID`.
pub(super) fn guid_text(data1: u32, data2: u16, data3: u16, data4: [u8; 8]) -> String {
    let [a, b, rest @ ..] = data4;
    let rest = rest.map(|byte| format!("{byte:02x}")).concat();
    format!("{data1:08x}-{data2:04x}-{data3:04x}-{a:02x}{b:02x}-{rest}")
}

/// Returns the English name of a scheme that comes with Windows. A custom scheme keeps its identifier,
/// so that a change is visible.
pub(super) fn scheme_name(guid: &str) -> &str {
    match guid {
        "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c" => "High performance",
        "381b4222-f694-41f0-9685-ff5bb260df2e" => "Balanced",
        "a1841308-3541-4fab-bc81-f71556f20b4a" => "Power saver",
        "e9a42b02-d5df-448d-aa00-03f14749eb61" => "Ultimate performance",
        own => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_identifier_keep_their_zeros_and_their_order() {
        let data4 = [0x96, 0x85, 0xff, 0x5b, 0xb2, 0x60, 0xdf, 0x2e];
        let balanced = guid_text(0x381b_4222, 0xf694, 0x41f0, data4);
        assert_eq!(scheme_name(&balanced), "Balanced");
        let own = guid_text(0x1a, 0x2, 0x3, [0, 4, 0, 0, 0, 0, 0, 5]);
        assert_eq!(scheme_name(&own), "0000001a-0002-0003-0004-000000000005");
    }
}
