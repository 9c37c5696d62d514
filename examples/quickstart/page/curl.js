/** A request of this page as a command for a terminal: as the page sent it, or over the bearer router. */

/** What the bearer router expects no access token for. */
const OPEN = new RegExp("/(login|login/email|login/email/verify|register|register/passwordless|forgot-password|reset-password"
  + "|two-factor-challenge|two-factor-challenge/passkey-options|passkeys/login|passkeys/login/options|email/revert"
  + "|account/secure|invitation/accept|oauth/providers|oauth/[a-z0-9-]+/authorize)$");

/**
 * The command for curl. It keeps the session cookie in `cookies.txt`, as a browser would. The module accepts a cookie
 * only from its own origin, so every request that changes something says which origin it comes from.
 */
export function curl({ method, url, headers, body }) {
  const parts = [`curl -sS -i -b cookies.txt -c cookies.txt ${quoted(url.href)}`];
  if (method !== "GET") parts.push(`-H ${quoted(`Origin: ${url.origin}`)}`);
  return command(parts, method, headers, body === undefined ? body : quoted(JSON.stringify(body)));
}

/** The same over the bearer router. The tokens are in variables of the shell, because this page has none. */
export function curlWithToken(exchange) {
  const { method, url, headers, body } = exchange;
  // Only the browser router has this route.
  if (url.pathname.endsWith("/auth/session")) return curl(exchange);
  const parts = [`curl -sS -i ${quoted(url.href.replace("/web/auth/", "/auth/"))}`];
  if (!OPEN.test(url.pathname) && !headers.Authorization) parts.push('-H "Authorization: Bearer $ACCESS_TOKEN"');
  if (!url.pathname.includes("/two-factor-challenge")) {
    return command(parts, method, headers, body === undefined ? body : quoted(JSON.stringify(body)));
  }
  // On the browser router the challenge is in a cookie.
  const [before, after] = JSON.stringify({ challengeToken: "\0", ...body }).split("\\u0000");
  return command(parts, method, headers, `${quoted(before)}"$CHALLENGE_TOKEN"${quoted(after)}`);
}

function command(parts, method, headers, data) {
  // With `-d` it is a POST.
  const usual = data === undefined ? "GET" : "POST";
  return [
    ...parts,
    ...(method === usual ? [] : [`-X ${method}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(data === undefined ? [] : [`-d ${data}`]),
  ].join(" \\\n  ");
}

/** A word of a shell command. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
