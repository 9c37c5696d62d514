/** The page of the routes: shows `openapi.json`. */

import { typeOf } from "./schema.js";

/** An element with these children, which are elements or texts. */
function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
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
      ` in the ${own.in}${own.required ? "" : ", optional"}: ${typeOf(openapi, own.schema)}`,
    );
  return [element("h3", "Parameters"), element("ul", ...parameters.map(item))];
}

function body(openapi, { requestBody }) {
  if (!requestBody) return [];
  const heading = requestBody.required ? "Request" : "Request, which can be empty";
  const type = typeOf(openapi, schemaOf(requestBody.content));
  return [element("h3", heading), element("p", requestBody.description), element("pre", type)];
}

function response(openapi, status, { description, headers = {}, content }) {
  const names = Object.keys(headers).map((name) => (headers[name].required ? name : `${name} (optional)`));
  return [
    element("h3", `Response ${status}`),
    element("p", description),
    element("p", `Headers: ${names.join(", ")}`),
    // A redirect has no body.
    ...(content ? [element("pre", typeOf(openapi, schemaOf(content)))] : []),
  ];
}

function route(openapi, method, path, operation) {
  const line = element(
    "summary",
    element("code", element("b", method.toUpperCase()), ` ${path}`),
    element("span", operation.summary),
  );
  const more = element(
    "div",
    ...(operation.description ? [element("p", operation.description)] : []),
    element("p", `A request needs ${security(openapi, operation.security)}.`),
    ...parameters(openapi, operation),
    ...body(openapi, operation),
    ...Object.entries(operation.responses).flatMap(([status, own]) => response(openapi, status, own)),
  );
  return element("details", line, more);
}

function section(openapi, { name }) {
  const routes = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(name))
      .map(([method, operation]) => route(openapi, method, path, operation)),
  );
  return element("section", element("h2", name), ...routes);
}

try {
  const response = await fetch("../openapi.json");
  if (!response.ok) throw new Error(`The server's response has the status ${response.status}.`);
  const openapi = await response.json();
  document.getElementById("routes").append(...openapi.tags.map((tag) => section(openapi, tag)));
} catch (error) {
  const problem = document.getElementById("problem");
  problem.classList.add("bad");
  problem.textContent = `The routes cannot be shown. ${error.message}`;
}
