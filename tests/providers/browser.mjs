// A browser: it keeps cookies, opens pages, submits their forms and follows redirects.
import assert from "node:assert/strict";

const TEXT = { "&amp;": "&", "&quot;": '"', "&#39;": "'", "&lt;": "<", "&gt;": ">" };
const attribute = (tag, name) =>
  tag.match(new RegExp(`\\b${name}="([^"]*)"`))?.[1].replace(/&(amp|quot|#39|lt|gt);/g, (entity) => TEXT[entity]);

export class Page {
  constructor(url, response, text) {
    this.url = url;
    this.status = response.status;
    this.headers = response.headers;
    this.text = text;
    const location = response.headers.get("location");
    this.location = location === null ? null : new URL(location, url);
  }

  get json() {
    return this.text === "" ? null : JSON.parse(this.text);
  }

  // Where the first form leads to, and its hidden fields.
  form() {
    const [, tag, content] = this.text.match(/(<form[^>]*>)(.*?)<\/form>/s) ?? assert.fail(`no form: ${this.text}`);
    const hidden = [...content.matchAll(/<input type="hidden"[^>]*>/g)].map(([input]) => input);
    const fields = hidden.map((input) => [attribute(input, "name"), attribute(input, "value")]);
    return { url: new URL(attribute(tag, "action") ?? "", this.url), fields: Object.fromEntries(fields) };
  }

  // Where the link with this text leads to.
  link(text) {
    const tag = [...this.text.matchAll(/(<a [^>]*>)([^<]*)<\/a>/g)].find(([, , of]) => of.includes(text));
    assert(tag, `no link ${text}: ${this.text}`);
    return new URL(attribute(tag[1], "href"), this.url);
  }
}

export class Browser {
  #cookies = [];

  constructor(address) {
    // Each browser is a client of its own for the limits of the host.
    this.address = address;
  }

  // The names of the cookies of this origin.
  cookies(origin) {
    return this.#cookies.filter((cookie) => cookie.origin === origin).map(({ name }) => name);
  }

  async open(url, { method = "GET", headers = {}, body } = {}) {
    url = new URL(url);
    const sent = this.#cookies.filter(({ origin, path }) => origin === url.origin && url.pathname.startsWith(path));
    const cookie = sent.map(({ name, value }) => `${name}=${value}`).join("; ");
    headers = { "x-forwarded-for": this.address, ...headers, ...(cookie && { cookie }) };
    const response = await fetch(url, { method, headers, body, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) this.#keep(url, line);
    return new Page(url, response, await response.text());
  }

  // Opens a page, or submits a form, and follows redirects until one leads to `end`.
  async visit(url, end, fields) {
    let page = fields
      ? await this.open(url, { method: "POST", body: new URLSearchParams(fields) })
      : await this.open(url);
    while (page.location && !page.location.href.startsWith(`${end}?`)) page = await this.open(page.location);
    return page;
  }

  #keep({ origin }, line) {
    const [pair, ...rest] = line.split(";").map((part) => part.trim());
    const split = pair.indexOf("=");
    const [name, value] = [pair.slice(0, split), pair.slice(split + 1)];
    const attributes = Object.fromEntries(rest.map((part) => part.split("=")).map(([of, is]) => [of.toLowerCase(), is]));
    const path = attributes.path ?? "/";
    this.#cookies = this.#cookies.filter((of) => of.origin !== origin || of.path !== path || of.name !== name);
    const isOver = attributes["max-age"] === "0" || Date.parse(attributes.expires) < Date.now();
    if (!isOver) this.#cookies.push({ origin, path, name, value });
  }
}
