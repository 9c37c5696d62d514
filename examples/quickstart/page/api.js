/**
 * Requests to the authentication module over its browser router. The credential is a cookie that the browser sends by
 * itself: there is no token in this page.
 */

import { accepted, take } from "./language.js";

/**
 * Reports every exchange as an event `exchange`, a session that has ended as an event `ended`, and a sign-in to an account that is going to
 * be deleted as an event `leaving`, with the time of the deletion.
 */
export const wire = new EventTarget();

/** An error response: a problem document (RFC 9457) with its status, or a server that cannot be reached. */
export class Problem extends Error {
  /**
   * `acrValues`, `maxAge` and `methods`: what is enough, within how many seconds, and what the user can prove, if too
   * little was proven (RFC 9470). `confirmWith`: with what the user can confirm. Without a status the page has found the error itself.
   *
   * @param {{status?: number, code?: string, detail?: string, errors?: object[], retryAfter?: number,
   *   acrValues?: string[], maxAge?: number, methods?: string[], confirmWith?: string[]}} problem
   */
  constructor({ status = 0, code = "", detail = "", errors = [], retryAfter = 0, acrValues = [], maxAge, methods = [],
    confirmWith = [] }) {
    super(detail || `The server's response was ${status}.`);
    Object.assign(this, { status, code, errors, retryAfter, acrValues, maxAge, methods, confirmWith });
  }
}

/** The user closed a dialog, or did not choose a passkey. */
export class Cancelled extends Error {}

let askForConfirmation = () => Promise.reject(new Cancelled());
let asking;

/** Sets what has users confirm who they are. Its promise is rejected with `Cancelled` if the user does not want to. */
export function confirmWith(ask) {
  askForConfirmation = ask;
}

/**
 * Has the user confirm with one of these methods: `password`, `passkey` or `email`. Requests that need it at the same
 * time share one dialog.
 */
export function confirm(methods) {
  asking ??= askForConfirmation(methods).finally(() => { asking = undefined; });
  return asking;
}

/**
 * Sends a request. If the module requires a confirmation, asks for it and sends the request again. `quiet`: the request
 * is none that the user asked for. `bearer`: an API token, with which the request is one of a program.
 */
export async function call(method, path, body, options) {
  try {
    return await send(method, path, body, options);
  } catch (problem) {
    if (problem.code !== "password_confirmation_required") throw problem;
    await confirm(problem.confirmWith);
    return send(method, path, body, options);
  }
}

/** Sends one request. Returns the body of a successful response, and throws a `Problem` otherwise. */
export async function send(method, path, body, { quiet = false, bearer } = {}) {
  const headers = { ...accepted(), ...(body !== undefined && { "Content-Type": "application/json" }) };
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  const request = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
  const at = new Date();
  const start = performance.now();
  const response = await fetch(path, { ...request, credentials: bearer ? "omit" : "same-origin", cache: "no-store" }).catch(() => null);
  const text = response ? await response.text() : "";
  const exchange = {
    at, method, headers, body, quiet,
    url: new URL(path, document.baseURI),
    milliseconds: Math.round(performance.now() - start),
    response: response && {
      status: response.status, reason: response.statusText, headers: response.headers, body: parsed(text),
    },
  };
  wire.dispatchEvent(new CustomEvent("exchange", { detail: exchange }));
  if (!response) throw new Problem({ detail: "The server cannot be reached." });
  take(response.headers);
  if (response.ok) return exchange.response.body;

  const retryAfter = Number(response.headers.get("Retry-After")) || 0;
  const problem = new Problem({ ...exchange.response.body, status: response.status, retryAfter });
  if (problem.code === "unauthenticated" && !bearer) wire.dispatchEvent(new Event("ended"));
  if (problem.code === "account_pending_deletion") {
    wire.dispatchEvent(new CustomEvent("leaving", { detail: exchange.response.body.deletesAt }));
  }
  throw problem;
}

/** The value of a JSON text, or the text itself. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
