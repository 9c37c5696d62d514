// Which view is shown, and to whom.

import { passkeysWork } from "./client/index.js";
import { element, explain, notice, onClick } from "./forms.js";
import { arrive, left } from "./providers.js";
import { listRequests, refreshes } from "./requests.js";
import { app, clients } from "./state.js";
import { views } from "./views.js";

/** Which views are for whom. The first is shown in place of one that is not for this person. */
const VIEWS = {
  user: ["notes", "profile", "password", "passkeys", "providers", "link", "two-factor", "sessions", "verify-email", "reset-password",
    "restore"],
  visitor: ["login", "mail", "register", "provider-registration", "challenge", "forgot-password", "reset-password", "keep", "restore"],
};

let shown = null;

async function show() {
  const [, name = "", query] = location.hash.match(/^#\/([a-z-]*)(?:\?(.*))?$/) ?? [];
  if (query !== undefined) {
    // The link of a mail. Its secrets must not stay in the address bar and in the history.
    app.link = new URLSearchParams(query);
    history.replaceState(null, "", `#/${name}`);
  }
  const allowed = app.user ? VIEWS.user : VIEWS.visitor;
  const view = allowed.includes(name) ? name : allowed[0];
  // A visitor is led to the login; the address stays, and is where the user arrives then.
  if (app.user && view !== name) history.replaceState(null, "", `#/${view}`);
  for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== `view-${view}`;
  for (const anchor of document.querySelectorAll("nav a")) {
    anchor.ariaCurrent = anchor.hash === `#/${view}` ? "page" : null;
  }
  notice(!app.user && name === "verify-email" ? "Log in to verify your address." : app.message);
  app.message = "";
  const title = document.querySelector(`#view-${view} h1`);
  document.title = `${title.textContent} · Notes`;
  // The focus follows, so that a screen reader reads the title. Not when the application starts.
  if (shown !== null && shown !== view) title.focus();
  shown = view;
  try {
    await views[view]?.();
  } catch (error) {
    notice(explain(error));
  }
}

function header() {
  for (const id of ["nav", "logout", "signed-in-as"]) element(id).hidden = app.user === null;
  element("signed-in-as").textContent = app.user?.name ?? "";
  if (app.user) app.auth.providers.list().then((all) => { element("nav-providers").hidden = all.length === 0; }, () => {});
  document.body.dataset.router = app.router;
}

/** Finds out who is logged in: at the start, and when that has changed, also in another tab. */
async function start() {
  const wasLoggedIn = app.user !== null;
  app.user = null;
  try {
    if ((await app.auth.session()).authenticated) await app.load();
  } catch (error) {
    // 401: the session has ended meanwhile.
    if (error.status !== 401) app.message = explain(error);
  }
  // Who had to log in first because an account has the address can link it now.
  if (app.user && left.link) history.replaceState(null, "", "#/link");
  if (wasLoggedIn && !app.user) {
    app.message ||= app.farewell || "You are logged out.";
    app.farewell = "";
  }
  header();
  await show();
}

for (const [router, client] of Object.entries(clients)) {
  client.onchange = () => { if (router === app.router) start(); };
}
addEventListener("user", header);
addEventListener("hashchange", show);
element("router").addEventListener("change", ({ target }) => {
  app.router = target.value;
  localStorage.setItem("router", app.router);
  app.user = null;
  start();
});
element("skip").addEventListener("click", (event) => {
  event.preventDefault();
  element("main").focus();
});
onClick(element("logout"), () => app.auth.logout());
onClick(element("burst"), async () => {
  const before = refreshes;
  const send = async () => (await app.auth.fetch("/api/me")).status;
  const statuses = await Promise.all(Array.from({ length: 30 }, send));
  const counts = Map.groupBy(statuses, (status) => status);
  const result = [...counts].map(([status, all]) => `${all.length} × ${status}`).join(", ");
  element("burst-result").textContent = `Responses: ${result}. Refreshes of this tab: ${refreshes - before}.`;
});

for (const part of document.querySelectorAll(".with-passkeys")) part.hidden = !passkeysWork();
element(`router-${app.router}`).checked = true;
listRequests(element("requests"), () => (app.router === "cookies" ? "with cookies" : "without a credential"));
await arrive();
start();
