/** Who is logged in, and what the server offers. */

import { call } from "./api.js";

/** Where the word that opens the outbox is kept. It lasts as long as the tab, also if the page is loaded again. */
const WORD = "outbox";

/** `account` is what `/me` returns, or null without a session. */
export const session = { features: [], outbox: false, account: null };

/** Reads which features are on, and whether there is an outbox. The module has no part in it, so it is not shown. */
export async function loadSettings() {
  const response = await fetch("page/settings.json");
  Object.assign(session, await response.json());
}

/**
 * Takes the word that opens the outbox out of the address that the server has printed: `#outbox=…`. It does not stay in the
 * address, and so not in the history. Returns whether there was one.
 */
export function takeOutboxWord() {
  const word = /^#outbox=([\w-]+)$/.exec(location.hash)?.[1];
  if (!word) return false;
  sessionStorage.setItem(WORD, word);
  history.replaceState(null, "", "#/");
  return true;
}

/** The word that opens the outbox, or an empty text. */
export function outboxWord() {
  return sessionStorage.getItem(WORD) ?? "";
}

/** Reads whether there is a session, and whose it is. Returns the account, or null. */
export async function loadSession() {
  const { authenticated } = await read("web/auth/session");
  session.account = authenticated ? await read("me") : null;
  return session.account;
}

/** A request that the page makes by itself. */
export function read(path) {
  return call("GET", path, undefined, { quiet: true });
}

/** Whether a feature is on, by its value: `update-passwords`. */
export function isOn(feature) {
  return session.features.includes(feature);
}
