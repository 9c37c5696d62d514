/** Two routes of this host that require more than a login (RFC 9470): what a refusal says, and how a user proves more. */

import { call, confirmPassword } from "../api.js";
import { onSubmit, say } from "../forms.js";

/** What is enough, by its name in `acrValues`. */
const LEVELS = { aal1: "one factor", aal2: "two factors", phr: "a passkey" };

/** What a user can prove, by its name in `methods`. */
const METHODS = { password: "your password", two_factor: "your second factor", email: "a code by mail" };

const element = (id) => document.getElementById(id);
const listed = (texts, type) => new Intl.ListFormat("en", { type }).format(texts);

export function safe() {
  onSubmit(element("safe-form"), () => open("safe"));
  onSubmit(element("vault-form"), () => open("vault"));
  onSubmit(element("prove-form"), async ({ code }, button) => {
    if (button?.id === "prove-password") await confirmPassword();
    // Apps show a code as 123 456.
    else await call("POST", "web/auth/user/confirm-two-factor", { code: code.replaceAll(" ", "") });
    element("prove-form").reset();
    const text = await open("safe");
    say(element("safe-form"), text, "good");
    element("safe-heading").focus();
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

/** Shows whether the route was refused, and what the user can do then. */
function draw(name, refusal) {
  const state = element(`${name}-state`);
  if (!state) return;
  state.textContent = refusal ? "Refused" : "Open";
  state.classList.toggle("good", !refusal);
  const place = element(`${name}-refusal`);
  place.hidden = !refusal;
  place.replaceChildren(...(refusal ? [described(refusal)] : []));
  if (name !== "safe") return;
  const methods = refusal?.methods ?? [];
  element("prove").hidden = methods.length === 0;
  element("prove-password").hidden = !methods.includes("password");
  element("prove-second-factor").hidden = !methods.includes("two_factor");
  element("prove-submit").hidden = !methods.includes("two_factor");
  const setUp = element("safe-set-up");
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
