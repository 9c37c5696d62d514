// The list of the last requests, beside the page. It shows which credential each request has, and every refresh.

const LONGEST = 100;

/** How often the tokens of this tab were refreshed. */
export let refreshes = 0;

/** Wraps `fetch`. Only this example needs it. */
export function listRequests(list, credential) {
  const send = globalThis.fetch;
  globalThis.fetch = async (request, init) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/refresh")) refreshes += 1;
    const item = document.createElement("li");
    const method = Object.assign(document.createElement("b"), { textContent: request.method });
    const status = Object.assign(document.createElement("span"), { className: "status", textContent: "…" });
    item.append(method, ` ${pathname} `, status);
    item.title = request.headers.has("authorization") ? "with an access token" : credential();
    list.prepend(item);
    while (list.children.length > LONGEST) list.lastChild.remove();
    try {
      const response = await send(request, init);
      status.textContent = response.status;
      item.dataset.outcome = response.ok ? "success" : "refused";
      return response;
    } catch (error) {
      status.textContent = "failed";
      throw error;
    }
  };
}
