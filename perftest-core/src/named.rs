//! Enums whose variants have names.

/// Defines an enum and the names of its variants, which records, reports and settings use. The enum gets `ALL`,
/// `name` and `from_name`.
///
/// ```
/// perftest_core::named! {
///     /// A side of a coin.
///     #[derive(Debug, Clone, Copy, PartialEq)]
///     pub enum Side {
///         /// The front.
///         Heads = "heads",
///         /// The back.
///         Tails = "tails",
///     }
/// }
/// assert_eq!(Side::ALL, [Side::Heads, Side::Tails]);
/// assert_eq!(Side::Tails.name(), "tails");
/// assert_eq!(Side::from_name("heads"), Some(Side::Heads));
/// assert_eq!(Side::from_name("edge"), None);
/// ```
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $visibility:vis enum $type:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $name:literal,)+
    }) => {
        $(#[$meta])*
        $visibility enum $type {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $type {
            /// All of them, in their order.
            $visibility const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The stable name.
            $visibility fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the one with this [`name`](Self::name).
            $visibility fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.name() == name)
            }
        }
    };
}
