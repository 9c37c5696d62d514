/** Registration, login with its second step, and logout. */

import { Cancelled, Problem, call } from "../api.js";
import { enter, go } from "../router.js";
import { onSubmit, show } from "../forms.js";
import { answerChallenge, arePossible, beginSignIn, canAutofill, elsewhere, signIn, stopAsking } from "../passkeys.js";
import { isOn, read, session } from "../session.js";
import { drawElsewhere } from "./passkeys.js";
import { buttons } from "./providers.js";

const form = (id) => document.getElementById(id);

/** `#/login`, and `#/login?token=…` of the link in a mail. */
export function logIn({ parameters, signal }) {
  const token = parameters.get("token");
  if (token) return go(`/login-by-mail?token=${encodeURIComponent(token)}`);
  // One field for both: no user name has an @.
  if (isOn("usernames")) form("login-email").type = "text";
  onSubmit(form("login-form"), async ({ email, ...values }) => {
    const account = isOn("usernames") && email && !email.includes("@") ? { username: email } : { email };
    const { twoFactor } = await call("POST", "web/auth/login", { ...account, ...values });
    if (twoFactor) go("/two-factor-challenge");
    else await enter("You are logged in.");
  });
  if (isOn("passkeys")) passkey(signal);
  if (isOn("social-login")) buttons();
}

/** The button for a passkey, and passkeys among what the browser offers in the field of the address. */
function passkey(signal) {
  const place = form("passkey-login-form");
  place.hidden = !arePossible;
  if (!arePossible) return;
  const remember = () => form("login-remember").checked;
  const finish = async ({ twoFactor }) => {
    if (twoFactor) go("/two-factor-challenge");
    else await enter("You are signed in with a passkey.");
  };
  const offer = async () => {
    const begun = await beginSignIn();
    if (signal.aborted) return;
    drawElsewhere("passkey-login", begun.options.rpId);
    if (elsewhere(begun.options.rpId) || !await canAutofill()) return;
    await finish(await signIn(begun, { autofill: true, remember }));
  };
  const offerAgain = () => offer().catch((problem) => {
    // What the user does not want at the moment is no error.
    if (problem instanceof Cancelled || signal.aborted) return;
    show(place, problem);
    // The passkey is not known any more, or the page was open for longer than an hour: the user can choose again.
    if (["unknown_passkey", "invalid_flow_token"].includes(problem.code)) offerAgain();
  });
  signal.addEventListener("abort", stopAsking);
  onSubmit(place, async () => {
    try {
      await finish(await signIn(await beginSignIn(), { remember }));
    } catch (problem) {
      if (!signal.aborted) offerAgain();
      throw problem;
    }
  });
  offerAgain();
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
  const trust = form("challenge-trust");
  const change = form("challenge-switch");
  change.addEventListener("click", () => {
    withCode.hidden = !withCode.hidden;
    withRecoveryCode.hidden = !withCode.hidden;
    // A recovery code makes no device trusted.
    if (trust) trust.hidden = withCode.hidden;
    change.textContent = withCode.hidden ? "Use a code of the app" : "Use a recovery code";
    (withCode.hidden ? withRecoveryCode : withCode).querySelector("input").focus();
  });
  const withPasskey = form("challenge-passkey");
  if (withPasskey) withPasskey.hidden = !arePossible;
  // After a provider's callback the page has not seen the first step, so it asks what the user can prove.
  if (isOn("social-login")) {
    read("web/auth/two-factor-challenge").then(({ methods }) => {
      if (withPasskey) withPasskey.hidden ||= !methods.includes("passkey");
      change.hidden = !methods.includes("recovery_code");
    }, (problem) => {
      if (problem.status === 401 && change.isConnected) expired();
    });
  }
  onSubmit(form("challenge-form"), async (values, button) => {
    // Apps show a code as 123 456.
    if (values.code) values.code = values.code.replaceAll(" ", "");
    try {
      if (button === withPasskey) await answerChallenge(values.trustDevice);
      else await call("POST", "web/auth/two-factor-challenge", values);
    } catch (problem) {
      if (problem.code === "not_found") throw new Problem({ detail: "This account has no passkey." });
      if (problem.code !== "invalid_challenge_token") throw problem;
      return expired();
    }
    await enter("You are logged in.");
  });
}

function expired() {
  go("/login", "The first step of the login has expired. Log in again.", "bad");
}

export function logOut(button) {
  onSubmit(button, async () => {
    await call("POST", "web/auth/logout");
    session.account = null;
    go("/login", "You are logged out.");
  });
}
