/** Name and address, and the verification of the address. */

import { call } from "../api.js";
import { go } from "../router.js";
import { onSubmit, say } from "../forms.js";
import { spoken } from "../language.js";
import { loadSession, mailed, session } from "../session.js";
import { address } from "./address.js";
import { deletion } from "./deletion.js";

export function profile() {
  const form = document.querySelector("#profile-form");
  const verification = document.querySelector("#verification-form");
  draw();

  if (form) {
    form.elements.name.value = session.account.name;
    // With the feature change-emails the form has no address: see `address.js`.
    if (form.elements.email) form.elements.email.value = session.account.email;
    if (form.elements.username) form.elements.username.value = session.account.username ?? "";
    onSubmit(form, async (values) => {
      const body = { email: session.account.email, ...values };
      const { message } = await call("PUT", "web/auth/user/profile-information", body);
      await loadSession();
      draw();
      return spoken(message);
    });
  }
  address();
  deletion();
  if (verification) {
    onSubmit(verification, async () => {
      const { message } = await call("POST", "web/auth/email/verification-notification");
      return mailed(message);
    });
  }
}

function draw() {
  const { name, email, emailVerified } = session.account;
  document.querySelector("#account-name").textContent = name;
  document.querySelector("#profile-address").textContent = email;
  const state = document.querySelector("#verification-state");
  if (!state) return;
  state.textContent = emailVerified ? "Verified" : "Not verified";
  state.classList.toggle("good", emailVerified);
  document.querySelector("#verification-address").textContent = email;
  document.querySelector("#verification-form").hidden = emailVerified;
}

/** `#/verify-email?id=…&hash=…&signature=…&expires=…`, for the user whose address it is. */
export function verifyEmail({ parameters }) {
  const form = document.querySelector("#verify-form");
  const part = (name) => encodeURIComponent(parameters.get(name) ?? "");
  const path = `web/auth/email/verify/${part("id")}/${part("hash")}`;
  onSubmit(form, async () => {
    const { message } = await call("GET", `${path}?signature=${part("signature")}&expires=${part("expires")}`);
    await loadSession();
    go("/profile", spoken(message));
  });
  if (parameters.has("signature")) form.requestSubmit();
  else say(form, "This address has no link in it. Open the link of the mail.", "bad");
}
