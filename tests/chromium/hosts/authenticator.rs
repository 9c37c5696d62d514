//! An authenticator app with a camera. The codes are those of the app in the quickstart's tests (RFC 6238).

#[path = "../../../examples/quickstart/tests/quickstart/authenticator.rs"]
mod app;

use crate::browser::Browser;
use fantoccini::elements::Element;
use png::{ColorType, Decoder};
use std::io::Cursor;
use url::Url;

/// An app that was set up with one secret.
pub(crate) struct Authenticator {
    secret: String,
    account: String,
}

impl Authenticator {
    /// Scans the QR code that is on the screen.
    pub(crate) async fn scan(browser: &Browser, picture: &Element) -> Self {
        let text = read(&browser.close_up(picture).await);
        let url = Url::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((url.scheme(), url.host_str()), ("otpauth", Some("totp")), "{text}");
        let parameter =
            |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        Self { secret: parameter("secret").expect("a secret"), account: url.path().to_owned() }
    }

    /// The secret, as people type it into an app without a camera.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    /// What the app shows as the name of the account, percent-encoded.
    pub(crate) fn account(&self) -> &str {
        &self.account
    }

    /// The code that the app shows now.
    pub(crate) fn code(&self) -> String {
        app::code(&self.secret, 0)
    }

    /// The next code. The module accepts each code once, and also the one of the following 30 seconds.
    pub(crate) fn next_code(&self) -> String {
        app::code(&self.secret, 1)
    }

    /// A code that the app does not show.
    pub(crate) fn wrong_code(&self) -> String {
        app::wrong_code(&self.secret)
    }
}

/// The recovery codes in the text of a page.
pub(crate) fn recovery_codes(text: &str) -> Vec<String> {
    let is_code = |word: &&str| word.len() == 21 && word.as_bytes()[10] == b'-';
    text.split_whitespace().filter(is_code).map(str::to_owned).collect()
}

/// The text of the only QR code in a picture.
fn read(png: &[u8]) -> String {
    let mut reader = Decoder::new(Cursor::new(png)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut pixels).expect("a picture");
    let samples = match info.color_type {
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
        other => panic!("Chromium's pictures have colours: {other:?}"),
    };
    let (width, height) = (info.width as usize, info.height as usize);
    let mut picture = rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| {
        pixels[y * info.line_size + x * samples]
    });
    let codes = picture.detect_grids();
    assert_eq!(codes.len(), 1, "one QR code is expected");
    codes[0].decode().expect("a QR code that can be read").1
}
