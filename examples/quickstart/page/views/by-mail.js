/** Sign-in by mail: the request for the mail, the code or the link in it, and the name of a new user. */

import { call } from "../api.js";
import { onSubmit, say, show } from "../forms.js";
import { enter, go } from "../router.js";
import { mailed } from "../session.js";

/**
 * Where the browser keeps what connects the mail with this request. The link of the mail opens another tab, so it is not
 * in `sessionStorage`. Without it a code or a link signs nobody in.
 */
const FLOW = "login-by-mail";

/** The registration token of an address that was proven and has no account. It is a secret, and gone when the page is closed. */
let registrationToken;

const element = (id) => document.getElementById(id);

/** `#/login-by-mail`. The link of a mail leads here with its `token`. */
export function byMail({ parameters }) {
  const [request, code] = [element("by-mail-form"), element("by-mail-code-form")];
  onSubmit(request, async (values) => {
    const kept = localStorage.getItem(FLOW);
    // For the address of before, the mail has the code and the link of before.
    const body = kept ? { ...values, flowToken: kept } : values;
    const { message, flowToken } = await call("POST", "web/auth/login/email", body);
    localStorage.setItem(FLOW, flowToken);
    element("by-mail-code").hidden = false;
    return mailed(message);
  });
  // Mails show a code as 1234 5678.
  onSubmit(code, ({ code }) => signIn({ code: code.replaceAll(" ", "") }));
  element("by-mail-code").hidden = !localStorage.getItem(FLOW);
  const token = parameters.get("token");
  if (token) signIn({ token }).catch((problem) => show(request, problem));
}

/** Signs in with a code or with the token of a link. */
async function signIn(proof) {
  const flowToken = localStorage.getItem(FLOW);
  const form = element("by-mail-form");
  if (!flowToken) return say(form, "Type the code in the browser in which you have asked for the mail.", "bad");
  let result;
  try {
    result = await call("POST", "web/auth/login/email/verify", { flowToken, ...proof });
  } catch (problem) {
    if (problem.code !== "invalid_flow_token") throw problem;
    localStorage.removeItem(FLOW);
    element("by-mail-code").hidden = true;
    return say(form, "That has expired or was used. Ask for another mail.", "bad");
  }
  localStorage.removeItem(FLOW);
  if (result.twoFactor) return go("/two-factor-challenge");
  if (result.registration) {
    registrationToken = result.registrationToken;
    return go("/register-by-mail", `There is no account for ${result.email} yet.`);
  }
  // Somebody else may have chosen it: nobody had proven before that the address is theirs.
  const removed = result.passwordRemoved ? " The password of this account was removed. You can set another one." : "";
  return enter(`You are signed in.${removed}`);
}

/** `#/register-by-mail`: what the account of a proven address still needs. */
export function registerByMail() {
  if (!registrationToken) return go("/login-by-mail", "Prove the address first.", "bad");
  onSubmit(element("register-by-mail-form"), async (values) => {
    try {
      await call("POST", "web/auth/register/passwordless", { registrationToken, ...values });
    } catch (problem) {
      if (problem.code !== "invalid_flow_token") throw problem;
      registrationToken = undefined;
      return go("/login-by-mail", "That has expired or was used. Ask for another mail.", "bad");
    }
    registrationToken = undefined;
    await enter("Your account exists, and you are signed in. It has no password, unless you set one.");
  });
}
