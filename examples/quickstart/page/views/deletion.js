/** Deleting the account, and keeping it after all. Programs open links, too, so nothing happens before somebody presses a button. */

import { call } from "../api.js";
import { enter, go } from "../router.js";
import { onSubmit, say } from "../forms.js";
import { spoken } from "../language.js";
import { session } from "../session.js";

const element = (id) => document.getElementById(id);

/** The section of the profile, if the feature is on. */
export function deletion() {
  const form = element("deletion-form");
  if (!form) return;
  onSubmit(form, async () => {
    const { message, deletesAt } = await call("DELETE", "web/auth/user");
    session.account = null;
    go("/login", [spoken(message), ` It will be deleted on ${shown(deletesAt)}.`]);
  });
}

/** `#/keep?until=…`, after a sign-in to an account that is going to be deleted. What restores the account is in a cookie. */
export function keep({ parameters }) {
  const until = parameters.get("until") ?? "";
  element("keep-until").dateTime = until;
  element("keep-until").textContent = shown(until);
  onSubmit(element("keep-form"), async () => {
    try {
      await call("POST", "web/auth/user/restore");
    } catch (problem) {
      if (!["invalid_mail_token", "expired_mail_token"].includes(problem.code)) throw problem;
      return go("/login", "Too much time has passed since you signed in. Sign in once more.", "bad");
    }
    await enter("Your account stays, and you are logged in.");
  });
}

/** `#/restore?token=…`, the link of the mail. */
export function restore({ parameters }) {
  const form = element("restore-form");
  onSubmit(form, async () => {
    const { message } = await call("POST", "web/auth/user/restore", { restoreToken: parameters.get("token") ?? "" });
    go(session.account ? "/profile" : "/login", spoken(message));
  });
  if (!parameters.has("token")) say(form, "This address has no link in it. Open the link of the mail.", "bad");
}

/** A time for people. */
function shown(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "the date that the mail says" : date.toLocaleString();
}
