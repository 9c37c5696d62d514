// What each view shows and does. A function of `views` runs when its view is shown.

import { json } from "./client/index.js";
import { element, notice, onClick, onSubmit } from "./forms.js";
import { drawButtons, left, link, signIn } from "./providers.js";
import { app } from "./state.js";

const show = (id, isShown) => { element(id).hidden = !isShown; };

/** The default is what a reset of the form leaves. */
const fill = (id, value) => Object.assign(element(id), { value, defaultValue: value });

export const views = {
  async login() { await drawButtons("login-providers", "Log in with", signIn); },

  async providers() {
    const identities = await app.auth.providers.identities();
    list("identities", identities, identity);
    show("no-identities", identities.length === 0);
    await drawButtons("link-providers", "Link", link);
  },

  link() {
    if (!left.link) return app.go("providers");
    element("link-provider").textContent = left.link.provider;
    element("link-account").textContent = app.user.email;
  },

  "provider-registration"() {
    if (!left.registration) return app.go("login");
    element("provider-registration-email").textContent = left.registration.email;
    fill("provider-registration-name", left.registration.name ?? "");
  },

  async notes() { list("notes", await json(await app.auth.fetch("/api/notes")), note); notesChanged(); },

  async profile() {
    await app.load();
    fill("profile-name", app.user.name);
    fill("profile-email", app.user.email);
    show("email-verified", app.user.emailVerified);
    show("email-unverified", !app.user.emailVerified);
  },

  async passkeys() {
    const passkeys = await app.auth.passkeys.list();
    list("passkeys", passkeys, passkey);
    show("no-passkeys", passkeys.length === 0);
  },

  async "two-factor"() {
    await app.load();
    show("two-factor-off", !app.user.twoFactor);
    show("two-factor-on", app.user.twoFactor);
    show("two-factor-pending", false);
    show("recovery", false);
  },

  async sessions() {
    list("sessions", (await app.auth.call("GET", "/user/sessions")).sessions, session);
    const { devices } = await app.auth.call("GET", "/user/trusted-devices");
    list("devices", devices, device);
    show("trusted-devices", devices.length > 0);
  },

  mail() {
    const address = app.auth.mails.pending(), hasToken = app.link?.has("token") ?? false;
    // Without what this browser has kept, the link signs nobody in.
    if (hasToken && !address) notice("Type the code in the window where you began.");
    show("mail-link-form", hasToken && address !== null);
    for (const id of ["mail-code-form", "mail-again-part"]) show(id, !hasToken && address !== null);
    show("mail-form", address === null);
    element("mail-address").textContent = address ?? "";
  },

  "reset-password"() {
    const hasToken = app.link?.has("token") ?? false;
    show("reset-without-token", !hasToken);
    show("reset-form", hasToken);
    fill("reset-email", app.link?.get("email") ?? "");
  },

  keep() {
    if (!app.pending) return app.go("login");
    const until = new Date(app.pending.deletesAt);
    element("keep-until").dateTime = app.pending.deletesAt;
    element("keep-until").textContent = until.toLocaleString();
  },

  restore() {
    const hasToken = app.link?.has("token") ?? false;
    show("restore-without-token", !hasToken);
    show("restore-form", hasToken);
  },

  /** The link in the mail leads here. The address is verified when its user is logged in, so a mail scanner that opens
   *  the link changes nothing. */
  async "verify-email"() {
    const link = app.link;
    if (!link?.has("hash")) {
      element("verify-result").textContent = "Open the link in the mail again: this page does not keep it.";
      return;
    }
    app.link = null;
    const path = ["id", "hash"].map((name) => encodeURIComponent(link.get(name))).join("/");
    const query = new URLSearchParams({ signature: link.get("signature"), expires: link.get("expires") });
    const { message } = await app.auth.call("GET", `/email/verify/${path}?${query}`);
    element("verify-result").textContent = message;
  },
};

// Login and registration. The client tells the application that somebody is logged in now.
onSubmit("login-form", (fields) => started(() => app.auth.login(fields)));
onSubmit("register-form", (fields) => app.auth.register(fields));

// A login by mail, to an account that there is or to a new one.
const mailed = async (email, options) => {
  const { message } = await app.auth.mails.begin(email, options);
  await views.mail();
  notice(message);
};
onSubmit("mail-form", ({ email, remember }) => mailed(email, { remember }));
onClick(element("mail-again"), () => mailed(app.auth.mails.pending()));
onSubmit("mail-code-form", ({ code }) => withMail({ code: code.trim() }));
onSubmit("mail-link-form", () => withMail({ token: app.link.get("token") }));

async function withMail(proof) {
  try {
    await started(() => app.auth.mails.signIn(proof));
    app.link = null;
  } catch (error) {
    if (error.code !== "invalid_flow_token") throw error;
    app.link = null;
    app.go("mail", "That has expired. Ask for another mail.");
  }
}

onSubmit("challenge-form", challenge);
onSubmit("recovery-form", challenge);

/** Goes on with a sign-in: it can need a second factor, or the account is going to be deleted. */
async function started(signIn) {
  try {
    const result = await signIn();
    if (result.twoFactor) app.go("challenge");
    if (!result.registration) return;
    left.registration = result;
    app.go("provider-registration");
  } catch (error) {
    if (error.code !== "account_pending_deletion") throw error;
    app.pending = error;
    app.go("keep");
  }
}

async function challenge(fields) {
  try {
    await started(() => app.auth.call("POST", "/two-factor-challenge", fields));
  } catch (error) {
    if (error.code !== "invalid_challenge_token") throw error;
    app.go("login", "That took too long, or too many codes were wrong. Please log in again.");
  }
}

onClick(element("login-passkey"), () => (
  started(() => app.auth.passkeys.signIn({ remember: element("login-remember").checked }))
));
onClick(element("challenge-passkey"), () => (
  started(() => app.auth.passkeys.answerChallenge({ trustDevice: element("challenge-trust").checked }))
));

// A forgotten password.
onSubmit("forgot-form", async (fields) => {
  const { message } = await app.auth.call("POST", "/forgot-password", fields);
  notice(message);
});
onSubmit("reset-form", async (fields) => {
  const { message } = await app.auth.call("POST", "/reset-password", { ...fields, token: app.link.get("token") });
  app.link = null;
  app.go("login", message);
});

// The account.
onSubmit("profile-form", async (fields) => {
  const { message } = await app.auth.call("PUT", "/user/profile-information", fields);
  await views.profile();
  notice(message);
});
onSubmit("password-form", async (fields) => {
  const { message } = await app.auth.call("PUT", "/user/password", fields);
  notice(message);
});
onClick(element("send-verification"), async () => {
  const { message } = await app.auth.call("POST", "/email/verification-notification");
  notice(message);
});

// The account is deleted, and kept after all.
onClick(element("delete-account"), async () => {
  app.farewell = "Your account will be deleted. The mail says when. If you want to keep it, log in.";
  try {
    await app.auth.deleteAccount();
  } catch (error) {
    app.farewell = "";
    throw error;
  }
});
onSubmit("keep-form", async () => {
  try {
    await app.auth.restore(app.pending.restoreToken ?? undefined);
  } catch (error) {
    if (!["invalid_mail_token", "expired_mail_token"].includes(error.code)) throw error;
    app.go("login", "Too much time has passed since you logged in. Log in once more.");
  }
});
onSubmit("restore-form", async () => {
  const { message } = await app.auth.restore(app.link.get("token"));
  app.link = null;
  app.go(app.user ? "notes" : "login", message);
});

// Passkeys.
onSubmit("passkey-form", async ({ name }) => {
  const added = await app.auth.passkeys.register({ name: name.trim() || undefined });
  await views.passkeys();
  notice(`You can log in with the passkey “${added.name}” now.`);
});

function passkey({ id, name, lastUsedAt, createdAt }) {
  const used = lastUsedAt ? `last used ${new Date(lastUsedAt).toLocaleString()}` : "not used yet";
  const remove = Object.assign(made("button", "Remove"), { type: "button", className: "quiet" });
  remove.ariaLabel = `Remove the passkey: ${name}`;
  onClick(remove, async () => {
    const { message } = await app.auth.passkeys.remove(id);
    await views.passkeys();
    notice(message);
  });
  return [made("strong", name), made("span", `Added ${new Date(createdAt).toLocaleDateString()} · ${used}`), remove];
}

// Providers.
onSubmit("provider-registration-form", async (fields) => {
  const { registrationToken } = left.registration;
  await app.auth.call("POST", "/register/passwordless", { registrationToken, ...fields });
  left.registration = null;
});
onSubmit("link-form", async () => {
  const { linkToken } = left.link;
  await app.auth.providers.linkWith(linkToken).finally(() => { left.link = null; });
  app.go("providers", "You can log in with it now.");
});

function identity({ id, provider, email, lastUsedAt }) {
  const used = lastUsedAt ? `last used ${new Date(lastUsedAt).toLocaleString()}` : "not used yet";
  const unlink = Object.assign(made("button", "Unlink"), { type: "button", className: "quiet" });
  unlink.ariaLabel = `Unlink ${provider}${email ? `, ${email}` : ""}`;
  onClick(unlink, async () => {
    const { message } = await app.auth.providers.unlink(id);
    await views.providers();
    notice(message);
  });
  return [made("strong", provider), made("span", [email, used].filter(Boolean).join(" · ")), unlink];
}

// The second factor.
onClick(element("two-factor-enable"), async () => {
  await app.auth.call("POST", "/user/two-factor-authentication");
  const [{ svg }, { secretKey }] = await Promise.all([
    app.auth.call("GET", "/user/two-factor-qr-code"),
    app.auth.call("GET", "/user/two-factor-secret-key"),
  ]);
  // As an image: an image runs no scripts, whatever is in it.
  element("two-factor-qr").src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  element("two-factor-key").textContent = secretKey;
  show("two-factor-off", false);
  show("two-factor-pending", true);
  element("two-factor-code").focus();
});
onSubmit("two-factor-form", async (fields) => {
  await app.auth.call("POST", "/user/confirmed-two-factor-authentication", fields);
  await views["two-factor"]();
  await showRecoveryCodes("GET");
  notice("Two-factor authentication is on. Keep the recovery codes.");
});
onClick(element("two-factor-disable"), async () => {
  const { message } = await app.auth.call("DELETE", "/user/two-factor-authentication");
  await views["two-factor"]();
  notice(message);
});
onClick(element("recovery-show"), () => showRecoveryCodes("GET"));
onClick(element("recovery-regenerate"), () => showRecoveryCodes("POST"));
onClick(element("recovery-copy"), async () => {
  const codes = [...element("recovery-codes").children].map((item) => item.textContent);
  await navigator.clipboard.writeText(codes.join("\n"));
  notice("The codes are in the clipboard.");
});

async function showRecoveryCodes(method) {
  const codes = await app.auth.call(method, "/user/two-factor-recovery-codes");
  list("recovery-codes", codes, (code) => [code]);
  element("recovery-download").href = `data:text/plain,${encodeURIComponent(`${codes.join("\n")}\n`)}`;
  show("recovery", true);
}

// Sessions.
function session({ id, current, kind, client, userAgent, lastUsedAt, authenticatedBy, actor }) {
  const place = [actor ? `Support (${actor.sub})` : kind === "browser" ? "Browser" : "Tokens", client, authenticatedBy.includes("mfa") && "second factor"];
  const title = made("strong", current ? "This session" : `Last used ${new Date(lastUsedAt).toLocaleString()}`);
  const text = made("span", [...place, userAgent].filter(Boolean).join(" · "));
  if (current) return [title, text];
  const end = Object.assign(made("button", "End"), { type: "button", className: "quiet" });
  end.ariaLabel = `End the session: ${title.textContent}, ${text.textContent}`;
  onClick(end, async () => {
    await app.auth.call("DELETE", `/user/sessions/${id}`);
    await views.sessions();
  });
  return [title, text, end];
}
function device({ id, current, userAgent, createdAt }) {
  const title = made("strong", current ? "This device" : `Trusted since ${new Date(createdAt).toLocaleDateString()}`);
  const forget = Object.assign(made("button", "Forget"), { type: "button", className: "quiet" });
  forget.ariaLabel = `Forget the device: ${title.textContent}`;
  onClick(forget, async () => {
    const { message } = await app.auth.call("DELETE", `/user/trusted-devices/${id}`);
    await views.sessions();
    notice(message);
  });
  return [title, made("span", userAgent ?? ""), forget];
}
onClick(element("end-others"), async () => {
  const { message } = await app.auth.call("DELETE", "/user/sessions");
  await views.sessions();
  notice(message);
});

// The notes: routes of this host.
const note = ({ text }) => [made("span", text)];

function notesChanged() {
  show("no-notes", element("notes").children.length === 0);
  for (const id of ["export-notes", "delete-notes"]) show(id, element("notes").children.length > 0);
}
onSubmit("note-form", async (fields) => {
  const init = { method: "POST", body: JSON.stringify(fields), headers: { "content-type": "application/json" } };
  element("notes").prepend(item(note(await json(await app.auth.fetch("/api/notes", init)))));
  notesChanged();
});
onClick(element("export-notes"), async () => {
  const notes = await json(await app.auth.fetch("/api/notes/export"));
  const href = `data:application/json,${encodeURIComponent(JSON.stringify(notes))}`;
  Object.assign(document.createElement("a"), { href, download: "notes.json" }).click();
  notice("The notes are in your downloads.");
});
onClick(element("delete-notes"), async () => {
  await json(await app.auth.fetch("/api/notes", { method: "DELETE" }));
  await views.notes();
});

function made(tag, textContent) {
  return Object.assign(document.createElement(tag), { textContent });
}

function item(content) {
  const made = document.createElement("li");
  made.append(...content);
  return made;
}

function list(id, values, content) {
  element(id).replaceChildren(...values.map((value) => item(content(value))));
}
