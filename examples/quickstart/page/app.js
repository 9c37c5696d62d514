/**
 * The quickstart's page: a front end for everything that the authentication module does, without a framework and
 * without a build step. This file connects the parts: `router.js` chooses the view, the folder `views` has a script for
 * each, `api.js` sends the requests, and `wire.js` shows them.
 */

import { confirmWith, wire } from "./api.js";
import { askForConfirmation } from "./dialogs.js";
import { arrive } from "./providers.js";
import { go, leaveOut, start } from "./router.js";
import { elsewhere, isOn, loadSession, loadSettings, session, takeWord, viewAt } from "./session.js";
import { confirmAddress } from "./views/address.js";
import { apiTokens } from "./views/api-tokens.js";
import { byMail, registerByMail } from "./views/by-mail.js";
import { keep, restore } from "./views/deletion.js";
import { lockDown, lockedDown, takeBack } from "./views/lock-down.js";
import { challenge, logIn, logOut, register } from "./views/login.js";
import { outbox } from "./views/outbox.js";
import { passkeys } from "./views/passkeys.js";
import { password } from "./views/password.js";
import { profile, verifyEmail } from "./views/profile.js";
import { identities, linkProvider, registerByProvider } from "./views/providers.js";
import { acceptInvitation, forgotPassword, resetPassword } from "./views/recovery.js";
import { safe } from "./views/safe.js";
import { sessions } from "./views/sessions.js";
import { trustedDevices } from "./views/trusted-devices.js";
import { twoFactor } from "./views/two-factor.js";
import "./wire.js";

const resets = "reset-passwords";
const verification = "email-verification";
const secondFactor = "two-factor-authentication";
const passwordless = "passwordless-registration";
const changes = "change-emails";
const social = "social-login";
const deletions = "delete-accounts";

const views = {
  "/login": { template: "view-login", start: logIn, for: "guests" },
  "/login-by-mail": { template: "view-login-by-mail", start: byMail, for: "guests", feature: "email-login" },
  "/register-by-mail": { template: "view-register-by-mail", start: registerByMail, for: "guests", feature: passwordless },
  "/register-by-provider": {
    template: "view-register-by-provider", start: registerByProvider, for: "guests", feature: passwordless,
  },
  "/register": { template: "view-register", start: register, for: "guests", feature: "registration" },
  "/two-factor-challenge": { template: "view-challenge", start: challenge, for: "guests", feature: secondFactor },
  "/forgot-password": { template: "view-forgot-password", start: forgotPassword, for: "guests", feature: resets },
  "/reset-password": { template: "view-reset-password", start: resetPassword, feature: resets },
  "/invitation": { template: "view-invitation", start: acceptInvitation, feature: "invitations" },
  "/verify-email": { template: "view-verify-email", start: verifyEmail, for: "users", feature: verification },
  "/email-change": { template: "view-email-change", start: confirmAddress, for: "users", feature: changes },
  "/revert": { template: "view-revert", start: takeBack, feature: changes },
  "/secure": { template: "view-secure", start: lockDown, feature: "security-notices" },
  "/locked-down": { template: "view-locked-down", start: lockedDown },
  "/restore": { template: "view-restore", start: restore, feature: deletions },
  "/keep": { template: "view-keep", start: keep, for: "guests", feature: deletions },
  "/profile": { template: "view-profile", start: profile, for: "users" },
  "/password": { template: "view-password", start: password, for: "users" },
  "/passkeys": { template: "view-passkeys", start: passkeys, for: "users", feature: "passkeys" },
  "/providers": { template: "view-providers", start: identities, for: "users", feature: social },
  "/link-provider": { template: "view-link-provider", start: linkProvider, for: "users", feature: social },
  "/two-factor": { template: "view-two-factor", start: twoFactor, for: "users", feature: secondFactor },
  "/api-tokens": { template: "view-api-tokens", start: apiTokens, for: "users", feature: "api-tokens" },
  "/trusted-devices": {
    template: "view-trusted-devices", start: trustedDevices, for: "users", feature: "trusted-devices",
  },
  "/sessions": { template: "view-sessions", start: sessions, for: "users", feature: "sessions" },
  "/safe": { template: "view-safe", start: safe, for: "users" },
};

confirmWith((methods) => askForConfirmation(session.account?.email ?? "", methods));
logOut(document.querySelector("#log-out-form"));
wire.addEventListener("ended", () => {
  if (!session.account) return;
  session.account = null;
  go("/login", "Your session has ended. Log in again.", "bad");
});

wire.addEventListener("leaving", ({ detail }) => go(`/keep?until=${encodeURIComponent(detail)}`));

/** Says if links in mails and providers lead to another address, where the session of this one does not exist. */
function drawElsewhere() {
  const [place, there] = [document.querySelector("#elsewhere"), elsewhere()];
  if (!there) return;
  const [here, link] = [place.querySelector("b"), place.querySelector("a")];
  here.textContent = location.host;
  Object.assign(link, { href: viewAt(there), textContent: `Open ${new URL(there).host}` });
  place.hidden = false;
}

takeWord();

try {
  await loadSettings();
  if (!isOn("browser-sessions")) throw new Error("This page needs the feature browser-sessions. See AUTH_FEATURES.");
  leaveOut(document);
  drawElsewhere();
  await loadSession();
  const first = isOn(social) ? await arrive() : {};
  start(session.outbox ? { ...views, "/outbox": { template: "view-outbox", start: outbox } } : views, first);
} catch (error) {
  const notice = document.querySelector("#notice");
  notice.className = "message bad";
  notice.textContent = error.message;
}
