//! A page or a part of it, as a person uses it: by roles, labels and visible text.

use super::Role;
use super::commands::role_and_name;
use super::wait::until;
use fantoccini::Client;
use fantoccini::elements::{Element, ElementRef};
use serde_json::{Value, json};

/// The current page, or a named part of it. Every method waits until the page has what it needs.
#[derive(Clone)]
pub(crate) struct Page<'a> {
    client: &'a Client,
    /// The parts that contain this one, from the outermost.
    within: Vec<(Role, String)>,
}

/// Visible elements that may have a name which contains the given text. Chromium decides whether they do.
const CANDIDATES: &str = "
    const [root, name] = arguments;
    const texts = element => [
        element.ariaLabel, element.textContent, element.value, element.title, element.alt,
        ...[...(element.labels ?? [])].map(label => label.textContent),
        ...(element.ariaLabelledByElements ?? []).map(label => label.textContent),
    ];
    const has = text => (text ?? '').toString().replace(/\\s+/g, ' ').toLowerCase().includes(name);
    const selector = `a, button, input, select, textarea, summary, img, svg, h1, h2, h3, h4, h5, h6,
        form, section, article, main, aside, nav, dialog, details, fieldset, [role]`;
    return [...(root ?? document).querySelectorAll(selector)].filter(element =>
        element.checkVisibility({ visibilityProperty: true }) && texts(element).some(has));";

impl<'a> Page<'a> {
    pub(super) fn new(client: &'a Client) -> Self {
        Self { client, within: Vec::new() }
    }

    /// The part of this page with this role and name.
    pub(crate) fn within(&self, role: Role, name: &str) -> Self {
        let mut part = self.clone();
        part.within.push((role, name.to_owned()));
        part
    }

    /// The page without what is around its content.
    pub(crate) fn main(&self) -> Self {
        self.within(Role::Main, "")
    }

    pub(crate) async fn press(&self, button: &str) {
        self.click(Role::Button, button).await;
    }

    pub(crate) async fn follow(&self, link: &str) {
        self.click(Role::Link, link).await;
    }

    /// Sets a checkbox that is not set.
    pub(crate) async fn tick(&self, label: &str) {
        self.click(Role::Checkbox, label).await;
    }

    pub(crate) async fn click(&self, role: Role, name: &str) {
        self.act(role, name, async |element| element.click().await).await;
    }

    /// Types into the field with this label, in place of what was there.
    pub(crate) async fn fill(&self, label: &str, text: &str) {
        let replace = async |field: Element| {
            field.clear().await?;
            field.send_keys(text).await
        };
        self.act(Role::Field, label, replace).await;
    }

    /// What is typed in the field with this label.
    pub(crate) async fn value(&self, label: &str) -> String {
        self.find(Role::Field, label).await.prop("value").await.expect("a field").unwrap_or_default()
    }

    /// Waits for the element with this role and name.
    pub(crate) async fn find(&self, role: Role, name: &str) -> Element {
        until(&format!("the {role:?} {name:?}"), async || self.found(role, name).await).await
    }

    /// Waits for visible text. Upper and lower case count alike, because style sheets can change them.
    pub(crate) async fn shows(&self, text: &str) {
        until(&format!("the text {text:?}"), async || {
            let shown = self.try_text().await?;
            if shown.to_lowercase().contains(&text.to_lowercase()) { Ok(()) } else { Err(shown) }
        })
        .await;
    }

    /// Waits until this text is not visible.
    pub(crate) async fn hides(&self, text: &str) {
        until(&format!("the text {text:?} to be gone"), async || {
            let shown = self.try_text().await?;
            if shown.to_lowercase().contains(&text.to_lowercase()) { Err(shown) } else { Ok(()) }
        })
        .await;
    }

    /// Waits for a line of visible text that starts with this.
    pub(crate) async fn line(&self, start: &str) -> String {
        until(&format!("a line that starts with {start:?}"), async || {
            let shown = self.try_text().await?;
            shown.lines().map(str::trim).find(|line| line.starts_with(start)).map(str::to_owned).ok_or(shown)
        })
        .await
    }

    /// All visible text.
    pub(crate) async fn text(&self) -> String {
        until("the text of the page", async || self.try_text().await).await
    }

    /// Does something with an element, and tries again while the page changes or something covers the element.
    async fn act<E: std::fmt::Display>(
        &self,
        role: Role,
        name: &str,
        action: impl AsyncFn(Element) -> Result<(), E>,
    ) {
        until(&format!("the {role:?} {name:?} to be usable"), async || {
            action(self.found(role, name).await?).await.map_err(|error| error.to_string())
        })
        .await;
    }

    async fn try_text(&self) -> Result<String, String> {
        let script = "return (arguments[0] ?? document.body).innerText";
        let text =
            self.client.execute(script, vec![self.root().await?]).await.map_err(|error| error.to_string())?;
        text.as_str().map(str::to_owned).ok_or_else(|| "the page has no body".to_owned())
    }

    /// The element that this part of the page is; null for the whole page.
    async fn root(&self) -> Result<Value, String> {
        let mut root = Value::Null;
        for (role, name) in &self.within {
            root = json!(self.found_in(root, *role, name).await?);
        }
        Ok(root)
    }

    async fn found(&self, role: Role, name: &str) -> Result<Element, String> {
        let root = self.root().await?;
        self.found_in(root, role, name).await
    }

    /// The only element with this role and name in another one.
    async fn found_in(&self, root: Value, role: Role, name: &str) -> Result<Element, String> {
        let name = name.to_lowercase();
        let candidates = self.client.execute(CANDIDATES, vec![root, json!(name)]).await;
        let candidates = candidates.map_err(|error| error.to_string())?;
        let mut found = Vec::new();
        for candidate in candidates.as_array().into_iter().flatten() {
            let id = candidate
                .as_object()
                .and_then(|object| object.values().next()?.as_str())
                .expect("an element");
            let element = Element::from_element_id(self.client.clone(), ElementRef::from(id.to_owned()));
            // An element that is gone was replaced: the next try finds its successor.
            let (its_role, its_name) =
                role_and_name(self.client, &element).await.ok_or("the page is changing")?;
            if role.is(&its_role) && one_line(&its_name) == name {
                found.push(element);
            }
        }
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => Err(format!("there is none on this page:\n{}", self.whole_text().await)),
            several => Err(format!("there are {several}; name the part of the page")),
        }
    }

    async fn whole_text(&self) -> String {
        let text = self.client.execute("return document.body?.innerText", Vec::new()).await;
        text.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
