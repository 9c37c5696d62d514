// Compares what this library and passki say about each credential with what @simplewebauthn/server says. The differences must be those of
// `differences.txt`. Arguments: the folder of the package, the lines of the program, `differences.txt`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, lines, differences] = process.argv.slice(2);
const { verifyAuthenticationResponse, verifyRegistrationResponse } = createRequire(`${folder}/`)("@simplewebauthn/server");
const ACCEPTED = "accepted";
const IMPLEMENTATIONS = ["ours", "simplewebauthn", "passki"];

async function judged(line) {
  try {
    const expected = {
      response: JSON.parse(line.credential),
      expectedChallenge: line.challenge,
      expectedOrigin: line.origins,
      expectedRPID: line.rpId,
      requireUserVerification: line.userVerification,
    };
    const { verified } =
      line.ceremony === "registration"
        ? await verifyRegistrationResponse({ ...expected, supportedAlgorithmIDs: [-7, -8, -257] })
        : await verifyAuthenticationResponse({ ...expected, credential: stored(line.stored) });
    return verified ? ACCEPTED : "refused: not verified";
  } catch (error) {
    return `refused: ${error.message}`;
  }
}

function stored({ id, publicKey, counter }) {
  return { id, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter };
}

// The lines are `name | who accepts | why`. `both/` in a name stands for both ceremonies.
function named() {
  const found = new Map();
  for (const line of readFileSync(differences, "utf8").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [name, accepts, why, ...more] = line.split("|").map((part) => part.trim());
    if (!why || more.length > 0) throw new Error(`expected \`name | who accepts | why\`: ${line}`);
    const ceremonies = name.startsWith("both/") ? ["registration/", "authentication/"] : [""];
    for (const each of ceremonies.map((ceremony) => ceremony + name.slice(ceremony && "both/".length))) {
      if (found.has(each)) throw new Error(`${each} is named twice`);
      found.set(each, accepts);
    }
  }
  return found;
}

const expected = named();
const names = new Set();
const wrong = [];
const table = [];
const count = { registration: 0, authentication: 0 };
for (const text of readFileSync(lines, "utf8").trim().split("\n")) {
  const line = JSON.parse(text);
  if (names.has(line.name)) throw new Error(`two cases are called ${line.name}`);
  names.add(line.name);
  count[line.ceremony] += 1;
  line.simplewebauthn = await judged(line);
  const accepts = IMPLEMENTATIONS.filter((who) => line[who] === ACCEPTED);
  const difference = expected.get(line.name);
  const same = accepts.length === 0 || accepts.length === IMPLEMENTATIONS.length;
  // Otherwise a mistake in the program, by which each case is refused, would not be seen.
  if (/\/valid-/.test(line.name) && accepts.length < IMPLEMENTATIONS.length) {
    wrong.push(`${line.name}: a valid credential is refused\n${said(line)}`);
  } else if (same && difference) {
    wrong.push(`${line.name}: named in differences.txt, and there is no difference any more\n${said(line)}`);
  } else if (!same && !difference) {
    wrong.push(`${line.name} | ${accepts.join(", ")} | is not named in differences.txt\n${said(line)}`);
  } else if (!same && difference !== accepts.join(", ")) {
    wrong.push(`${line.name}: accepted by ${accepts.join(", ")}, and by ${difference} in differences.txt\n${said(line)}`);
  }
  expected.delete(line.name);
  if (!same) table.push([line.name, ...IMPLEMENTATIONS.map((who) => (line[who] === ACCEPTED ? "yes" : "-"))]);
  if (process.env.VERBOSE) console.log(`${line.name}\n${said(line)}`);
}
for (const name of expected.keys()) wrong.push(`${name}: named in differences.txt, and there is no such case`);

function said(line) {
  return IMPLEMENTATIONS.map((who) => `    ${who}: ${line[who].slice(0, 200)}`).join("\n");
}

const widths = [Math.max(...table.map(([name]) => name.length)), 4, 14, 6];
for (const row of [["accepted", ...IMPLEMENTATIONS], ...table]) {
  console.log(row.map((cell, place) => cell.padEnd(widths[place])).join("  ").trimEnd());
}
console.log(`${count.registration} registrations and ${count.authentication} authentications, ${table.length} differences`);
for (const text of wrong) console.error(text);
process.exitCode = wrong.length > 0 ? 1 : 0;
