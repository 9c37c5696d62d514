/** JSON Schemas as text, in the style of TypeScript's types. */

/** The type that a schema describes. `indent`: how far the lines after the first one are indented. */
export function typeOf(openapi, schema, indent = "") {
  if (schema.$ref) return typeOf(openapi, openapi.components.schemas[schema.$ref.split("/").at(-1)], indent);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map((own) => typeOf(openapi, own, indent)).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const types = [schema.type].flat();
  const rest = types.filter((type) => type !== "object" && type !== "array");
  const parts = [
    ...(types.includes("object") ? [object(openapi, schema, indent)] : []),
    // An array without a schema for its items can hold anything.
    ...(types.includes("array") ? [`[${schema.items ? typeOf(openapi, schema.items, indent) : "…"}]`] : []),
    ...rest,
  ];
  return parts.join(" | ") + rules(schema);
}

function object(openapi, { properties = {}, required = [], additionalProperties }, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, own]) => {
    const mark = required.includes(name) ? "" : "?";
    return `${inner}${name}${mark}: ${typeOf(openapi, own, inner)}\n`;
  });
  if (lines.length === 0) return "{…}";
  const more = additionalProperties === true ? `${inner}…\n` : "";
  return `{\n${lines.join("")}${more}${indent}}`;
}

/** What a text or a number must also be, in parentheses. */
function rules({ format, pattern, minLength, maxLength, minimum }) {
  const rules = [
    format,
    pattern,
    minLength !== undefined && `at least ${minLength} long`,
    maxLength !== undefined && `at most ${maxLength} long`,
    minimum !== undefined && `at least ${minimum}`,
  ].filter(Boolean);
  return rules.length > 0 ? ` (${rules.join(", ")})` : "";
}
