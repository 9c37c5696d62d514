/** Who is logged in, and what the server offers. */

import { call } from "./api.js";
import { spoken } from "./language.js";

/** Where this tab keeps the word with which the server shows the mails. */
const WORD = "outbox-word";

/**
 * `account` is what `/me` returns, or null without a session. `address` is where links in mails lead to, and where providers send
 * people back to. `word` opens the outbox, if the tab has it.
 */
export const session = {
  features: [], outbox: false, address: "", account: null, word: sessionStorage.getItem(WORD) ?? "", passwordMinCharacters: 0,
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

/** A message about a mail, and where the mail is. */
export function mailed(message) {
  return [spoken(message), session.outbox ? " Mails are in the outbox." : ""];
}

/**
 * The address of this page that links in mails and providers lead to, or null if that is this one. At another one the browser does
 * not send the cookies of this one.
 */
export function elsewhere() {
  return new URL(session.address).origin === location.origin ? null : `${session.address}/`;
}

/** The view of now at another address of this page, which has no word for the outbox yet. */
export function viewAt(address) {
  return `${address}${session.word ? `#outbox=${session.word}` : location.hash}`;
}

/** Whether a feature is on, by its value: `update-passwords`. */
export function isOn(feature) {
  return session.features.includes(feature);
}
