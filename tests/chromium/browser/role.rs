//! The roles of elements, as assistive technology and people know them.

/// What an element is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    Button,
    Link,
    /// Something to type in.
    Field,
    Checkbox,
    Radio,
    Heading,
    Image,
    /// A part of the page that has a name.
    Region,
    Dialog,
    Navigation,
    /// The page's own content. It has no name.
    Main,
    /// What accompanies the content.
    Aside,
}

impl Role {
    /// Whether this is the role that Chromium computed.
    pub(super) fn is(self, computed: &str) -> bool {
        match self {
            Self::Button => ["button", "DisclosureTriangle"].contains(&computed),
            Self::Link => computed == "link",
            Self::Field => ["textbox", "searchbox", "combobox", "spinbutton"].contains(&computed),
            Self::Checkbox => ["checkbox", "switch"].contains(&computed),
            Self::Radio => ["radio", "radiobutton"].contains(&computed),
            Self::Heading => computed == "heading",
            Self::Image => ["image", "img"].contains(&computed),
            Self::Region => ["region", "group", "article", "tabpanel"].contains(&computed),
            Self::Dialog => ["dialog", "alertdialog"].contains(&computed),
            Self::Navigation => computed == "navigation",
            Self::Main => computed == "main",
            Self::Aside => computed == "complementary",
        }
    }
}
