/** The user's trusted devices, on which a login asks for no second factor. One or all can be forgotten. */

import { call } from "../api.js";
import { ask } from "../dialogs.js";
import { onSubmit, show } from "../forms.js";
import { spoken } from "../language.js";
import { read } from "../session.js";
import { describe, moment } from "./sessions.js";

const PATH = "web/auth/user/trusted-devices";
const element = (id) => document.getElementById(id);

export function trustedDevices() {
  const form = element("trusted-devices-form");
  onSubmit(form, async (_, button) => {
    const all = button.id === "forget-all";
    if (all) await ask("Forget all devices?", "A login on them asks for your second factor again.", "Forget all");
    const { message } = await call("DELETE", all ? PATH : `${PATH}/${encodeURIComponent(button.dataset.device)}`);
    await draw();
    document.querySelector("#view h1")?.focus();
    return spoken(message);
  });
  draw().catch((problem) => show(form, problem));
}

async function draw() {
  const { devices } = await read(PATH);
  const list = element("trusted-devices-list");
  // The user may have opened another view.
  if (!list) return;
  list.replaceChildren(...devices.map(item));
  element("trusted-devices-empty").hidden = devices.length > 0;
  element("forget-all").hidden = devices.length === 0;
}

function item({ id, current, createdAt, lastUsedAt, expiresAt, client, userAgent }) {
  const root = element("part-trusted-device").content.cloneNode(true).querySelector(".trusted-device");
  const part = (which) => root.querySelector(`.trusted-device-${which}`);
  const name = describe(userAgent);
  part("title").textContent = name;
  part("current").hidden = !current;
  part("last-used").replaceChildren(moment(lastUsedAt));
  part("created").replaceChildren(moment(createdAt));
  part("ends").replaceChildren(moment(expiresAt));
  part("client").textContent = client ?? "not recorded";
  part("agent").textContent = userAgent ?? "";
  part("forget").dataset.device = id;
  part("forget").setAttribute("aria-label", `Forget: ${name}`);
  return root;
}
