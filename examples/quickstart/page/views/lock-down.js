/**
 * Two links that take an account away from somebody else: the one in the mail to its previous address, and the one in a
 * notice. Programs open links, too, so nothing happens before somebody presses the button.
 */

import { call } from "../api.js";
import { go } from "../router.js";
import { onSubmit, say, sentence } from "../forms.js";
import { spoken } from "../language.js";
import { loadSession, session } from "../session.js";

const element = (id) => document.getElementById(id);

/** `#/revert?token=…` */
export function takeBack({ parameters }) {
  start(element("revert-form"), "web/auth/email/revert", parameters);
}

/** `#/secure?token=…` */
export function lockDown({ parameters }) {
  start(element("secure-form"), "web/auth/account/secure", parameters);
}

function start(form, path, parameters) {
  onSubmit(form, async () => {
    try {
      const { message } = await call("POST", path, { token: parameters.get("token") ?? "" });
      await done(spoken(message), "good");
    } catch (problem) {
      if (problem.code !== "email_taken") throw problem;
      const rest = " Your account was locked down all the same. It keeps the address that it has now.";
      await done([sentence(problem), rest], "bad");
    }
  });
  if (!parameters.has("token")) say(form, "This address has no link in it. Open the link of the mail.", "bad");
}

/** Every session of the account has ended, also one of this browser. */
async function done(message, tone) {
  await loadSession();
  go("/locked-down", message, tone);
}

/** `#/locked-down`: what the owner does after that. */
export function lockedDown() {
  const { account, outbox } = session;
  element("locked-down-outbox").hidden = !outbox;
  // A session that is still there is of another account, or began after the lock down.
  element("locked-down-login").hidden = Boolean(account);
  element("locked-down-session").hidden = !account;
  element("locked-down-account").textContent = account?.email ?? "";
}
