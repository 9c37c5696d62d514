/** Another e-mail address: the section of the profile that asks for it, and the view that the mail's link opens. */

import { call } from "../api.js";
import { go } from "../router.js";
import { onSubmit, say, show } from "../forms.js";
import { spoken } from "../language.js";
import { loadSession, mailed, read, session } from "../session.js";

const element = (id) => document.getElementById(id);

/** The section of the profile, if the feature is on. */
export function address() {
  const [form, pending] = [element("address-form"), element("address-pending")];
  if (!form) return;
  onSubmit(form, async (values) => {
    const { message } = await call("POST", "web/auth/user/email-change", values);
    form.reset();
    await draw();
    return mailed(message);
  });
  onSubmit(pending, async () => {
    const { message } = await call("DELETE", "web/auth/user/email-change");
    await draw();
    // The button is gone.
    element("address-heading")?.focus();
    say(form, spoken(message), "good");
  });
  draw().catch((problem) => show(form, problem));
}

/** Shows the change that the user has asked for and not confirmed yet. */
async function draw() {
  const { pending } = await read("web/auth/user/email-change");
  const place = element("address-pending");
  if (!place) return;
  place.hidden = !pending;
  if (!pending) return;
  element("address-wanted").textContent = pending.email;
  element("address-until").dateTime = pending.expiresAt;
  element("address-until").textContent = new Date(pending.expiresAt).toLocaleString();
}

/** `#/email-change?token=…`, for the user who has asked. Programs open links, too, so it waits for the button. */
export function confirmAddress({ parameters }) {
  const form = element("email-change-form");
  element("email-change-now").textContent = session.account.email;
  onSubmit(form, async () => {
    const token = parameters.get("token") ?? "";
    const { message } = await call("POST", "web/auth/user/email-change/confirm", { token });
    await loadSession();
    go("/profile", spoken(message));
  });
  if (!parameters.has("token")) say(form, "This address has no link in it. Open the link of the mail.", "bad");
  drawWanted().catch((problem) => show(form, problem));
}

/** Shows which address the user has asked for. */
async function drawWanted() {
  const { pending } = await read("web/auth/user/email-change");
  if (!pending || !element("email-change-asked")) return;
  element("email-change-wanted").textContent = pending.email;
  element("email-change-asked").hidden = false;
}
