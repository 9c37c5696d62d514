/** The two dialogs: in one the user confirms who they are, the other asks whether to go on. */

import { Cancelled, send } from "./api.js";
import { clear, onSubmit, show } from "./forms.js";
import { arePossible, confirm } from "./passkeys.js";
import { confirm as confirmWithProvider, title } from "./providers.js";
import { isOn, mailed, read } from "./session.js";

const dialog = document.querySelector("#confirm-dialog");
const form = document.querySelector("#confirm-form");
const question = document.querySelector("#question-dialog");
const part = (name) => document.getElementById(`confirm-${name}`);

/** What connects the code of the mail with the request for it. */
let flowToken;

onSubmit(form, async ({ password, code }, button) => {
  if (button?.dataset.provider) await confirmWithProvider(button.dataset.provider);
  else if (button === part("passkey")) await confirm();
  else if (button === part("mail")) {
    const sent = await send("POST", "web/auth/user/confirm-email");
    ({ flowToken } = sent);
    draw(["email"]);
    return mailed(sent.message);
  } else if (code === undefined) await send("POST", "web/auth/user/confirm-password", { password });
  // Mails show a code as 1234 5678.
  else await send("POST", "web/auth/user/confirm-email/verify", { flowToken, code: code.replaceAll(" ", "") });
  dialog.close("confirmed");
});
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());

/**
 * Has the user prove who they are with one of these methods, until the module accepts a proof. Rejects with `Cancelled`
 * if the user closes the dialog.
 */
export async function askForConfirmation(email, methods) {
  form.reset();
  flowToken = undefined;
  if (!form.dataset.waiting) clear(form);
  // Password managers look for it.
  form.elements.username.value = email;
  draw(methods);
  drawProviders(methods).catch((problem) => show(form, problem));
  if (await closed(dialog) !== "confirmed") throw new Cancelled();
}

/** Shows what the user can prove. After a mail was sent, that is its code. */
function draw(methods) {
  const [withPassword, withCode] = [!flowToken && methods.includes("password"), Boolean(flowToken)];
  part("with-password").hidden = !withPassword;
  part("with-code").hidden = !withCode;
  part("submit").hidden = !withPassword && !withCode;
  part("passkey").hidden = withCode || !arePossible || !methods.includes("passkey");
  part("mail").hidden = withCode || !isOn("email-login") || !methods.includes("email");
  part("route").textContent = withCode ? "/web/auth/user/confirm-email/verify" : "/web/auth/user/confirm-password";
  part("route").parentElement.hidden = part("submit").hidden;
  form.querySelector(withCode ? "#confirm-code" : "#confirm-password")?.focus();
}

/** A button for each provider of the user. The browser leaves the page for it. */
async function drawProviders(methods) {
  const place = part("providers");
  place.replaceChildren();
  if (!methods.includes("provider")) return;
  const names = new Set((await read("web/auth/user/identities")).map(({ provider }) => provider));
  place.replaceChildren(...[...names].map((provider) => {
    const button = document.createElement("button");
    Object.assign(button, { id: `confirm-with-${provider}`, className: "quiet", textContent: `Use ${title(provider)}` });
    button.dataset.provider = provider;
    return button;
  }));
}

/** Asks a question. Rejects with `Cancelled` if the response is not the one that `yes` names. */
export async function ask(heading, text, yes) {
  question.querySelector("#question-heading").textContent = heading;
  question.querySelector("#question-text").textContent = text;
  question.querySelector("#question-yes").textContent = yes;
  if (await closed(question) !== "yes") throw new Cancelled();
}

/** Opens a dialog, waits until it is closed, and returns how. The browser gives the focus back. */
function closed(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}
