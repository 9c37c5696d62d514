/**
 * What all forms have in common: one request at a time, errors at the fields and below them, and the wait after too
 * many attempts. The rules for values are the server's, so that a person sees what it returns.
 */

import { Cancelled, Problem } from "./api.js";
import { spoken } from "./language.js";
import { complete } from "./passwords.js";

const notice = document.querySelector("#notice");

/** The field that an error without `errors` is about. */
const FIELDS = {
  email_taken: ["email"],
  username_taken: ["username"],
  incorrect_password: ["currentPassword", "password"],
  invalid_two_factor_code: ["code"],
  invalid_recovery_code: ["recoveryCode"],
  invalid_login_code: ["code"],
};

/**
 * Calls `handle(values, submitter)` when the form is submitted, and shows what it throws. If it returns a sentence of the page or
 * nodes, these are the form's message.
 */
export function onSubmit(form, handle) {
  form.noValidate = true;
  complete(form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.ariaBusy === "true" || form.dataset.waiting) return;
    // What earlier actions have said is over.
    notice.replaceChildren();
    for (const other of document.forms) if (other.ariaBusy !== "true" && !other.dataset.waiting) clear(other);
    form.ariaBusy = "true";
    event.submitter?.classList.add("working");
    try {
      const said = await handle(values(form), event.submitter);
      if (said) say(form, said, "good");
    } catch (error) {
      // Somebody who has opened another view does not need it.
      if (form.isConnected) show(form, error);
    } finally {
      form.ariaBusy = "false";
      event.submitter?.classList.remove("working");
    }
  });
}

/** Shows a message in the form: a sentence, or nodes. `tone` is `good`, `bad` or `neutral`. */
export function say(form, said, tone) {
  const message = form.querySelector(".message");
  message.className = `message ${tone}`;
  message.replaceChildren(...[said].flat());
}

/** The values of the visible fields; those of checkboxes are booleans, and an empty field with `data-or-null` is null. */
function values(form) {
  const fields = [...form.elements].filter((field) => field.name && !field.closest("[hidden], [aria-hidden=true]"));
  const text = (field) => ("orNull" in field.dataset ? field.value || null : field.value);
  const value = (field) => (field.type === "checkbox" ? field.checked : text(field));
  return Object.fromEntries(fields.map((field) => [field.name, value(field)]));
}

/** Removes the errors of the previous request. */
export function clear(form) {
  form.querySelector(".message")?.replaceChildren();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    describe(field);
    form.querySelector(`#${field.id}-error`).replaceChildren();
  }
}

/** Shows an error: at its fields, and as a message. */
export function show(form, error) {
  if (error instanceof Cancelled) return say(form, "Nothing was changed.", "neutral");
  if (!(error instanceof Problem)) throw error;
  const named = FIELDS[error.code]?.map((field) => ({ field, detail: error.message })) ?? [];
  const marked = [...error.errors, ...named].filter((item) => mark(form, item));
  // Everything that could not be shown at a field is in the message.
  const others = error.errors.filter((item) => !marked.includes(item));
  const text = named.some((item) => marked.includes(item)) ? "Correct the field that is marked." : sentence(error);
  say(form, [text, ...others.flatMap((item) => [` ${item.field}: `, spoken(item.detail)])], "bad");
  form.querySelector("[aria-invalid]")?.focus();
  if (error.retryAfter) wait(form, error.retryAfter);
}

/** The sentence of an error. If it has a status, that is one of the server. */
export function sentence(error) {
  return error.status ? spoken(error.message) : error.message;
}

/** Shows an error at its field. Returns whether the form has that field. */
function mark(form, { field: name, detail }) {
  const field = form.elements.namedItem(name);
  const place = field?.id && form.querySelector(`#${field.id}-error`);
  if (!place || field.closest("[hidden]")) return false;
  if (place.hasChildNodes()) place.append(" ");
  place.append(spoken(detail));
  field.setAttribute("aria-invalid", "true");
  describe(field, place.id);
  return true;
}

/** Connects a field with its rule, if it has one, and with its error. */
function describe(field, error = "") {
  const ids = [field.dataset.rule, error].filter(Boolean);
  if (ids.length) field.setAttribute("aria-describedby", ids.join(" "));
  else field.removeAttribute("aria-describedby");
}

/** Keeps the form from being sent for this many seconds, and counts them down on the screen only. */
function wait(form, seconds) {
  const until = Date.now() + seconds * 1000;
  const rest = document.createElement("span");
  rest.className = "countdown";
  rest.setAttribute("role", "timer");
  rest.setAttribute("aria-live", "off");
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1000);
    if (left > 0 && form.isConnected) {
      rest.textContent = `Wait ${left} s.`;
      setTimeout(tick, 250);
    } else {
      delete form.dataset.waiting;
      for (const button of buttons) button.ariaDisabled = null;
      rest.remove();
      if (form.isConnected) say(form, "You can try again now.", "good");
    }
  };
  form.dataset.waiting = "true";
  const buttons = form.querySelectorAll("button:not([type=button])");
  for (const button of buttons) button.ariaDisabled = "true";
  form.querySelector(".message").append(" ", rest);
  tick();
}
