/** Two routes of this host that require more than a login (RFC 9470): what a refusal says, and how a user proves more. */

import { call, confirm } from "../api.js";
import { onSubmit, say } from "../forms.js";
import { arePossible, confirm as confirmWithPasskey } from "../passkeys.js";

/** What is enough, by its name in `acrValues`. */
const LEVELS = { aal1: "one factor", aal2: "two factors", phr: "a passkey" };

/** What a user can prove, by its name in `methods`. */
const METHODS = {
  password: "your password", passkey: "a passkey", two_factor: "your second factor", email: "a code by mail",
  provider: "a provider",
};

const element = (id) => document.getElementById(id);
const listed = (texts, type) => new Intl.ListFormat("en", { type }).format(texts);

/** The route that was refused last. */
let wanted;

export function safe() {
  wanted = "safe";
  onSubmit(element("safe-form"), () => open("safe"));
  onSubmit(element("vault-form"), () => open("vault"));
  onSubmit(element("prove-form"), async ({ code }, button) => {
    if (button?.id === "prove-password") await confirm(["password"]);
    else if (button?.id === "prove-mail") await confirm(["email"]);
    else if (button?.id === "prove-passkey") await confirmWithPasskey();
    // Apps show a code as 123 456.
    else await call("POST", "web/auth/user/confirm-two-factor", { code: code.replaceAll(" ", "") });
    element("prove-form").reset();
    const text = await open(wanted);
    say(element(`${wanted}-form`), text, "good");
    element(`${wanted}-heading`).focus();
  });
}

/** Requests the route, and shows its response. Throws the refusal, whose text is for the form. */
async function open(name) {
  try {
    await call("GET", name);
  } catch (problem) {
    if (problem.code === "insufficient_user_authentication") draw(name, problem);
    throw problem;
  }
  draw(name, null);
  return `The ${name} is open.`;
}

/** Shows whether the route was refused, and what the user can do then: below it, with what is enough. */
function draw(name, refusal) {
  const state = element(`${name}-state`);
  if (!state) return;
  state.textContent = refusal ? "Refused" : "Open";
  state.classList.toggle("good", !refusal);
  const place = element(`${name}-refusal`);
  place.hidden = !refusal;
  place.replaceChildren(...(refusal ? [described(refusal)] : []));
  wanted = name;
  const methods = refusal?.methods ?? [];
  const can = (method) => methods.includes(method);
  element("prove").hidden = methods.length === 0;
  element("prove-password").hidden = !can("password");
  element("prove-mail").hidden = !can("email");
  element("prove-passkey").hidden = !arePossible || !can("passkey");
  element("prove-second-factor").hidden = !can("two_factor");
  element("prove-submit").hidden = !can("two_factor");
  const setUp = element(`${name}-set-up`);
  if (setUp) setUp.hidden = !refusal || methods.length > 0;
}

/** What the members of the refusal say. */
function described({ acrValues, maxAge, methods }) {
  const root = document.querySelector("#part-refusal").content.cloneNode(true);
  const levels = acrValues.map((level) => (LEVELS[level] ? `${LEVELS[level]} (${level})` : level));
  root.querySelector(".refusal-levels").textContent = listed(levels, "disjunction");
  root.querySelector(".refusal-age").textContent = maxAge === undefined
    ? "at any time in this session" : `within the last ${maxAge} seconds`;
  root.querySelector(".refusal-methods").textContent = methods.length === 0
    ? "nothing that is enough" : listed(methods.map((method) => METHODS[method] ?? method), "conjunction");
  return root;
}
