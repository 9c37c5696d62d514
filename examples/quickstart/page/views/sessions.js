/** The user's sessions, which can be ended one by one or all but the current one. */

import { call } from "../api.js";
import { go } from "../router.js";
import { ask } from "../dialogs.js";
import { onSubmit, show } from "../forms.js";
import { spoken } from "../language.js";
import { session } from "../session.js";

/** How a user logged in (RFC 8176). */
const PROOFS = {
  pwd: "password", otp: "one-time code", rec: "recovery code", pop: "passkey", email: "code by mail", fed: "provider",
  device: "trusted device",
};

const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function sessions() {
  const form = document.querySelector("#sessions-form");
  onSubmit(form, async (_, button) => {
    if (button?.id === "end-others") {
      await ask("Log out everywhere else?", "All your sessions but this one end at once.", "Log out everywhere else");
      const { message, ended } = await call("DELETE", "web/auth/user/sessions");
      await draw();
      return [spoken(message), ` There were ${ended}.`];
    }
    if (button?.dataset.session) return end(button.dataset.session, button.dataset.current === "true");
    await draw();
  });
  draw().catch((problem) => show(form, problem));
}

async function end(id, current) {
  const { message } = await call("DELETE", `web/auth/user/sessions/${encodeURIComponent(id)}`);
  if (current) {
    session.account = null;
    return go("/login", "You are logged out.");
  }
  await draw();
  document.querySelector("#view h1")?.focus();
  return spoken(message);
}

async function draw() {
  const { sessions } = await call("GET", "web/auth/user/sessions");
  document.querySelector("#sessions-list")?.replaceChildren(...sessions.map(item));
}

function item(session) {
  const root = document.querySelector("#part-session").content.cloneNode(true).querySelector(".session");
  const part = (name) => root.querySelector(`.session-${name}`);
  const device = session.actor ? `Support (${session.actor.sub})` : describe(session.userAgent);
  part("device").textContent = device;
  part("current").hidden = !session.current;
  part("last-used").replaceChildren(moment(session.lastUsedAt));
  part("created").replaceChildren(moment(session.createdAt));
  part("ends").replaceChildren(moment(session.expiresAt));
  // `mfa` says that there were two.
  const proofs = session.authenticatedBy.filter((proof) => proof !== "mfa");
  part("proof").textContent = proofs.map((proof) => PROOFS[proof] ?? proof).join(" and ");
  const kind = session.kind === "browser" ? "cookie" : "bearer token";
  part("kind").textContent = session.remembered ? `${kind}, remembered` : kind;
  part("client").textContent = session.client ?? "not recorded";
  part("agent").textContent = session.userAgent ?? "";
  Object.assign(part("end").dataset, { session: session.id, current: session.current });
  part("end").textContent = session.current ? "Log out" : "End it";
  part("end").setAttribute("aria-label", `${part("end").textContent}: ${device}`);
  return root;
}

/** A name for a user agent, for people only. The whole text is below it. */
export function describe(userAgent) {
  if (!userAgent) return "Unknown program";
  // The first one counts: Chrome also says that it is Safari, and Android that it is Linux.
  const first = (names) => names.find((name) => userAgent.includes(name));
  const program = first(["Edg", "Firefox", "Chrome", "Safari"]) ?? userAgent.split("/")[0];
  const system = first(["Android", "iPhone", "iPad", "Windows", "Mac", "Linux"]);
  return system ? `${program} on ${system}` : program;
}

/** `2 minutes ago`, with the exact time as a title. */
export function moment(text) {
  const time = document.createElement("time");
  const seconds = (new Date(text) - Date.now()) / 1000;
  const [size, unit] = [[86400, "day"], [3600, "hour"], [60, "minute"]].find(([size]) => Math.abs(seconds) >= size)
    ?? [1, "second"];
  time.dateTime = text;
  time.title = new Date(text).toLocaleString();
  time.textContent = Math.abs(seconds) < 10 ? "now" : RELATIVE.format(Math.round(seconds / size), unit);
  return time;
}
