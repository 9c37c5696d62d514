/** Shows the view that the address names: `#/sessions`. Views open others with `go` and `enter`. */

import { isOn, loadSession, session, takeWord } from "./session.js";

const place = document.querySelector("#view");
const notice = document.querySelector("#notice");

/**
 * Where this tab keeps the address that a guest wanted to open, and gets after the login. It may have the token of a
 * mail's link, which must outlast a reload between the two steps of the login.
 */
const WANTED = "wanted";

let views = {};
/** Tells the view that is shown that another one takes its place. */
let shown = new AbortController();

/**
 * Takes the views, by their paths, and shows the first one. A view has a `template`, a function `start` for its script,
 * and, if it is not for everybody, whom it is `for`: `guests` or `users`. It is there only while its `feature` is on.
 * `first` is the message above the first one.
 */
export function start(table, first = {}) {
  views = table;
  addEventListener("hashchange", () => {
    // Other fragments are places on the page.
    if (takeWord() || location.hash.startsWith("#/")) show({ focus: true });
  });
  show({ focus: false, ...first });
}

/** Opens a view, and shows a message above it: a sentence, or nodes. `tone` is `good`, `bad` or `neutral`. */
export function go(path, message = "", tone = "good") {
  history.pushState(null, "", `#${path}`);
  show({ focus: true, message, tone });
}

/** Keeps the view that is opened after a login. Without a path: returns the one that was kept, which is forgotten. */
export function want(path) {
  if (path) return sessionStorage.setItem(WANTED, path);
  const wanted = sessionStorage.getItem(WANTED);
  sessionStorage.removeItem(WANTED);
  return wanted;
}

/** After a login: opens what the user wanted before it, or the profile. */
export async function enter(message) {
  if (!await loadSession()) {
    const why = "The login succeeded, but the browser did not keep the session cookie. Over plain HTTP, browsers "
      + "keep it only from localhost, and Safari never does. For development there is AUTH_INSECURE_COOKIES=1.";
    return go("/login", why, "bad");
  }
  go(want() ?? "/profile", message);
}

function show({ focus, message = "", tone = "good" }) {
  const [path, query = ""] = location.hash.slice(1).split("?");
  const view = views[path];
  const home = session.account ? "/profile" : "/login";
  if (!view || (view.feature && !isOn(view.feature)) || (view.for === "guests" && session.account)) {
    return instead(home, { focus, message, tone });
  }
  if (view.for === "users" && !session.account) {
    want(location.hash.slice(1));
    return instead(home, message ? { focus, message, tone } : { focus, message: "Log in to open this page.", tone: "neutral" });
  }
  // What a mail's link has in its address is for the view, and not for the history.
  if (query) history.replaceState(null, "", `#${path}`);
  shown.abort();
  shown = new AbortController();
  place.replaceChildren(document.getElementById(view.template).content.cloneNode(true));
  leaveOut(place);
  notice.className = `message ${tone}`;
  notice.replaceChildren(...[message].flat());
  const heading = place.querySelector("h1");
  document.title = `${heading.textContent} · axum-auth-module`;
  frame(path);
  if (focus) {
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  view.start({ parameters: new URLSearchParams(query), signal: shown.signal });
}

function instead(path, options) {
  history.replaceState(null, "", `#${path}`);
  show(options);
}

/** What is around the view. */
function frame(path) {
  const { account, outbox } = session;
  const hide = (id, hidden) => { document.getElementById(id).hidden = hidden; };
  hide("intro", Boolean(account) || path === "/outbox");
  hide("account-nav", !account);
  hide("log-out-item", !account);
  hide("outbox-item", !outbox);
  document.querySelector("#account-name").textContent = account?.name ?? "";
  for (const link of document.querySelectorAll("nav a, .top-links a")) {
    if (link.hash === `#${path}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Removes what belongs to features that are off, and what is only for pages without a feature that is on. */
export function leaveOut(root) {
  for (const part of root.querySelectorAll("[data-feature]")) {
    if (!isOn(part.dataset.feature)) part.remove();
  }
  for (const part of root.querySelectorAll("[data-without-feature]")) {
    if (isOn(part.dataset.withoutFeature)) part.remove();
  }
}
