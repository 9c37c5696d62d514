/** The mails of the data directory, newest first. The view looks for new ones every two seconds. */

import { parse } from "../mail.js";
import { session } from "../session.js";

export async function outbox({ signal }) {
  let newest;
  const hide = (id, hidden) => { document.getElementById(id).hidden = hidden; };
  while (!signal.aborted) {
    const headers = { "X-Outbox": session.word };
    const response = session.word && await fetch("outbox", { cache: "no-store", headers, signal }).catch(() => null);
    hide("outbox-closed", Boolean(response) && response.status !== 404);
    const mails = response?.ok ? await response.json() : [];
    if (signal.aborted) return;
    // Otherwise the list stays as it is, with the focus on a link.
    if (mails[0]?.name !== newest) document.querySelector("#outbox-list").replaceChildren(...mails.map(item));
    newest = mails[0]?.name;
    hide("outbox-empty", !response || !response.ok || mails.length > 0);
    await new Promise((resolve) => { setTimeout(resolve, 2000); });
  }
}

const isOfThisMachine = ({ hostname }) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);

function item({ source }) {
  const mail = parse(source);
  const root = document.querySelector("#part-mail").content.cloneNode(true).querySelector("li");
  Object.assign(root.querySelector(".mail"), { ariaLabel: mail.subject, lang: mail.language });
  root.querySelector(".mail-subject").textContent = mail.subject;
  root.querySelector(".mail-to").textContent = mail.to;
  root.querySelector("time").textContent = mail.date.toLocaleString();
  root.querySelector("time").dateTime = Number.isNaN(mail.date.getTime()) ? "" : mail.date.toISOString();
  root.querySelector(".mail-text").append(...mail.text.split(/\n{2,}/).map(paragraph));
  return root;
}

/**
 * A paragraph, which is a link if its whole text is a URL. A link to this machine leads to the address at which the page was
 * opened: with another one the browser sends no session cookie, and has no passkeys.
 */
function paragraph(text) {
  const place = document.createElement("p");
  const url = /^https?:\S+$/.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url && url.port === location.port && [url, location].every(isOfThisMachine)) url.host = location.host;
  if (url) place.append(Object.assign(document.createElement("a"), { href: url.href, textContent: text }));
  else place.textContent = text;
  return place;
}
