//! As much of HTML as the tests need: tags with their attributes, and the text in them.

/// An element's start tag.
#[derive(Debug)]
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a str,
    attributes: Vec<(&'a str, String)>,
    /// What follows the tag.
    rest: &'a str,
}

impl<'a> Tag<'a> {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn attribute_names(&self) -> impl Iterator<Item = &'a str> {
        self.attributes.iter().map(|(name, _)| *name)
    }

    /// The source between the tag and its end tag. No element of the site contains another one of its name, except lists.
    pub(crate) fn inner(&self) -> &'a str {
        let end = format!("</{}>", self.name);
        self.rest.split(&end).next().expect("split yields something")
    }

    /// The text in the element.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for piece in self.inner().split('<') {
            text += match piece.split_once('>') {
                Some((_, after)) => after,
                None => piece,
            };
        }
        unescaped(&text)
    }
}

/// All start tags, in their order.
pub(crate) fn tags(html: &str) -> Vec<Tag<'_>> {
    let starts = html.match_indices('<').map(|(at, _)| &html[at + 1..]);
    starts.filter(|tag| tag.starts_with(|first: char| first.is_ascii_alphabetic())).map(tag).collect()
}

fn tag(source: &str) -> Tag<'_> {
    let end = source.find([' ', '>']).expect("the end of a name");
    let (name, mut rest) = source.split_at(end);
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix('>') {
            return Tag { name, attributes, rest };
        }
        let end = rest.find(['=', ' ', '>']).expect("the end of an attribute");
        let (attribute, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"').expect("the end of a value"),
            None => ("", after),
        };
        attributes.push((attribute, unescaped(value)));
        rest = after;
    }
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn tags_are_read() {
    let html = r#"<p id="a" hidden>1 &amp; <b class="x=&quot;">2</b></p><input readonly>"#;
    let tags = tags(html);
    assert_eq!(tags.iter().map(|tag| tag.name).collect::<Vec<_>>(), ["p", "b", "input"]);
    assert_eq!(tags[0].text(), "1 & 2");
    assert_eq!((tags[0].attribute("id"), tags[0].attribute("hidden")), (Some("a"), Some("")));
    assert_eq!((tags[1].attribute("class"), tags[2].attribute("readonly")), (Some("x=\""), Some("")));
}
