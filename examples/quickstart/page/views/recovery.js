/** A forgotten password and an invitation: the mail, and the new password that its link leads to. */

import { call } from "../api.js";
import { go } from "../router.js";
import { onSubmit } from "../forms.js";
import { spoken } from "../language.js";
import { loadSession, mailed } from "../session.js";

export function forgotPassword() {
  onSubmit(document.querySelector("#forgot-form"), async (values) => {
    const { message } = await call("POST", "web/auth/forgot-password", values);
    return mailed(message);
  });
}

/** `#/reset-password?email=…&token=…` */
export function resetPassword({ parameters }) {
  const form = document.querySelector("#reset-form");
  form.elements.email.value = parameters.get("email") ?? "";
  onSubmit(form, async (values) => {
    await call("POST", "web/auth/reset-password", { ...values, token: parameters.get("token") ?? "" });
    // Every session of the account has ended, also one of this browser.
    await loadSession();
    go("/login", "The password has been set. Log in with it.");
  });
}

/** `#/invitation?token=…` */
export function acceptInvitation({ parameters }) {
  onSubmit(document.querySelector("#invitation-form"), async (values) => {
    const token = parameters.get("token") ?? "";
    const { message } = await call("POST", "web/auth/invitation/accept", { ...values, token });
    // Every session of the account has ended, also one of this browser.
    await loadSession();
    go("/login", spoken(message));
  });
}
