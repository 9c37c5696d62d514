//! Every link in a document of the repository leads to a file and a heading that exist.

use crate::{documents, root};
use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What a document has of links.
#[derive(Default)]
pub(super) struct Links {
    /// The name and the target of each definition, `[name]: target`.
    pub(super) definitions: BTreeMap<String, String>,
    /// The targets of links that are not definitions, `[text](target)`.
    pub(super) inline: Vec<String>,
    /// Names that are used, as in `[text][name]`, and not defined.
    undefined: Vec<String>,
    /// What a link can name of the document: its headings, as GitHub and rustdoc write them.
    anchors: BTreeSet<String>,
}

impl Links {
    pub(super) fn of(text: &str) -> Self {
        let mut links = Self::default();
        let mut undefined = Vec::new();
        let mut note = |broken: pulldown_cmark::BrokenLink<'_>| {
            // `[ ]` and the like are no links.
            if broken.link_type == LinkType::Reference {
                undefined.push(broken.reference.to_string());
            }
            None
        };
        let parser =
            Parser::new_with_broken_link_callback(text, pulldown_cmark::Options::empty(), Some(&mut note));
        let definitions = parser.reference_definitions().iter();
        links.definitions =
            definitions.map(|(name, link)| (name.to_owned(), link.dest.to_string())).collect();
        let mut heading = None::<String>;
        for event in parser {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => links.note_heading(&heading.take().unwrap_or_default()),
                Event::Start(
                    Tag::Link { link_type: LinkType::Inline, dest_url, .. } | Tag::Image { dest_url, .. },
                ) => links.inline.push(dest_url.to_string()),
                // Pictures with a variant for dark pages: Markdown has no words for these.
                Event::Html(html) | Event::InlineHtml(html) => {
                    let quoted = html.split(['=', '>']).zip(html.split(['=', '>']).skip(1));
                    let sources =
                        quoted.filter(|(name, _)| name.ends_with("src") || name.ends_with("srcset"));
                    links
                        .inline
                        .extend(sources.map(|(_, value)| value.split('"').nth(1).unwrap().to_owned()));
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        links.undefined = undefined;
        links
    }

    fn note_heading(&mut self, heading: &str) {
        let keep = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
        let anchor = heading.to_lowercase().chars().filter(keep).collect::<String>().replace(' ', "-");
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let mut anchors = std::iter::once(anchor.clone()).chain(numbered);
        let free = anchors.find(|anchor| !self.anchors.contains(anchor));
        self.anchors.extend(free);
    }

    fn targets(&self) -> impl Iterator<Item = &str> {
        self.inline.iter().chain(self.definitions.values()).map(String::as_str)
    }
}

/// Why a link from this document leads nowhere.
fn problem(document: &Path, own: &Links, target: &str) -> Option<String> {
    if target.starts_with("https://") || target.starts_with("http://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = document.parent()?.join(file);
    if !file.is_empty() && !path.exists() {
        return Some(format!("there is no file `{file}`"));
    }
    if anchor.is_empty() || path.extension().is_some_and(|extension| extension != "md") {
        return None;
    }
    let there = match file {
        "" => None,
        _ => Some(Links::of(&fs::read_to_string(&path).unwrap())),
    };
    let anchors = &there.as_ref().unwrap_or(own).anchors;
    (!anchors.contains(anchor)).then(|| format!("there is no heading for `{target}`"))
}

#[test]
fn every_link_leads_somewhere() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in documents() {
        let links = Links::of(&fs::read_to_string(&path).unwrap());
        let undefined = links.undefined.iter().map(|name| format!("`[{name}]` is not defined"));
        let nowhere = links.targets().filter_map(|target| problem(&path, &links, target));
        let name = path.strip_prefix(root()).unwrap().display();
        wrong.extend(undefined.chain(nowhere).map(|problem| format!("{name}: {problem}")));
        count += links.targets().count();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 200, "the links were not found: {count}");
}

#[test]
fn links_that_lead_nowhere_are_found() {
    let here = root().join("README.md");
    let links = Links::of(
        "# A `b` c\n## A b c\n[x](#a-b-c) [y](#a-b-c-1) [z][missing] [ ]\n\n[d]: nothing.md\n\n![p](a.png)\n<picture><source srcset=\"b.png\"><img src=\"c.png\" alt=\"\"></picture>",
    );
    assert_eq!(links.undefined, ["missing"]);
    assert_eq!(
        links.targets().collect::<Vec<_>>(),
        ["#a-b-c", "#a-b-c-1", "a.png", "b.png", "c.png", "nothing.md"]
    );
    let problems = [
        "#a-b-c",
        "#a-b-c-1",
        "#a-b-c-2",
        "nothing.md",
        "docs/reference.md#options",
        "docs/reference.md#none",
    ];
    let found: Vec<_> =
        problems.into_iter().filter(|target| problem(&here, &links, target).is_some()).collect();
    assert_eq!(found, ["#a-b-c-2", "nothing.md", "docs/reference.md#none"]);
}
