// Signing in with a provider. With tokens the provider leads back to `/callback/NAME`, which is this application; with cookies to the
// module's own route, which leads to `/#/…` or, with `?error=`, here.

import { element, explain, onClick } from "./forms.js";
import { app } from "./state.js";

const TEXTS = new Map([
  ["account_exists", "There is an account with your address. Log in to it as always. Then you can link it."],
  ["identity_taken", "Another account is linked with that already."],
  ["invalid_flow_token", "That took too long, or began in another browser. If an app has opened this page, open it in your "
    + "browser and try again."],
  ["provider_email_unverified", "The provider does not say that the address is yours."],
  ["provider_refused", "The provider has not confirmed who you are, or you have cancelled."],
  ["provider_unavailable", "The provider cannot be reached. Try again in a few seconds."],
  ["registration_closed", "There is no account for you here."],
]);

/** What a failure means for a person. */
const meaning = (error) => TEXTS.get(error.code) ?? explain(error);

/** What a sign-in has left for the next view: the registration, or the link. With tokens it is gone when the page is closed. */
export const left = { registration: null, link: null };

/** With cookies the module's own route is the first that is configured. */
const redirect = (name) => (app.router === "tokens" ? `${location.origin}/callback/${name}` : undefined);

/** A button for each provider, or none if there are none. */
export async function drawButtons(id, label, act) {
  const place = element(id);
  // A host without the feature has no such route.
  const all = await app.auth.providers.list().catch(() => []);
  place.hidden = all.length === 0;
  place.replaceChildren(...all.map(({ name }) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "quiet", textContent: `${label} ${name}` });
    onClick(button, () => act(name));
    return button;
  }));
  return all.length > 0;
}

export const signIn = (name) => app.auth.providers.signIn(name, redirect(name), {
  next: "/#/notes", remember: element("login-remember").checked,
});

export const link = (name) => app.auth.providers.link(name, redirect(name), { next: "/#/providers" });

/** Finishes what the page was left for. Leads to the view for what comes next. */
export async function arrive() {
  const query = new URLSearchParams(location.search), [, provider] = location.pathname.match(/^\/callback\/([a-z0-9-]+)$/) ?? [];
  if (app.router === "cookies" && (query.has("error") || location.hash === "#/provider-registration")) {
    Object.assign(left, await app.auth.providers.pending().catch(() => ({})));
  }
  if (!provider && !query.has("error")) return;
  // Codes and states must not stay in the address bar and in the history.
  const open = (fragment) => history.replaceState(null, "", `/${fragment}`);
  open(location.hash);
  if (!provider && query.get("error") === "account_pending_deletion") {
    app.pending = { deletesAt: query.get("deletesAt") };
    open("#/keep");
    return;
  }
  if (!provider) {
    app.message = TEXTS.get(query.get("error")) ?? "That did not succeed.";
    return;
  }
  try {
    const result = await app.auth.providers.finish(query);
    if (result.twoFactor) open("#/challenge");
    else if (result.registration) {
      left.registration = result;
      open("#/provider-registration");
    } else open(result.provider ? "#/providers" : "#/notes");
  } catch (error) {
    if (error.code === "account_pending_deletion") {
      app.pending = error;
      open("#/keep");
      return;
    }
    if (error.linkToken) left.link = { linkToken: error.linkToken, provider };
    app.message = meaning(error);
  }
}
