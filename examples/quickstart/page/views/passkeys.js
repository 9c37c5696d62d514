/** The user's passkeys: adding one, naming it and removing it. */

import { call } from "../api.js";
import { ask } from "../dialogs.js";
import { onSubmit, say, show } from "../forms.js";
import { spoken } from "../language.js";
import { add, arePossible, elsewhere, tell, tellRemoved } from "../passkeys.js";
import { read, viewAt } from "../session.js";

const element = (id) => document.getElementById(id);

export function passkeys() {
  const [form, list] = [element("passkeys-add-form"), element("passkeys-form")];
  onSubmit(form, async ({ name }) => {
    if (!arePossible) return say(form, "This browser has no passkeys that the page can use.", "bad");
    const added = await add(name.trim());
    form.reset();
    await draw();
    return `The passkey “${added.name}” is yours. Next time you can sign in with it.`;
  });
  onSubmit(list, async (values, button) => {
    const { passkey: id, action } = button.dataset;
    if (action === "rename") {
      const { name } = await call("PUT", `web/auth/user/passkeys/${id}`, { name: values[`name-${id}`] });
      await draw();
      return `The passkey is called “${name}”.`;
    }
    await ask("Remove this passkey?", "It no longer signs you in, and your other sessions end.", "Remove it");
    const removed = await call("DELETE", `web/auth/user/passkeys/${id}`);
    tellRemoved(removed);
    await draw();
    element("passkeys-heading")?.focus();
    return spoken(removed.message);
  });
  draw().catch((problem) => show(list, problem));
}

async function draw() {
  const state = await read("web/auth/user/passkeys");
  tell(state);
  const place = element("passkeys-list");
  if (!place) return;
  place.replaceChildren(...state.passkeys.map(item));
  element("passkeys-empty").hidden = state.passkeys.length > 0;
  drawElsewhere("passkeys-add", state.rpId);
}

/** If passkeys do not work at this address, says at which they do, and switches the button off. */
export function drawElsewhere(name, rpId) {
  const [place, there] = [element(`${name}-elsewhere`), elsewhere(rpId)];
  if (!place) return;
  place.hidden = !there;
  element(`${name}-submit`).disabled = Boolean(there);
  if (there) Object.assign(place.querySelector("a"), { href: viewAt(there), textContent: there });
}

function item({ id, name, backedUp, usable, createdAt, lastUsedAt }) {
  const root = element("part-passkey").content.cloneNode(true).querySelector(".passkey");
  const part = (which) => root.querySelector(`.passkey-${which}`);
  const when = (text) => (text ? new Date(text).toLocaleString() : "never");
  part("title").textContent = name;
  part("unusable").hidden = usable;
  part("created").textContent = when(createdAt);
  part("last-used").textContent = when(lastUsedAt);
  part("kept").textContent = backedUp ? "in an account that several devices share" : "on one device";
  const [label, field] = [root.querySelector("label"), root.querySelector("input")];
  label.htmlFor = field.id = field.name = `name-${id}`;
  field.value = name;
  for (const action of ["rename", "remove"]) {
    part(action).dataset.passkey = id;
    part(action).setAttribute("aria-label", `${part(action).textContent}: ${name}`);
  }
  return root;
}
