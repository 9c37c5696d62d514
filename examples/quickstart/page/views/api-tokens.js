/** The user's API tokens: creating one, which is shown once, trying it, and revoking it. */

import { call } from "../api.js";
import { copied } from "../copy.js";
import { ask } from "../dialogs.js";
import { onSubmit, show } from "../forms.js";
import { spoken } from "../language.js";
import { read } from "../session.js";

const PATH = "web/auth/user/api-tokens";
const DAY = 24 * 60 * 60;
const element = (id) => document.getElementById(id);

export function apiTokens() {
  const [form, list, made] = [element("api-tokens-add-form"), element("api-tokens-form"), element("api-token-form")];
  onSubmit(form, async ({ name, read: reads, write: writes, days }) => {
    const scopes = [reads && "demo:read", writes && "demo:write"].filter(Boolean);
    const created = await call("POST", PATH, { name, scopes, expiresIn: Number(days) * DAY });
    form.reset();
    element("api-token").hidden = false;
    element("api-token-text").textContent = created.token;
    element("api-token-try").hidden = !scopes.includes("demo:read");
    await draw();
    element("api-token-heading").focus();
    return `The token “${created.name}” is ready.`;
  });
  onSubmit(list, async (_, button) => {
    const { token: id, named } = button.dataset;
    await ask(`Revoke ${named}?`, "No program can use this token any more.", "Revoke it");
    const { message } = await call("DELETE", `${PATH}/${encodeURIComponent(id)}`);
    await draw();
    element("api-tokens-heading")?.focus();
    return spoken(message);
  });
  onSubmit(made, async () => {
    const { by } = await call("GET", "api/demo", undefined, { bearer: element("api-token-text").textContent });
    await draw();
    return `The route was opened by “${by}”.`;
  });
  element("api-token-copy").addEventListener("click", ({ currentTarget }) => {
    copied(currentTarget, element("api-token-text").textContent);
  });
  draw().catch((problem) => show(list, problem));
}

async function draw() {
  const tokens = await read(PATH);
  element("api-tokens-list")?.replaceChildren(...tokens.map(item));
  if (element("api-tokens-empty")) element("api-tokens-empty").hidden = tokens.length > 0;
}

function item({ id, name, scopes, createdAt, lastUsedAt, expiresAt, lastFour }) {
  const root = element("part-api-token").content.cloneNode(true).querySelector(".api-token");
  const part = (which) => root.querySelector(`.api-token-${which}`);
  const when = (text) => (text ? new Date(text).toLocaleString() : "never");
  part("title").textContent = name;
  part("scopes").textContent = scopes.join(", ");
  part("end").textContent = `…${lastFour}`;
  part("created").textContent = when(createdAt);
  part("last-used").textContent = when(lastUsedAt);
  part("expires").textContent = when(expiresAt);
  Object.assign(part("revoke").dataset, { token: id, named: name });
  part("revoke").setAttribute("aria-label", `Revoke it: ${name}`);
  return root;
}
