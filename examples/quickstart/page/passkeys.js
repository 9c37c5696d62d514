/** Passkeys: what the browser does between the options of a route and the request with the credential (WebAuthn Level 3). */

import { Cancelled, Problem, call, send } from "./api.js";

/** Whether the browser can read the options of the routes. */
export const arePossible = Boolean(globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON);

/** A browser asks for one passkey at a time. The next question ends the one that waits in the field of the address. */
let asking = new AbortController();

/** Signs in with a passkey. `autofill`: the browser offers it in a field whose `autocomplete` has `webauthn`. */
export async function signIn(begun, { autofill = false, remember }) {
  const credential = await prove(begun.options, autofill ? { mediation: "conditional" } : {});
  try {
    return await call("POST", "web/auth/passkeys/login", {
      flowToken: begun.flowToken, credential, remember: remember(),
    });
  } catch (problem) {
    if (problem.code === "unknown_passkey") {
      signal("signalUnknownCredential", { rpId: begun.options.rpId, credentialId: credential.id });
    }
    throw problem;
  }
}

/** The options for a login. Nothing is stored until somebody signs in, so the page asks for them when it opens. */
export const beginSignIn = () => call("GET", "web/auth/passkeys/login/options", undefined, { quiet: true });

/** Whether the browser can offer passkeys in a field. */
export const canAutofill = async () => (
  arePossible && Boolean(await PublicKeyCredential.isConditionalMediationAvailable?.())
);

/** Makes a passkey on this device, a telephone or a security key, and adds it to the account. */
export async function add(name) {
  const { options, flowToken } = await call("GET", "web/auth/user/passkeys/options");
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await ask("create", { publicKey }, options.rp.id);
  return call("POST", "web/auth/user/passkeys", { flowToken, credential, ...(name && { name }) });
}

/** Completes a login with a passkey as the second factor. `trustDevice`: from then on a login on this device needs none. */
export async function answerChallenge(trustDevice) {
  const { options, flowToken } = await call("POST", "web/auth/two-factor-challenge/passkey-options", {});
  const credential = await prove(options);
  return call("POST", "web/auth/two-factor-challenge", { flowToken, credential, ...(trustDevice && { trustDevice }) });
}

/** Proves a passkey in the session. */
export async function confirm() {
  const { options, flowToken } = await send("GET", "web/auth/user/confirm-passkey/options");
  const credential = await prove(options);
  return send("POST", "web/auth/user/confirm-passkey", { flowToken, credential });
}

/** Tells the browser, and the password manager in it, which passkeys the account has and what it is called. */
export function tell({ rpId, userHandle, user, passkeys }) {
  if (!userHandle) return;
  const allAcceptedCredentialIds = passkeys.map(({ credentialId }) => credentialId);
  signal("signalAllAcceptedCredentials", { rpId, userId: userHandle, allAcceptedCredentialIds });
  signal("signalCurrentUserDetails", { rpId, userId: userHandle, ...user });
}

/** Tells the browser which passkeys are left after one was removed. */
export function tellRemoved({ rpId, userHandle, credentialIds }) {
  signal("signalAllAcceptedCredentials", { rpId, userId: userHandle, allAcceptedCredentialIds: credentialIds });
}

/**
 * The address of this page at which the passkeys of this site work, or null if they work here. Browsers have no passkeys for an
 * IP address.
 */
export function elsewhere(rpId) {
  const { hostname, port, protocol } = location;
  if (hostname === rpId || hostname.endsWith(`.${rpId}`)) return null;
  return `${protocol}//${rpId}${port && `:${port}`}/`;
}

/** Stops waiting for a passkey, when another view takes the place of the login. */
export function stopAsking() {
  asking.abort();
}

function prove(options, more = {}) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return ask("get", { publicKey, ...more }, options.rpId);
}

/** Asks for a passkey: `create` or `get`. Returns the credential as JSON. */
async function ask(method, request, rpId) {
  asking.abort();
  asking = new AbortController();
  try {
    const credential = await navigator.credentials[method]({ ...request, signal: asking.signal });
    return credential.toJSON();
  } catch (error) {
    throw explained(error, rpId);
  }
}

/** What a person can do about an error of the browser. */
function explained(error, rpId) {
  switch (error.name) {
    case "AbortError":
    case "NotAllowedError": return new Cancelled();
    case "InvalidStateError": return new Problem({ detail: "This device has a passkey of this account already." });
    case "SecurityError": return new Problem({ detail: `The passkeys of this site work at ${elsewhere(rpId) ?? rpId}` });
    case "NotSupportedError": return new Problem({ detail: "This device has no passkeys of a kind that the module accepts." });
    default: return error;
  }
}

/** Older browsers do not have these methods. Nothing depends on them. */
function signal(method, value) {
  PublicKeyCredential[method]?.(value)?.catch(() => {});
}
