/** The panel with the requests and responses as they went over the wire. */

import { wire } from "./api.js";
import { copied } from "./copy.js";
import { curl, curlWithToken } from "./curl.js";
import { hasSecrets, masked, pretty, span } from "./json.js";

/** The headers that matter. The browser hides `Set-Cookie` and `Cookie` from scripts. */
const HEADERS = ["content-type", "content-language", "cache-control", "retry-after", "www-authenticate", "allow"];

const list = document.querySelector("#wire-list");
const count = document.querySelector("#wire-count");
const announcement = document.querySelector("#wire-announcement");
const withToken = document.querySelector("#curl-with-token");
const template = document.querySelector("#part-exchange");

wire.addEventListener("exchange", ({ detail }) => add(detail));
document.querySelector("#wire-clear").addEventListener("click", () => {
  list.replaceChildren();
  number();
});

/**
 * Shows an exchange above the earlier ones, which are folded unless a person has opened them. A request that the page
 * made by itself is folded.
 */
function add(exchange) {
  const { at, method, url, milliseconds, response } = exchange;
  const item = template.content.cloneNode(true).querySelector(".exchange");
  const part = (name) => item.querySelector(name);
  Object.assign(item.dataset, { method, path: url.pathname, status: response?.status ?? "none" });
  part(".exchange-method").textContent = method;
  // A long path is broken behind a slash.
  part(".exchange-path").append(...url.pathname.split(/(?<=\/)/).flatMap((name) => [name, document.createElement("wbr")]));
  part(".exchange-status").textContent = response?.status ?? "no response";
  part("time").textContent = at.toLocaleTimeString();
  part("time").dateTime = at.toISOString();
  part(".exchange-duration").textContent = `${milliseconds} ms`;

  const reveal = part(".reveal");
  let hidden = true;
  const draw = () => {
    part(".exchange-request").replaceChildren(...requestText(exchange, hidden));
    part(".exchange-response").replaceChildren(...responseText(exchange, hidden));
    reveal.textContent = hidden ? "Show secrets" : "Hide secrets";
  };
  draw();
  const secrets = [Boolean(exchange.headers.Authorization), hasSecrets(exchange.body, "request"), hasSecrets(response?.body, "response", isCodes(exchange))];
  reveal.hidden = !secrets.includes(true) && !url.search;
  reveal.addEventListener("click", () => {
    hidden = !hidden;
    draw();
  });
  part(".copy-curl").addEventListener("click", async ({ currentTarget: button }) => {
    await copied(button, withToken.checked ? curlWithToken(exchange) : curl(exchange));
    announcement.textContent = reveal.hidden ? "Copied." : "Copied, with the passwords and codes that you typed.";
  });

  const folded = part("details");
  folded.open = !exchange.quiet || !list.hasChildNodes();
  if (folded.open) list.querySelectorAll("details:not([data-kept])").forEach((earlier) => { earlier.open = false; });
  part("summary").addEventListener("click", () => { folded.dataset.kept = "true"; });
  list.prepend(item);
  number();
}

function number() {
  const { length } = list.children;
  count.textContent = length === 1 ? "1 request" : `${length} requests`;
}

/** The request: line, headers, body. */
function requestText({ method, url, headers, body }, hidden) {
  const query = hidden && url.search ? ["?", masked()] : [url.search];
  const line = [span("http-line", `${method} ${url.pathname}`), ...query];
  return [...line, ...headerText(Object.entries(headers), hidden), ...bodyText(body, { side: "request", masked: hidden })];
}

/** The response: status, headers, body. */
function responseText(exchange, hidden) {
  const { response } = exchange;
  if (!response) return ["The server could not be reached."];
  const headers = HEADERS.map((name) => [name, response.headers.get(name)]).filter(([, value]) => value !== null);
  const line = span("http-line", `${response.status} ${response.reason}`);
  const body = bodyText(response.body, { side: "response", masked: hidden, secret: isCodes(exchange) });
  return [line, ...headerText(headers), ...body];
}

/** Headers, one of which can be a credential. */
function headerText(headers, hidden = false) {
  const shown = ([name, value]) => (hidden && name === "Authorization" ? masked() : value);
  return headers.flatMap((header) => ["\n", span("header-name", `${header[0].toLowerCase()}: `), shown(header)]);
}

function bodyText(body, options) {
  if (body === undefined || body === "") return [];
  return ["\n\n", ...(typeof body === "string" ? [body] : pretty(body, options))];
}

/** Whether every string of the response is a recovery code. */
function isCodes({ url, response }) {
  return url.pathname.endsWith("/two-factor-recovery-codes") && response?.status === 200;
}
