//! The enums of PTX words, each made from one table.

/// Makes an enum of words, its `keyword` and its `from_keyword` from one table.
macro_rules! keywords {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$vmeta])* #[doc = concat!("`", $text, "`")] $variant),+ }

        impl $name {
            /// The PTX word for this variant; empty for variants that stand for no word.
            pub const fn keyword(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// Returns the variant for a PTX word, its dot included; `None` for other words.
            pub fn from_keyword(word: &str) -> Option<Self> {
                match word { _ if word.is_empty() => None, $($text => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

pub(crate) use keywords;
