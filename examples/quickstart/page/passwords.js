/** Fields for passwords: a button that shows what is typed, and the rule for a new password. */

import { session } from "./session.js";

/** Completes the fields for passwords of a form. One button shows a new password and its repetition. */
export function complete(form) {
  const fields = [...form.querySelectorAll("input[type=password]")];
  const repeated = ({ name }) => name === "passwordConfirmation";
  for (const field of fields.filter((field) => !repeated(field))) {
    const isNew = field.autocomplete === "new-password";
    const button = showButton(form, [field, ...(isNew ? fields.filter(repeated) : [])]);
    if (isNew) field.after(rule(field));
    place(field, button);
  }
}

/** Puts the button at the end of the field. */
function place(field, button) {
  const group = document.createElement("div");
  group.className = "with-button";
  field.replaceWith(group);
  group.append(field, button);
}

function showButton(form, fields) {
  const [{ labels: [label] }] = fields;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "show-password", textContent: "Show" });
  const show = (shown) => {
    button.ariaPressed = String(shown);
    for (const field of fields) field.type = shown ? "text" : "password";
  };
  button.ariaLabel = `Show ${label.textContent.toLowerCase()}`;
  button.addEventListener("click", () => show(button.ariaPressed !== "true"));
  // Password managers look for fields of the type `password` when a form is sent.
  for (const event of ["submit", "reset"]) form.addEventListener(event, () => show(false));
  show(false);
  return button;
}

function rule(field) {
  const hint = document.createElement("p");
  Object.assign(hint, { id: `${field.id}-rule`, className: "hint", textContent: `At least ${session.passwordMinCharacters} characters.` });
  field.setAttribute("aria-describedby", hint.id);
  field.dataset.rule = hint.id;
  return hint;
}
