//! What became of a flow, in the same words on both routers: a JSON response, or where the browser is sent.

use super::visitor::{FLOW, Flow, LINK, Purpose, REGISTRATION};
use crate::support::Tokens;
use crate::support::answer::Answer;
use crate::support::cookies::{SetCookie, jwts};
use crate::support::routers::{CHALLENGE_COOKIE, SESSION_COOKIE};
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

/// A response to a browser that was sent here by a provider.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) status: u16,
    pub(super) location: Option<String>,
    pub(super) headers: HeaderMap,
    pub(super) cookies: Vec<SetCookie>,
    pub(super) text: String,
}

impl Page {
    /// The promises of every such response are kept.
    pub(super) async fn read(response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        let lines = headers.get_all("set-cookie").iter();
        let cookies: Vec<_> = lines.map(|line| SetCookie::parse(line.to_str().unwrap())).collect();
        let location = header("location");
        assert_eq!(header("cache-control").as_deref(), Some("no-store"), "{headers:?}");
        assert_eq!(header("x-content-type-options").as_deref(), Some("nosniff"), "{headers:?}");
        if status < 400 {
            assert_eq!(header("referrer-policy").as_deref(), Some("no-referrer"), "{headers:?}");
        }
        for cookie in &cookies {
            cookie.keeps_the_promises();
            let promised = if cookie.name == REGISTRATION { 1800 } else { 600 };
            if cookie.name.starts_with(FLOW) || [LINK, REGISTRATION].contains(&&*cookie.name) {
                assert!(matches!(cookie.max_age(), Some(age) if age == 0 || age == promised), "{cookie:?}");
            }
        }
        let text = response.text().await.unwrap();
        for shown in [location.as_deref().unwrap_or_default(), &text] {
            assert!(
                jwts(shown).is_empty() && !shown.contains("fl1.") && !shown.contains("canary"),
                "{shown}"
            );
        }
        Self { status, location, headers, cookies, text }
    }

    /// The value of a cookie that the page sets.
    pub(super) fn cookie(&self, name: &str) -> Option<String> {
        let mut set = self.cookies.iter().filter(|cookie| cookie.name == name && !cookie.is_expired());
        set.next().map(|cookie| cookie.value.clone())
    }

    pub(super) fn expires(&self, name: &str) -> bool {
        self.cookies.iter().any(|cookie| cookie.name == name && cookie.is_expired())
    }

    /// The page, if it is a redirect to this place.
    #[track_caller]
    pub(super) fn sent_to(self, place: &str) -> Self {
        assert_eq!((self.status, self.location.as_deref()), (303, Some(place)), "{}", self.text);
        self
    }

    /// The page, if it is a redirect to this place with this error. Nobody is signed in.
    #[track_caller]
    pub(super) fn refused(self, place: &str, code: &str) -> Self {
        let page = self.sent_to(&format!("{place}?error={code}"));
        let live: Vec<_> = page.cookies.iter().filter(|cookie| !cookie.is_expired()).collect();
        assert!(live.iter().all(|cookie| cookie.name == LINK && code == "account_exists"), "{live:?}");
        page
    }
}

pub(super) struct Outcome {
    seen: Seen,
    purpose: Purpose,
    next: String,
    cookie: String,
}

enum Seen {
    Answer(Box<Answer>),
    Page(Page),
}

impl Outcome {
    pub(super) fn of_answer(answer: Answer, flow: &Flow) -> Self {
        Self::new(Seen::Answer(Box::new(answer)), flow)
    }

    pub(super) fn of_page(page: Page, flow: &Flow) -> Self {
        Self::new(Seen::Page(page), flow)
    }

    fn new(seen: Seen, flow: &Flow) -> Self {
        Self { seen, purpose: flow.purpose, next: flow.next.clone(), cookie: flow.cookie() }
    }

    /// Whether it did what the flow is for, and needs no other step.
    pub(super) fn is_success(&self) -> bool {
        match &self.seen {
            Seen::Answer(answer) => matches!(answer.status, 200 | 201),
            Seen::Page(page) => page.location.as_ref() == Some(&self.next),
        }
    }

    /// What there is to say in a message.
    pub(super) fn text(&self) -> String {
        match &self.seen {
            Seen::Answer(answer) => format!("{} {}", answer.status, answer.text),
            Seen::Page(page) => format!("{} {:?}", page.status, page.location),
        }
    }

    /// The response of the bearer router.
    pub(super) fn answer(&self) -> Option<&Answer> {
        match &self.seen {
            Seen::Answer(answer) => Some(answer),
            Seen::Page(_) => None,
        }
    }

    /// The response of the browser router.
    pub(super) fn page(&self) -> Option<&Page> {
        match &self.seen {
            Seen::Answer(_) => None,
            Seen::Page(page) => Some(page),
        }
    }

    #[track_caller]
    fn session(self, status: u16) -> Tokens {
        match self.seen {
            Seen::Answer(answer) => answer.expect(status).tokens(),
            Seen::Page(page) => {
                let page = page.sent_to(&self.next);
                assert!(page.expires(&self.cookie), "a flow cookie that was used: {:?}", page.cookies);
                let access = page.cookie(SESSION_COOKIE).expect("a session cookie");
                Tokens { access, refresh: String::new() }
            }
        }
    }

    /// A session of an account that was there.
    #[track_caller]
    pub(super) fn signed_in(self) -> Tokens {
        self.session(200)
    }

    /// A session of a new account.
    #[track_caller]
    pub(super) fn registered(self) -> Tokens {
        self.session(201)
    }

    /// The challenge of a second factor.
    #[track_caller]
    pub(super) fn challenged(self) -> String {
        match self.seen {
            Seen::Answer(answer) => answer.expect(200).challenge().expect("a challenge"),
            Seen::Page(page) => {
                let page = page.sent_to("/two-factor");
                assert!(page.cookie(SESSION_COOKIE).is_none());
                page.cookie(CHALLENGE_COOKIE).expect("a challenge cookie")
            }
        }
    }

    /// A sign-in to an account that is going to be deleted: the body with which its user keeps it.
    #[track_caller]
    pub(super) fn held_back(self) -> Value {
        match self.seen {
            Seen::Answer(answer) => {
                let answer = answer.refused(403, "account_pending_deletion");
                json!({ "restoreToken": answer.body["restoreToken"] })
            }
            Seen::Page(page) => {
                let location = page.location.as_deref().expect("a place");
                let (place, at) = location.split_once("&deletesAt=").expect("a time");
                assert_eq!((page.status, place), (303, "/login?error=account_pending_deletion"));
                assert!(!at.contains('&') && at.ends_with('Z'), "{at}");
                assert!(page.cookie(SESSION_COOKIE).is_none() && page.cookie(CHALLENGE_COOKIE).is_some());
                json!({})
            }
        }
    }

    /// The token of the registration step, which a browser has in a cookie.
    #[track_caller]
    pub(super) fn asked_to_register(self) -> String {
        match self.seen {
            Seen::Answer(answer) => {
                let answer = answer.expect(200);
                let expected = ["email", "expiresIn", "name", "registration", "registrationToken"];
                assert_eq!(answer.members(), expected);
                assert_eq!(
                    (&answer.body["registration"], &answer.body["expiresIn"]),
                    (&true.into(), &1800.into())
                );
                answer.body["registrationToken"].as_str().unwrap().to_owned()
            }
            Seen::Page(page) => page.sent_to("/welcome").cookie(REGISTRATION).expect("a registration cookie"),
        }
    }

    /// The token with which the owner of the account links the identity, which a browser has in a cookie.
    #[track_caller]
    pub(super) fn account_exists(self) -> String {
        match self.seen {
            Seen::Answer(answer) => {
                let answer = answer.refused(409, "account_exists");
                answer.body["linkToken"].as_str().expect("a link token").to_owned()
            }
            Seen::Page(page) => page.refused("/login", "account_exists").cookie(LINK).expect("a link cookie"),
        }
    }

    /// An identity of the session's user.
    #[track_caller]
    pub(super) fn linked(self, status: u16) {
        assert_eq!(self.purpose, Purpose::Link);
        match self.seen {
            Seen::Answer(answer) => drop(answer.expect(status)),
            Seen::Page(page) => drop(page.sent_to(&self.next)),
        }
    }

    /// A confirmation, and the session as it goes on.
    #[track_caller]
    pub(super) fn confirmed(self, tokens: &Tokens) -> Tokens {
        assert_eq!(self.purpose, Purpose::Confirm);
        match self.seen {
            Seen::Answer(answer) => {
                assert_eq!(answer.expect(200).body, serde_json::json!({ "confirmed": true }));
                tokens.clone()
            }
            Seen::Page(_) => self.session(200),
        }
    }

    /// This problem, which a browser has in the query of a page: the login page, or the one from which it came.
    #[track_caller]
    pub(super) fn refused(self, status: u16, code: &str) -> Self {
        let (purpose, next, cookie) = (self.purpose, self.next, self.cookie);
        let seen = match self.seen {
            Seen::Answer(answer) => {
                let answer = answer.refused(status, code);
                assert!(!answer.has_credentials() || code == "account_exists");
                if code == "provider_unavailable" {
                    assert_eq!(answer.header("retry-after"), Some("5"));
                }
                Seen::Answer(Box::new(answer))
            }
            Seen::Page(page) => {
                let place = if purpose == Purpose::SignIn { "/login" } else { &next };
                Seen::Page(page.refused(place, code))
            }
        };
        Self { seen, purpose, next, cookie }
    }
}
