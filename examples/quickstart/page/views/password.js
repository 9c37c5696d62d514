/** A new password, and whether the password was confirmed recently. */

import { call, confirm } from "../api.js";
import { onSubmit, show } from "../forms.js";
import { spoken } from "../language.js";
import { read, session } from "../session.js";

export function password() {
  const form = document.querySelector("#password-form");
  if (form) {
    form.elements.username.value = session.account.email;
    onSubmit(form, async (values) => {
      const { message } = await call("PUT", "web/auth/user/password", values);
      form.reset();
      return spoken(message);
    });
  }
  const confirmation = document.querySelector("#confirmation-form");
  onSubmit(confirmation, async () => {
    await confirm(methods);
    await draw();
    return "You have confirmed that it is you.";
  });
  draw().catch((problem) => show(confirmation, problem));
}

/** With what the user can confirm. */
let methods = ["password"];

async function draw() {
  const status = await read("web/auth/user/confirmed-password-status");
  const { confirmed } = status;
  ({ methods } = status);
  const state = document.querySelector("#confirmation-state");
  if (!state) return;
  state.textContent = confirmed ? "Confirmed" : "Not confirmed";
  state.classList.toggle("good", confirmed);
}
