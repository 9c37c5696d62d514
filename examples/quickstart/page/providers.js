/**
 * Signing in with a provider: the browser leaves this page, and comes back over the module's callback. What connects the
 * two is in cookies that no script can read.
 */

import { Cancelled, call, send } from "./api.js";
import { read, session } from "./session.js";
import { want } from "./router.js";

/** What a name is called on a button. */
const TITLES = new Map([
  ["google", "Google"], ["github", "GitHub"], ["microsoft", "Microsoft"], ["demo", "the demonstration provider"],
]);

export const title = (provider) => TITLES.get(provider) ?? provider;

/** What the callback tells the page about a failure: only its code. */
const REFUSALS = new Map(Object.entries({
  account_exists: "There is an account with your address already. Log in to it as always.",
  email_not_verified: "Verify the address of your account first.",
  identity_taken: "Somebody else's account is linked with that already.",
  invalid_flow_token: "That took too long, or began in another browser. If an app has opened this page, open it in your "
    + "browser and try again.",
  not_allowed: "This account cannot be used here.",
  password_confirmation_required: "Confirm that it is you, and try again.",
  provider_email_unverified: "The provider does not say that the address is yours, so it makes no account here.",
  provider_refused: "The provider has not confirmed who you are, or you have cancelled.",
  provider_unavailable: "The provider cannot be reached. Try again in a few seconds, or sign in in another way.",
  registration_closed: "There is no account for you here, and this page makes none.",
  too_many_attempts: "There were too many attempts. Try again in a minute.",
}));

/** What was done when the callback leads here. A link that somebody has forged can only show one of these texts. */
const DONE = new Map(Object.entries({
  confirmed: { path: "/profile", text: "It is confirmed that it is you. Repeat what you wanted to do." },
  linked: { path: "/providers", text: "You can sign in with it from now on." },
  "signed-in": { path: "/profile", text: "You are signed in." },
}));

/** The names of the providers. */
export const providers = async () => (await read("web/auth/oauth/providers")).map(({ name }) => name);

/** What the callback has left for the page: `registration` and `link`, or null. */
export const pending = () => read("web/auth/oauth/pending");

/** Leaves the page to sign in. */
export const signIn = (provider, remember) => leave(call, `web/auth/oauth/${provider}/authorize`, "signed-in", { remember });

/** Leaves the page to link what somebody has there with the account. */
export const link = (provider) => leave(call, `web/auth/user/identities/${provider}/authorize`, "linked");

/** Leaves the page to confirm that it is the user. The view of now is opened again. */
export const confirm = (provider) => {
  want(location.hash.slice(1));
  return leave(send, `web/auth/user/confirm-provider/${provider}/authorize`, "confirmed");
};

async function leave(request, path, done, more = {}) {
  const { authorizationUrl } = await request("POST", path, { next: `/?done=${done}`, ...more });
  location.assign(authorizationUrl);
  // The page is gone in a moment, and until then nothing can be pressed. Who comes back with the browser's button has cancelled.
  await new Promise((resolve) => { addEventListener("pageshow", resolve, { once: true }); });
  throw new Cancelled();
}

/**
 * Reads what the callback has written into the address, takes it out of there, and returns what to show with the first
 * view: `{message, tone}`.
 */
export async function arrive() {
  const parameters = new URLSearchParams(location.search);
  const [code, done] = [parameters.get("error"), DONE.get(parameters.get("done"))];
  if (code === null && !done) return {};
  const open = (path) => history.replaceState(null, "", `${location.pathname}#${path}`);
  const home = session.account ? want() ?? done?.path ?? "/profile" : "/login";
  if (code === null) {
    open(home);
    // Without a session there is nothing to say: somebody has come back to an old address.
    return session.account ? { message: done.text, tone: "good" } : {};
  }
  if (code === "account_pending_deletion") {
    open(`/keep?until=${encodeURIComponent(parameters.get("deletesAt") ?? "")}`);
    return {};
  }
  open(home);
  let message = REFUSALS.get(code) ?? "The sign-in did not succeed.";
  if (code === "account_exists") {
    const { link: waiting } = await pending();
    if (waiting) {
      want("/link-provider");
      message = `There is an account with ${waiting.email} already. Log in to it as always. Then you can link it with `
        + `${title(waiting.provider)}.`;
    }
  }
  return { message, tone: "bad" };
}
