// Passkeys: the only thing on this site that needs a script. A button says which two routes of the module it uses, and where it
// leads then.

async function call(method, path, body) {
  const json = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(path, { method, ...json });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.detail), { code: answer.code });
  return answer;
}

for (const button of document.querySelectorAll("button[data-options]")) {
  const { options: from, answer: to, next, challenge } = button.dataset;
  button.hidden = !globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON;
  button.addEventListener("click", async () => {
    const message = button.nextElementSibling;
    message.textContent = "";
    try {
      const isAnswer = to === "/auth/two-factor-challenge";
      const { options, flowToken } = await (isAnswer ? call("POST", from, {}) : call("GET", from));
      const credential = options.rp
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
      const remember = document.querySelector("#login-remember")?.checked;
      const { twoFactor } = await call("POST", to, { flowToken, credential: credential.toJSON(), remember });
      location.assign(twoFactor ? challenge : next);
    } catch (error) {
      // Whose account is going to be deleted can keep it there. A cookie says that the passkey was right.
      if (error.code === "account_pending_deletion") location.assign("/restore");
      message.textContent = error.name === "NotAllowedError" ? "No passkey was chosen." : error.message;
    }
  });
}
