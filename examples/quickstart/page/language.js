/**
 * The language of messages and mails, which the menu in the footer chooses. The page itself is in English, so whatever the
 * server says in another language is marked with it.
 */

const CHOSEN = "language";
const menu = document.querySelector("#language");

menu.addEventListener("change", () => localStorage.setItem(CHOSEN, menu.value));

/** The header that asks for the chosen language. Without a choice the browser asks for the languages of its own settings. */
export function accepted() {
  const chosen = localStorage.getItem(CHOSEN);
  return chosen ? { "Accept-Language": chosen } : {};
}

/** Shows in the menu which language the server has chosen for a response. */
export function take(headers) {
  const language = headers.get("Content-Language");
  if (language) menu.value = language;
}

/** A sentence of the server. */
export function spoken(text) {
  return Object.assign(document.createElement("span"), { lang: menu.value, textContent: text });
}
