/** Providers: the buttons of the login, the steps after the callback, and the user's identities. */

import { Problem, call } from "../api.js";
import { ask } from "../dialogs.js";
import { onSubmit, show } from "../forms.js";
import { spoken } from "../language.js";
import { link, pending, providers, signIn, title } from "../providers.js";
import { enter, go } from "../router.js";
import { elsewhere, read, session } from "../session.js";

const element = (id) => document.getElementById(id);
const EXPIRED = "That has expired or was used. Sign in with the provider once more.";

/** The buttons below the login. */
export function buttons() {
  const form = element("provider-login-form");
  onSubmit(form, (_, button) => signIn(button.value, element("login-remember").checked));
  drawButtons("provider-login", (name) => `Sign in with ${title(name)}`).catch((problem) => {
    form.hidden = false;
    show(form, problem);
  });
}

/** A button for each provider. They are off if providers send people back to another address. */
async function drawButtons(name, label) {
  const [names, there] = [await providers(), elsewhere()];
  const form = element(`${name}-form`);
  if (!form) return;
  form.hidden = names.length === 0;
  element(`${name}-list`).replaceChildren(...names.map((provider) => Object.assign(document.createElement("button"), {
    id: `${name}-${provider}`, className: "quiet", value: provider, textContent: label(provider), disabled: Boolean(there),
  })));
}

/** `#/register-by-provider`: what the account of somebody new still needs. */
export async function registerByProvider() {
  const form = element("register-by-provider-form");
  onSubmit(form, async (values) => {
    try {
      await call("POST", "web/auth/register/passwordless", values);
    } catch (problem) {
      if (problem.code !== "invalid_flow_token") throw problem;
      return go("/login", EXPIRED, "bad");
    }
    await enter("Your account exists, and you are signed in. It has no password, unless you set one.");
  });
  const { registration } = await pending();
  if (!form.isConnected) return;
  if (!registration) return go("/login", EXPIRED, "bad");
  element("register-by-provider-provider").textContent = title(registration.provider);
  element("register-by-provider-email").textContent = registration.email;
  form.elements.name.value ||= registration.name ?? "";
}

/** `#/link-provider`: the user sees with what the account is about to be linked, before it is. */
export async function linkProvider() {
  const form = element("link-provider-form");
  onSubmit(form, async () => {
    try {
      await call("POST", "web/auth/user/identities", {});
    } catch (problem) {
      if (problem.code !== "invalid_flow_token") throw problem;
      return go("/providers", EXPIRED, "bad");
    }
    go("/providers", "You can sign in with it from now on.");
  });
  const { link: waiting } = await pending();
  if (!form.isConnected) return;
  if (!waiting) return go("/providers", EXPIRED, "bad");
  element("link-provider-provider").textContent = title(waiting.provider);
  element("link-provider-email").textContent = waiting.email;
  element("link-provider-account").textContent = session.account.email;
  element("link-provider-submit").disabled = false;
}

/** `#/providers`: the user's identities. */
export function identities() {
  const [list, add] = [element("identities-form"), element("provider-link-form")];
  onSubmit(add, (_, button) => link(button.value));
  onSubmit(list, async (_, button) => {
    const { identity: id, named } = button.dataset;
    await ask(`Unlink ${named}?`, "It no longer signs you in, and your other sessions end.", "Unlink it");
    try {
      const { message } = await call("DELETE", `web/auth/user/identities/${encodeURIComponent(id)}`);
      await draw();
      element("identities-heading")?.focus();
      return spoken(message);
    } catch (problem) {
      if (problem.code !== "last_sign_in_method") throw problem;
      throw new Problem({ detail: "You could not sign in any more. Set a password or add another way in first." });
    }
  });
  draw().catch((problem) => show(list, problem));
  drawButtons("provider-link", (name) => `Link ${title(name)}`).catch((problem) => show(list, problem));
}

async function draw() {
  const mine = await read("web/auth/user/identities");
  element("identities-list")?.replaceChildren(...mine.map(item));
  if (element("identities-empty")) element("identities-empty").hidden = mine.length > 0;
}

function item({ id, provider, email, createdAt, lastUsedAt }) {
  const root = element("part-identity").content.cloneNode(true).querySelector(".identity");
  const part = (which) => root.querySelector(`.identity-${which}`);
  const when = (text) => (text ? new Date(text).toLocaleString() : "never");
  part("title").textContent = title(provider);
  part("email").textContent = email ?? "not known";
  part("created").textContent = when(createdAt);
  part("last-used").textContent = when(lastUsedAt);
  Object.assign(part("unlink").dataset, { identity: id, named: title(provider) });
  part("unlink").setAttribute("aria-label", `Unlink it: ${title(provider)}${email ? `, ${email}` : ""}`);
  return root;
}
