import { AuthClient, json } from "./client/index.js";

const auth = new AuthClient({ base: "/auth" });
const element = (id) => document.getElementById(id);

async function show() {
  element("greeting").textContent = await (await auth.fetch("/api/greeting")).text();
  const { authenticated } = await auth.session();
  element("visitor").hidden = authenticated;
  element("user").hidden = !authenticated;
  const notes = authenticated ? await json(await auth.fetch("/api/notes")) : [];
  // `textContent`, not `innerHTML`: what users have written is text.
  const item = (text) => Object.assign(document.createElement("li"), { textContent: text });
  element("notes").replaceChildren(...notes.map(item));
}

function onSubmit(id, send) {
  element(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await send(Object.fromEntries(new FormData(event.target)));
      event.target.reset();
    } catch (error) {
      // The errors of fields, if there are some, otherwise the sentence for the user.
      element("greeting").textContent = Object.values(error.fields ?? {}).join(" ") || error.message;
    }
  });
}

onSubmit("login", ({ email, password, remember }) => auth.login({ email, password, remember: remember === "on" }));
onSubmit("register", (fields) => auth.register({ ...fields, passwordConfirmation: fields.password }));
onSubmit("add", async ({ text }) => {
  const headers = { "content-type": "application/json" };
  await json(await auth.fetch("/api/notes", { method: "POST", headers, body: JSON.stringify(text) }));
  await show();
});
element("logout").addEventListener("click", () => auth.logout());

// The user has logged in or out, here or in another tab.
auth.onchange = show;
show();
