/** Two-factor authentication: setting up an app, recovery codes, and disabling it. */

import { call } from "../api.js";
import { copied } from "../copy.js";
import { ask } from "../dialogs.js";
import { onSubmit, say } from "../forms.js";
import { loadSession, session } from "../session.js";

const element = (id) => document.getElementById(id);

export function twoFactor() {
  draw();
  onSubmit(element("enable-form"), () => enroll({}));
  onSubmit(element("app-form"), async ({ code }) => {
    // Apps show a code as 123 456.
    await call("POST", "web/auth/user/confirmed-two-factor-authentication", { code: code.replaceAll(" ", "") });
    element("app-form").reset();
    await loadSession();
    draw();
    await showCodes();
    element("recovery-codes-heading").focus();
    say(element("recovery-codes-form"), "The second factor is on. Keep these codes for a lost phone.", "good");
  });
  element("app-cancel").addEventListener("click", draw);
  onSubmit(element("recovery-codes-form"), async (_, button) => {
    if (button.id === "recovery-codes-show") return showCodes();
    await ask("Replace the recovery codes?", "The eight codes that you have now no longer work.", "Replace them");
    list(await call("POST", "web/auth/user/two-factor-recovery-codes"));
    return "These are your new codes.";
  });
  element("recovery-codes-copy").addEventListener("click", ({ currentTarget }) => copied(currentTarget, codes()));
  element("secret-key-copy").addEventListener("click", ({ currentTarget }) => {
    copied(currentTarget, element("secret-key").textContent);
  });
  onSubmit(element("disable-form"), async (_, button) => {
    if (button.id === "replace-app") return enroll({ force: true });
    await ask("Disable the second factor?", "From then on the password alone is enough to log in.", "Disable it");
    await call("DELETE", "web/auth/user/two-factor-authentication");
    await loadSession();
    draw();
    say(element("enable-form"), "The second factor is off.", "good");
  });
}

/** Shows what the state of the account allows. */
function draw() {
  const on = session.account.twoFactor;
  element("two-factor-state").textContent = on ? "On" : "Off";
  element("two-factor-state").classList.toggle("good", on);
  element("two-factor-off").hidden = on;
  element("two-factor-pending").hidden = true;
  element("recovery-codes").hidden = !on;
  element("two-factor-on").hidden = !on;
  if (!on) list([]);
}

/** Creates a secret, and shows it for the app. It is in force after one of its codes has been confirmed. */
async function enroll(body) {
  await call("POST", "web/auth/user/two-factor-authentication", body);
  const { svg } = await call("GET", "web/auth/user/two-factor-qr-code");
  const { secretKey } = await call("GET", "web/auth/user/two-factor-secret-key");
  // As an image, nothing in the text can run.
  element("qr-code").src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  // In groups, which are easier to type. The spaces between them are in the style sheet, so that nobody copies them.
  element("secret-key").replaceChildren(...secretKey.match(/.{1,4}/g).map((group) => (
    Object.assign(document.createElement("span"), { textContent: group })
  )));
  element("two-factor-off").hidden = true;
  element("two-factor-on").hidden = true;
  element("recovery-codes").hidden = true;
  element("two-factor-pending").hidden = false;
  element("two-factor-pending-heading").focus();
}

async function showCodes() {
  list(await call("GET", "web/auth/user/two-factor-recovery-codes"));
}

/** Shows these codes, with the buttons that keep them. */
function list(texts) {
  const place = element("recovery-codes-list");
  place.replaceChildren(...texts.map((text) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("code"), { textContent: text }));
    return item;
  }));
  const download = element("recovery-codes-download");
  download.href = `data:text/plain;charset=utf-8,${encodeURIComponent(`${codes()}\n`)}`;
  for (const part of [place, download, element("recovery-codes-copy")]) part.hidden = texts.length === 0;
  element("recovery-codes-show").hidden = texts.length > 0;
}

function codes() {
  return [...document.querySelectorAll("#recovery-codes-list code")].map((code) => code.textContent).join("\n");
}
