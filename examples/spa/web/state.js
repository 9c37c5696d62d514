// What the application knows, for all of its modules.

import { AuthClient, json } from "./client/index.js";
import { askForProof, askToConfirm } from "./forms.js";

const questions = {
  confirmPassword: (error, refusal) => askToConfirm(error, refusal, () => app.auth.mails.askToConfirm()),
  proveMore: askForProof,
};

// One client for each router. An application has one of them.
export const clients = {
  cookies: new AuthClient({ base: "/auth", ...questions }),
  tokens: new AuthClient({ base: "/bearer", tokens: true, ...questions }),
};

export const app = {
  /** The selected router: `cookies` or `tokens`. */
  router: localStorage.getItem("router") === "tokens" ? "tokens" : "cookies",
  /** The profile of the user who is logged in, or null. */
  user: null,
  /** The parameters of the link in a mail, which are not in the address bar any more. */
  link: null,
  /** The error of a sign-in to an account that is going to be deleted. */
  pending: null,
  /** Why the user is going to be logged out. */
  farewell: "",
  /** What the next view says first. */
  message: "",

  get auth() { return clients[app.router]; },

  /** Reads the profile. */
  async load() {
    app.user = await json(await app.auth.fetch("/api/me"));
    dispatchEvent(new Event("user"));
  },

  /** Shows a view, and a message above it. */
  go(view, message = "") {
    app.message = message;
    if (location.hash === `#/${view}`) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = `/${view}`;
  },
};
