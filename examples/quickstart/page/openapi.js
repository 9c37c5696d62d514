/** The page of the routes: shows `openapi.json`, one router at a time, and of it the routes that the filter matches. */

import { typeOf } from "./schema.js";

/** The routers, by what their paths begin with. */
const ROUTERS = new Map([["/auth", "for programs, with tokens"], ["/web/auth", "for browsers, with a cookie"]]);

/** An element with these children, which are elements or texts. */
function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

/** The nodes of a text in which code is between backticks. */
const prose = (text) => text.split("`").map((part, index) => (index % 2 ? element("code", part) : part));

/** The nodes of a description: a paragraph for each line, and a list for lines that begin with an asterisk. */
function described(text) {
  const made = [];
  for (const line of text.split("\n").filter(Boolean)) {
    const isItem = line.startsWith("* ");
    if (isItem && made.at(-1)?.localName !== "ul") made.push(element("ul"));
    if (isItem) made.at(-1).append(element("li", ...prose(line.slice(2))));
    else made.push(element("p", ...prose(line)));
  }
  return made;
}

function schemaOf(content) {
  return Object.values(content)[0].schema;
}

/** What a request must carry: one of these alternatives, each of which names schemes. */
function security(openapi, requirements) {
  const scheme = (name) => {
    const { type, in: place, name: key } = openapi.components.securitySchemes[name];
    return type === "http" ? "an access token (`Authorization: Bearer`)" : `the ${place} \`${key}\``;
  };
  const alternatives = requirements.map((schemes) => Object.keys(schemes).map(scheme).join(" and ") || "nothing");
  return alternatives.join(", or ") || "nothing";
}

function parameters(openapi, { parameters = [] }) {
  if (parameters.length === 0) return [];
  const item = (own) =>
    element(
      "li",
      element("code", own.name),
      ` in the ${own.in}${own.required ? "" : ", optional"}: `,
      element("code", typeOf(openapi, own.schema)),
    );
  return [element("h3", "Parameters"), element("ul", ...parameters.map(item))];
}

function body(openapi, { requestBody }) {
  if (!requestBody) return [];
  const heading = requestBody.required ? "Request" : "Request, which can be empty";
  const type = typeOf(openapi, schemaOf(requestBody.content));
  return [element("h3", heading), ...described(requestBody.description), element("pre", type)];
}

function response(openapi, status, { description, headers = {}, content }) {
  const names = Object.keys(headers).map((name) => (headers[name].required ? `\`${name}\`` : `\`${name}\` (optional)`));
  return [
    element("h3", `Response ${status}`),
    ...described(description),
    element("p", ...prose(`Headers: ${names.join(", ")}`)),
    // A redirect has no body.
    ...(content ? [element("pre", typeOf(openapi, schemaOf(content)))] : []),
  ];
}

/** A line for a route. What it unfolds is made when somebody opens it. */
function route(openapi, { path, method, operation }) {
  const line = element(
    "summary",
    element("code", element("b", method.toUpperCase()), ` ${path}`),
    element("span", ...prose(operation.summary)),
  );
  const made = element("details", line);
  made.addEventListener("toggle", () => made.append(element(
    "div",
    ...described(operation.description ?? ""),
    element("p", ...prose(`A request needs ${security(openapi, operation.security)}.`)),
    ...parameters(openapi, operation),
    ...body(openapi, operation),
    ...Object.entries(operation.responses).flatMap(([status, own]) => response(openapi, status, own)),
  )), { once: true });
  return made;
}

/** The routes of the router, by feature, that have every word of the filter. */
function draw(openapi) {
  const router = document.querySelector("#routers input:checked").value;
  const words = document.getElementById("filter").value.toLowerCase().split(/\s+/);
  const routes = Object.entries(openapi.paths)
    .filter(([path]) => path.startsWith(`${router}/`))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .filter(({ path, method, operation: { summary, tags } }) => {
      const text = `${method} ${path} ${summary} ${tags.join(" ")}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  const sections = openapi.tags.map(({ name }) => {
    const own = routes.filter(({ operation }) => operation.tags.includes(name));
    return own.length ? [element("section", element("h2", name.split(": ").at(-1)), ...own.map((one) => route(openapi, one)))] : [];
  });
  document.getElementById("routes").replaceChildren(...sections.flat());
  document.getElementById("count").textContent = routes.length === 1 ? "1 route" : `${routes.length} routes`;
}

/** A choice for each router that has routes. The first one is chosen. */
function choices(openapi) {
  const paths = Object.keys(openapi.paths);
  const there = [...ROUTERS].filter(([prefix]) => paths.some((path) => path.startsWith(`${prefix}/`)));
  return there.map(([prefix, meaning], index) => {
    const input = Object.assign(element("input"), { type: "radio", name: "router", value: prefix, checked: index === 0 });
    const label = element("label", input, element("span", element("code", prefix), " ", element("small", meaning)));
    label.className = "check";
    return label;
  });
}

try {
  const response = await fetch("../openapi.json");
  if (!response.ok) throw new Error(`The server's response has the status ${response.status}.`);
  const openapi = await response.json();
  const form = document.getElementById("choice");
  document.getElementById("routers").append(...choices(openapi));
  form.addEventListener("input", () => draw(openapi));
  form.addEventListener("submit", (event) => event.preventDefault());
  draw(openapi);
} catch (error) {
  const problem = document.getElementById("problem");
  problem.classList.add("bad");
  problem.textContent = `The routes cannot be shown. ${error.message}`;
}
