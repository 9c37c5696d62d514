/** The two dialogs: one confirms the password, the other asks whether to go on. */

import { Cancelled, send } from "./api.js";
import { clear, onSubmit } from "./forms.js";

const passwordDialog = document.querySelector("#confirm-password-dialog");
const passwordForm = document.querySelector("#confirm-password-form");
const question = document.querySelector("#question-dialog");

onSubmit(passwordForm, async ({ password }) => {
  await send("POST", "web/auth/user/confirm-password", { password });
  passwordDialog.close("confirmed");
});
passwordDialog.querySelector("[data-close]").addEventListener("click", () => passwordDialog.close());

/** Asks for the password until the module confirms it. Rejects with `Cancelled` if the user closes the dialog. */
export async function askForPassword(email) {
  passwordForm.reset();
  if (!passwordForm.dataset.waiting) clear(passwordForm);
  // Password managers look for it.
  passwordForm.elements.username.value = email;
  if (await closed(passwordDialog) !== "confirmed") throw new Cancelled();
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
