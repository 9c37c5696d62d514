/** JSON as text with colours, in which passwords, codes and keys can be hidden. */

/** The fields with secrets. The `code` of an error is none. */
const SECRETS = {
  request: ["password", "passwordConfirmation", "currentPassword", "code", "recoveryCode", "token", "flowToken",
    "registrationToken"],
  response: ["secretKey", "svg", "url", "token", "flowToken", "registrationToken"],
};

/** Longer strings are cut: the image of a QR code has thousands of characters. */
const LONGEST = 120;

/**
 * The nodes that show the body of a `request` or of a `response`, the `side`. With `masked`, its secrets are hidden.
 * `secret`: every string of the value is one.
 */
export function pretty(value, { side, masked, secret = false, indent = "" }) {
  if (value === null || typeof value !== "object") return [scalar(value, masked && secret)];
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return [open + close];
  const inner = `${indent}  `;
  const lines = entries.flatMap(([key, item], index) => [
    `${index ? "," : ""}\n${inner}`,
    ...(Array.isArray(value) ? [] : [span("json-key", JSON.stringify(key)), ": "]),
    ...pretty(item, { side, masked, secret: secret || SECRETS[side].includes(key), indent: inner }),
  ]);
  return [open, ...lines, `\n${indent}${close}`];
}

/** Whether a value contains secrets. */
export function hasSecrets(value, side, secret = false) {
  if (typeof value === "string") return secret && value !== "";
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, item]) => hasSecrets(item, side, secret || SECRETS[side].includes(key)));
}

function scalar(value, hidden) {
  if (typeof value !== "string") return span("json-literal", String(value));
  if (hidden && value !== "") return masked();
  const cut = value.length > LONGEST ? `${value.slice(0, LONGEST)}… (${value.length} characters)` : value;
  return span("json-string", JSON.stringify(cut));
}

/** Dots in the place of a secret. Their number says nothing about its length. */
export function masked() {
  return span("masked", "••••••••");
}

export function span(name, text) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}
