/** Reads the mails of the outbox (RFC 5322 and 2045): the headers, the plain text and its language. */

/** The parts of a mail that a person reads. */
export function parse(source) {
  const { headers, body } = split(source);
  const boundary = /boundary="?([^";]+)"?/i.exec(headers["content-type"] ?? "")?.[1];
  const inner = boundary ? body.split(`--${boundary}`).slice(1, -1).map((part) => split(part.trimStart())) : [];
  const parts = [...inner, { headers, body }];
  const of = (kind) => parts.find((part) => (part.headers["content-type"] ?? "").toLowerCase().startsWith(kind)) ?? parts[0];
  const text = ({ body, headers }) => decoded(body, headers["content-transfer-encoding"]);
  return {
    to: headers.to ?? "",
    subject: words(headers.subject ?? ""),
    date: new Date(headers.date ?? NaN),
    text: text(of("text/plain")).replaceAll("\r\n", "\n").trim(),
    // Only the HTML says it.
    language: /<html lang="([\w-]+)"/.exec(text(of("text/html")))?.[1] ?? "",
  };
}

/** Headers by lower-case name, with their continuation lines, and what follows the empty line. */
function split(text) {
  const [head, ...rest] = text.split(/\r?\n\r?\n/);
  const lines = head.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  const headers = Object.fromEntries(lines.map((line) => {
    const [name, ...value] = line.split(":");
    return [name.toLowerCase(), value.join(":").trim()];
  }));
  return { headers, body: rest.join("\r\n\r\n") };
}

function decoded(body, encoding = "7bit") {
  switch (encoding.toLowerCase()) {
    case "base64": return utf8(atob(body.replaceAll(/\s/g, "")));
    case "quoted-printable": return utf8(unquoted(body.replaceAll(/=\r?\n/g, "")));
    default: return body;
  }
}

/** `=?utf-8?b?…?=` in a subject (RFC 2047). */
function words(text) {
  const joined = text.replaceAll(/\?=\s+=\?/g, "?==?");
  return joined.replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind, word) => (
    utf8(kind.toLowerCase() === "b" ? atob(word) : unquoted(word.replaceAll("_", " ")))
  ));
}

function unquoted(text) {
  return text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The text of bytes that are one character each. */
function utf8(bytes) {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
