// Forms and buttons: they send once at a time, and show errors where they belong.

import { AuthError, passkeysWork } from "./client/index.js";

export const element = (id) => document.getElementById(id);

/** Shows a message above the view, or none. */
export function notice(text) {
  element("notice").textContent = text;
  element("notice").hidden = text === "";
}

/** What a browser says that has no passkey for the page. */
const PASSKEY_ERRORS = {
  NotAllowedError: "No passkey was chosen.",
  InvalidStateError: "This device has a passkey of this account already.",
  NotSupportedError: "This device has no passkeys that can be used here.",
  SecurityError: "Passkeys work only at the address of this site: on this machine that is localhost.",
};

/** What went wrong, in a sentence for the user. */
export function explain(error) {
  if (error instanceof DOMException && error.name in PASSKEY_ERRORS) return PASSKEY_ERRORS[error.name];
  if (!(error instanceof AuthError)) {
    console.error(error);
    return "The server cannot be reached. Please try again.";
  }
  if (error.code === "insufficient_user_authentication" && error.methods.length === 0) {
    return "This requires a passkey or two-factor authentication. Set it up first.";
  }
  return error.retryAfter > 0 ? `${error.detail} Try again in ${Math.ceil(error.retryAfter)} seconds.` : error.detail;
}

/** Calls `send` with the form's fields when it is submitted. The errors of fields are shown at the fields. */
export function onSubmit(id, send) {
  const form = element(id);
  const inputs = [...form.elements].filter((input) => input.name);
  const texts = inputs.filter((input) => input.type !== "checkbox");
  for (const input of texts) {
    const error = paragraph(`${input.id}-error`, "error");
    input.setAttribute("aria-describedby", error.id);
    input.after(error);
  }
  const alert = paragraph(`${id}-error`, "error");
  alert.setAttribute("role", "alert");
  form.querySelector("button").before(alert);

  const show = (error) => {
    const fields = error?.fields ?? {};
    for (const input of texts) {
      const text = fields[input.name] ?? "";
      element(`${input.id}-error`).textContent = text;
      input.setAttribute("aria-invalid", String(text !== ""));
    }
    const wrong = texts.find((input) => fields[input.name]);
    alert.textContent = error && !wrong ? explain(error) : "";
    wrong?.focus();
  };
  form.addEventListener("reset", () => show(null));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    show(null);
    try {
      const field = (input) => [input.name, input.type === "checkbox" ? input.checked : input.value];
      await send(Object.fromEntries(inputs.map(field)));
      form.reset();
    } catch (error) {
      show(error);
    } finally {
      form.ariaBusy = "false";
    }
  });
}

/** Calls `act` when the button is clicked, and shows the error if that fails. */
export function onClick(button, act) {
  button.addEventListener("click", async () => {
    if (button.ariaBusy === "true") return;
    button.ariaBusy = "true";
    notice("");
    try {
      await act();
    } catch (error) {
      notice(explain(error));
    } finally {
      button.ariaBusy = "false";
    }
  });
}

/** Asks for the password, a passkey or the code of a mail in a dialog. Returns null if the user cancels. */
export async function askToConfirm(error, { confirmWith }, sendMail) {
  if (error?.code === "invalid_login_code") return ask("mailed", error, []);
  isAskedFor("confirm-password", confirmWith.includes("password"));
  element("confirm-submit").hidden = !confirmWith.includes("password");
  element("confirm-mail").hidden = !confirmWith.includes("email");
  const answer = await ask("confirm", error, confirmWith);
  if (!answer?.mail) return answer;
  await sendMail();
  return ask("mailed", null, []);
}

/** Whether a field of a dialog is shown. A disabled field is neither required nor sent. */
function isAskedFor(id, isAsked) {
  element(`${id}-field`).hidden = !isAsked;
  element(id).disabled = !isAsked;
}

/** Asks for everything that the user can prove, in a dialog. Returns null if the user cancels. */
export async function askForProof({ methods }, error) {
  // The password is half of a proof, whose other half is a code.
  const withCode = methods.includes("two_factor");
  isAskedFor("prove-password", withCode && methods.includes("password"));
  isAskedFor("prove-code", withCode);
  element("prove-submit").hidden = !withCode;
  const fields = await ask("prove", error, methods);
  if (!fields?.code) return fields;
  // Apps show a code as 123 456. A recovery code has letters.
  const { code, ...others } = fields, typed = code.replaceAll(" ", "");
  return { ...others, [/^\d+$/.test(typed) ? "code" : "recoveryCode"]: typed };
}

/**
 * Opens a dialog with a form, and the error of the previous try. Returns the fields, or that the user wants to use a passkey or a mail, or
 * null if the user cancels.
 */
function ask(name, error, methods) {
  const passkey = element(`${name}-passkey`);
  if (passkey) passkey.hidden = !passkeysWork() || !methods.includes("passkey");
  const [dialog, form] = [element(`${name}-dialog`), element(`${name}-form`)];
  element(`${name}-error`).textContent = error ? explain(error) : "";
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const answers = { confirm: Object.fromEntries(new FormData(form)), passkey: { passkey: true }, mail: { mail: true } };
      resolve(answers[dialog.returnValue] ?? null);
      form.reset();
    }, { once: true });
  });
}

for (const name of ["confirm", "mailed", "prove"]) {
  element(`${name}-form`).addEventListener("submit", (event) => {
    event.preventDefault();
    element(`${name}-dialog`).close("confirm");
  });
  for (const other of ["passkey", "mail"]) {
    element(`${name}-${other}`)?.addEventListener("click", () => element(`${name}-dialog`).close(other));
  }
  element(`${name}-cancel`).addEventListener("click", () => element(`${name}-dialog`).close());
}

function paragraph(id, className) {
  return Object.assign(document.createElement("p"), { id, className });
}
