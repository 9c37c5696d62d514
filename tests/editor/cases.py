"""The hosts for rust-analyzer. A dollar sign is the cursor."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

HOST = """use axum_auth_module::testing::{{self, MemoryPasswordResets, MemoryUsers}};
use axum_auth_module::{{AuthModule, AuthUser, InResponse, StandardActions, auth_module}};
use axum_auth_module::config::ConfigError;
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
pub struct Account {{
    pub id: i64,
    {attribute}
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<SystemTime>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<SystemTime>,
    pub password_confirmed_at: Option<SystemTime>,
}}

pub struct Settings {{
    pub size: usize,
    pub users: MemoryUsers<Account>,
}}

/// Makes users of the host's own.
pub fn make_users(settings: &Settings) -> MemoryUsers<Account> {{
    settings.users.clone()
}}

pub fn host(settings: Settings) -> Result<AuthModule<Account>, ConfigError> {{
    Ok(auth_module! {{
{body}
    }})
}}

fn main() {{}}

{more}
"""


def host(body, attribute="", more=""):
    """A host whose module is this, with this attribute in its user record, and with more items at its end."""
    return HOST.format(body=body, attribute=attribute, more=more)


@dataclass
class Case:
    name: str
    # The request: `hover`, `completion` or `definition`.
    asks: str
    body: str
    # A check of the response for each cursor.
    expected: list[Callable]
    attribute: str = ""
    more: str = ""


def says(*texts):
    """The documentation at each cursor contains the text for it."""
    return [lambda answer, text=text: text in answer for text in texts]


def proposes(*words):
    """These are proposed and no others."""
    return [lambda answer: sorted(answer) == sorted(words)]


def proposes_among_others(*words):
    return [lambda answer: set(words) <= set(answer)]


def proposes_and_hides(shown, *hidden):
    """The first begins a proposal, the others begin none: they are there for generated code alone."""
    begins = lambda answer, word: any(label.removeprefix("fn ").startswith(word) for label in answer)
    return [lambda answer: begins(answer, shown) and not any(begins(answer, word) for word in hidden)]


def leads_to(*files):
    """The definition is in this file, at each cursor."""
    return [lambda answer, file=file: answer == [file] for file in files]


MACROS = Path(__file__).resolve().parents[2] / "auth-macros" / "src"


def words():
    """The words of the catalog: those of the features, and those of the providers by their place."""
    text = (MACROS / "catalog" / "mod.rs").read_text()
    features = re.findall(r'FeatureRow \{\s*word: "(\w+)"', text)
    providers = {"Own": [], "Actions": re.findall(r'\baction\(\s*"(\w+)"', text), "Delivery": []}
    for word, place in re.findall(r'\bProvider \{\s*word: "(\w+)".*?place: Place::(\w+)', text, re.DOTALL):
        providers[place].append(word)
    return features, providers


def roles():
    """The words of `#[auth(…)]`, from their table. The words of some are constants there."""
    text = (MACROS / "auth_user" / "role.rs").read_text()
    constants = dict(re.findall(r'const (\w+): &str = "(\w+)";', text))
    return [constants.get(word, word) for word in re.findall(r'\brole\(\s*"?(\w+)"?,', text)]


FEATURES, PROVIDERS = words()
ACTIONS, DELIVERIES = PROVIDERS["Actions"], PROVIDERS["Delivery"]
KEYS = ["actions", "config", "delivery", "deployment", "events", "features", "messages", "password_verifier", "policy", "realm", "store", "user_repo", *PROVIDERS["Own"]]

ROLES = roles()

# A trait of the host's providers, the start of an `impl`, and a method that a host writes.
TRAITS = [
    ("repository::UserRepository", "", "find_by_id"),
    ("repository::PasswordResetRepository", "", "create_token"),
    ("repository::SessionRepository", "", "create"),
    ("store::EphemeralStore", "", "get"),
    ("events::EventSink", "", "handle"),
    ("passwords::PasswordVerifier", "", "verify"),
    ("policy::Policy", "<Account>", "allows_login"),
    ("delivery::Delivers", "<axum_auth_module::delivery::PasswordResetMessage>", "deliver"),
    ("actions::CreatesNewUsers", "<Account>", "create"),
    ("actions::ResetsUserPasswords", "<Account>", "reset"),
    ("actions::UpdatesUserPasswords", "<Account>", "update"),
    ("actions::UpdatesUserProfile", "<Account>", "update"),
]

CASES = [
    *(
        Case(
            f"an impl of {name} is completed with its methods", "completion", "", proposes_and_hides(method, "provided"),
            more=f"struct Own;\nimpl axum_auth_module::{name}{generics} for Own {{\n    fn $\n}}",
        )
        for name, generics, method in TRAITS
    ),
    *(
        Case(
            f"a path into {name} is completed with its methods", "completion", "", proposes_and_hides(method, "provided"),
            more=f"fn path() {{ axum_auth_module::{name}::{generics and '<Account>::'}$ }}",
        )
        for name, generics, method in TRAITS if "Delivers" not in name
    ),
    Case(
        "a module is completed with its methods", "completion", "", proposes_and_hides("router", "middleware"),
        more="fn page(auth: &AuthModule<Account>) { auth.$ }",
    ),
    Case(
        "a builder is completed with its methods", "completion", "", proposes_and_hides("build", "build_checked"),
        more="fn page(builder: axum_auth_module::AuthModuleBuilder<Account>) { builder.$ }",
    ),
    Case(
        "a value in the macro is completed with its own methods", "completion",
        "config: testing::config().build()?,\n features: [],\n user_repo: make_users(&settings).$",
        proposes_and_hides("clone", "passed_to"),
    ),
    Case(
        "the macro's functions are in no module", "completion", "", proposes_and_hides("AuthModule", "expected", "private"),
        more="use axum_auth_module::$;",
    ),
    Case("a role says what it is", "hover", "", says("The user's name."), "#[auth($name)]"),
    Case("a role is completed", "completion", "", proposes(*ROLES), "#[auth(na$)]"),
    Case(
        "every word says what it is", "hover",
        """$config: testing::config().build()?,
        $features: [$REGISTRATION],
        $user_repo: $make_users(&settings),
        $actions: { $CreatesNewUsers: $StandardActions },
        $events: axum_auth_module::events::EventChannel::new($settings.size),
        $deployment: $one,""",
        says(
            "secrets and options", "The features of the module", "POST /register", "Where the host stores its users",
            "of the host's own", "business rules", "Creates a user", "as most hosts would",
            "Where the module's events go", "Settings", "How many instances", "runs once",
        ),
    ),
    Case(
        "the value for the providers that are not named says what it is", "hover",
        """config: testing::config().build()?,
        features: [REGISTRATION, UPDATE_PASSWORDS],
        user_repo: make_users(&settings),
        actions: { $CreatesNewUsers: $StandardActions, ..$StandardActions },""",
        says("Creates a user", "as most hosts would", "as most hosts would"),
    ),
    Case(
        "the value for the providers that are not named is completed", "completion",
        """config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: make_users(&settings),
        actions: { ..Standard$ },""",
        proposes_among_others("StandardActions"),
    ),
    Case(
        "an action is completed before the value for the others", "completion",
        "features: [REGISTRATION],\n user_repo: make_users(&settings),\n actions: { Cre$, ..StandardActions }",
        proposes(*ACTIONS),
    ),
    Case(
        "so it does where providers are missing", "hover",
        """config: testing::config().build()?,
        features: [REGISTRATION, $RESET_PASSWORDS],
        user_repo: $make_users(&settings),
        delivery: { $PasswordReset: $InResponse },""",
        says("POST /reset-password", "of the host's own", "A reset token for its user", "Puts messages"),
    ),
    Case(
        "so it does in values that go nowhere", "hover",
        """config: testing::config().build()?,
        features: [],
        user_repo: make_users(&settings),
        theme: $make_users(&settings),
        actions: { CreatesNewUsers: $StandardActions },
        user_repo: $make_users(&settings),""",
        says("of the host's own", "as most hosts would", "of the host's own"),
    ),
    Case(
        "a name in a value leads to it", "definition",
        """config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: $make_users(&settings),
        theme: $make_users(&settings),""",
        leads_to("main.rs", "main.rs"),
    ),
    Case(
        "a field is completed in the last value", "completion",
        "config: testing::config().build()?,\n features: [REGISTRATION],\n user_repo: settings.$",
        proposes_among_others("size", "users"),
    ),
    Case(
        "a field is completed in the middle", "completion",
        "config: testing::config().build()?,\n user_repo: settings.$,\n features: [REGISTRATION],",
        proposes_among_others("size", "users"),
    ),
    Case(
        "a function is completed", "completion",
        "config: testing::config().build()?,\n user_repo: make$,\n features: [REGISTRATION],",
        proposes_among_others("make_users"),
    ),
    Case(
        "a feature is completed", "completion",
        "config: testing::config().build()?,\n features: [UPDATE_PASSWORDS, REG$],\n user_repo: make_users(&settings)",
        proposes(*FEATURES),
    ),
    Case(
        "a key is completed before its colon", "completion",
        "config: testing::config().build()?,\n feat$: [],\n user_repo: make_users(&settings)",
        proposes(*KEYS),
    ),
    Case(
        "a key is completed before the next", "completion",
        "config: testing::config().build()?,\n feat$\n user_repo: make_users(&settings)",
        proposes(*KEYS),
    ),
    Case(
        "a key is completed at the end", "completion",
        "config: testing::config().build()?,\n user_repo: make_users(&settings),\n feat$",
        proposes(*KEYS),
    ),
    Case(
        "an action is completed", "completion",
        "features: [REGISTRATION],\n user_repo: make_users(&settings),\n actions: { Cre$ }",
        proposes(*ACTIONS),
    ),
    Case(
        "an action is completed before its value", "completion",
        "features: [REGISTRATION],\n user_repo: make_users(&settings),\n actions: { Cre$: StandardActions }",
        proposes(*ACTIONS),
    ),
    Case(
        "a delivery is completed", "completion",
        "features: [RESET_PASSWORDS],\n user_repo: make_users(&settings),\n delivery: { Pass$: InResponse }",
        proposes(*DELIVERIES),
    ),
    Case(
        "a deployment is completed", "completion",
        "features: [],\n deployment: ma$,\n user_repo: make_users(&settings)",
        proposes("many", "one"),
    ),
]
