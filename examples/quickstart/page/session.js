/** Who is logged in, and what the server offers. */

import { call } from "./api.js";

/** Where this tab keeps the word with which the server shows the mails. */
const WORD = "outbox-word";

/**
 * `account` is what `/me` returns, or null without a session. `address` is where providers send people back to. `word` opens the
 * outbox, if the tab has it.
 */
export const session = {
  features: [], outbox: false, address: "", account: null, word: sessionStorage.getItem(WORD) ?? "",
};

/** Takes the word out of the address that the quickstart prints, `#outbox=…`, so that it is not in the history. */
export function takeWord() {
  const word = /^#outbox=([\w-]+)$/.exec(location.hash)?.[1];
  if (!word) return false;
  sessionStorage.setItem(WORD, word);
  session.word = word;
  history.replaceState(null, "", location.pathname);
  return true;
}

/** Reads which features are on, and whether there is an outbox. The module has no part in it, so it is not shown. */
export async function loadSettings() {
  const response = await fetch("page/settings.json");
  Object.assign(session, await response.json());
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
