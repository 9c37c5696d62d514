//! How a page looks: pictures of it in light, in dark and on a phone.

use super::Browser;
use super::directory::artefact;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fantoccini::elements::Element;
use serde_json::{Value, json};
use std::fs;

/// A way to look at a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Look {
    Light,
    Dark,
    /// Light, as wide as a phone.
    Phone,
}

impl Look {
    pub(crate) const ALL: [Self; 3] = [Self::Light, Self::Dark, Self::Phone];

    const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
            Self::Phone => "phone",
        }
    }
}

impl Browser {
    pub(crate) async fn look(&self, look: Look) {
        let scheme = if look == Look::Dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", media).await;
        if look == Look::Phone {
            let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
            self.devtools("Emulation.setDeviceMetricsOverride", phone).await;
        } else {
            self.devtools("Emulation.clearDeviceMetricsOverride", json!({})).await;
        }
    }

    /// Saves a picture of the whole page, also of what is below the window, as `<name>-<look>.png` among the artefacts.
    pub(crate) async fn picture(&self, name: &str, look: Look) {
        if look != Look::Phone {
            // As high as the page, so that what is as high as the window reaches its end. Zero keeps the width.
            let height = self.script("return document.scrollingElement.scrollHeight", Vec::new()).await;
            let window = json!({ "width": 0, "height": height, "deviceScaleFactor": 0, "mobile": false });
            self.devtools("Emulation.setDeviceMetricsOverride", window).await;
        }
        fs::write(artefact(&format!("{name}-{}.png", look.name())), self.captured().await).expect("a file");
    }

    /// Saves a picture of a window of this width and height as `<name>.png` among the artefacts, with `scale` pixels for each of the
    /// window. Returns the picture.
    pub(crate) async fn window(&self, name: &str, (width, height): (u32, u32), scale: f64) -> Vec<u8> {
        let window = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", window).await;
        let picture = self.captured().await;
        fs::write(artefact(&format!("{name}.png")), &picture).expect("a file");
        picture
    }

    async fn captured(&self) -> Vec<u8> {
        // What has just got the focus may have scrolled the page.
        self.script("scrollTo(0, 0)", Vec::new()).await;
        let picture = self.devtools("Page.captureScreenshot", json!({ "captureBeyondViewport": true })).await;
        STANDARD.decode(picture["data"].as_str().expect("a picture")).expect("Base64")
    }

    /// The addresses of other origins that the page has loaded something from.
    pub(crate) async fn foreign_resources(&self) -> Vec<Value> {
        let script = "return performance.getEntriesByType('resource').map(({ name }) => name)
            .filter(name => !name.startsWith(location.origin + '/') && !name.startsWith('data:'))";
        self.script(script, Vec::new()).await.as_array().expect("a list").clone()
    }

    /// A picture of an element alone, three times as large as on the screen: what a camera near the screen sees.
    pub(crate) async fn close_up(&self, element: &Element) -> Vec<u8> {
        // Zero keeps the width and the height.
        let near = json!({ "width": 0, "height": 0, "deviceScaleFactor": 3, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", near).await;
        let picture = element.screenshot().await.expect("a picture");
        self.devtools("Emulation.clearDeviceMetricsOverride", json!({})).await;
        picture
    }

    /// Whether the page is wider than the screen, so that people must scroll sideways.
    pub(crate) async fn is_too_wide(&self) -> bool {
        let script = "const root = document.scrollingElement; return root.scrollWidth > root.clientWidth";
        self.script(script, Vec::new()).await == true
    }
}
