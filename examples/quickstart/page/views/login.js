/** Registration, login with its second step, and logout. */

import { call } from "../api.js";
import { enter, go } from "../router.js";
import { onSubmit } from "../forms.js";
import { session } from "../session.js";

const form = (id) => document.getElementById(id);

/** `#/login`, and `#/login?token=…` of the link in a mail. */
export function logIn({ parameters }) {
  const token = parameters.get("token");
  if (token) return go(`/login-by-mail?token=${encodeURIComponent(token)}`);
  onSubmit(form("login-form"), async (values) => {
    const { twoFactor } = await call("POST", "web/auth/login", values);
    if (twoFactor) go("/two-factor-challenge");
    else await enter("You are logged in.");
  });
}

export function register() {
  onSubmit(form("register-form"), async (values) => {
    await call("POST", "web/auth/register", values);
    await enter("Your account exists, and you are logged in.");
  });
}

/** The second step of a login: a code of the app, or a recovery code. Its challenge is in a cookie. */
export function challenge() {
  const withCode = form("challenge-with-code");
  const withRecoveryCode = form("challenge-with-recovery-code");
  const change = form("challenge-switch");
  change.addEventListener("click", () => {
    withCode.hidden = !withCode.hidden;
    withRecoveryCode.hidden = !withCode.hidden;
    change.textContent = withCode.hidden ? "Use a code of the app" : "Use a recovery code";
    (withCode.hidden ? withRecoveryCode : withCode).querySelector("input").focus();
  });
  onSubmit(form("challenge-form"), async (values) => {
    // Apps show a code as 123 456.
    if (values.code) values.code = values.code.replaceAll(" ", "");
    try {
      await call("POST", "web/auth/two-factor-challenge", values);
    } catch (problem) {
      if (problem.code !== "invalid_challenge_token") throw problem;
      return go("/login", "The first step of the login has expired. Log in again.", "bad");
    }
    await enter("You are logged in.");
  });
}

export function logOut(button) {
  onSubmit(button, async () => {
    await call("POST", "web/auth/logout");
    session.account = null;
    go("/login", "You are logged out.");
  });
}
