"""What schemathesis cannot know of the quickstart: how a user logs in.

Every request comes from a client of its own, so that no limit of clients is reached; a new account is made when the session
has ended, or the password is not confirmed any more.
"""

import itertools
import os

import requests
import schemathesis

ADDRESS = os.environ["QUICKSTART"]
PASSWORD = "correct horse battery"
SESSION_COOKIE = "__Host-Http-auth"
CHALLENGE_COOKIE = "__Host-Http-auth-challenge"

clients = itertools.count(1)
accounts = itertools.count(1)


def client():
    """The address of a client that nobody else has."""
    number = next(clients)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def send(method, path, headers=None, **more):
    headers = {"X-Forwarded-For": client(), "Origin": ADDRESS, **(headers or {})}
    return requests.request(method, ADDRESS + path, headers=headers, timeout=30, **more)


class Session:
    """A session on one of the routers, with a confirmed password."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.headers = {}

    def is_usable(self):
        if not self.headers:
            return False
        status = send("GET", self.prefix + "/user/confirmed-password-status", self.headers)
        return status.status_code == 200 and status.json()["confirmed"]

    def keep(self, response):
        """Takes the credential that a response has."""
        cookie = response.cookies.get(SESSION_COOKIE)
        if cookie:
            self.headers = {"Cookie": f"{SESSION_COOKIE}={cookie}"}
        elif "accessToken" in response.json():
            self.headers = {"Authorization": "Bearer " + response.json()["accessToken"]}

    def start(self):
        account = {
            "name": "Ada",
            "email": f"ada-{os.getpid()}-{next(accounts)}@example.com",
            "password": PASSWORD,
            "passwordConfirmation": PASSWORD,
        }
        registered = send("POST", self.prefix + "/register", json=account)
        assert registered.status_code == 201, registered.text
        self.keep(registered)
        confirmed = send("POST", self.prefix + "/user/confirm-password", self.headers, json={"password": PASSWORD})
        assert confirmed.status_code == 200, confirmed.text
        self.keep(confirmed)


class Login:
    """Logs in on a router. schemathesis asks it for each request that needs a credential."""

    prefix = ""

    def __init__(self):
        self.session = Session(self.prefix)

    def get(self, case, context):
        if not self.session.is_usable():
            self.session.start()
        return self.session.headers

    def set(self, case, headers, context):
        case.headers.update(headers)


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/auth/")
class Bearer(Login):
    prefix = "/auth"


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/web/auth/")
class Browser(Login):
    prefix = "/web/auth"

    def set(self, case, headers, context):
        super().set(case, headers, context)
        case.headers["Origin"] = ADDRESS


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["X-Forwarded-For"] = client()


@schemathesis.hook
def map_body(context, body):
    """Makes more valid bodies that are accepted: the repetition of a password is that password, and the current one is right.

    A text that is no password stays as it is, because its request must be refused.
    """
    if isinstance(body, dict):
        if is_text(body.get("password"), 8, 72) and is_text(body.get("passwordConfirmation"), 8, 72):
            body["passwordConfirmation"] = body["password"]
        if is_text(body.get("currentPassword"), 1, 1000):
            body["currentPassword"] = PASSWORD
    return body


def is_text(value, least, most):
    return isinstance(value, str) and least <= len(value) <= most
