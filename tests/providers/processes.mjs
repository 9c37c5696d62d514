// Programs that run beside the tests, on free ports and in a temporary directory. All of it ends with this process.
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";

const directory = mkdtempSync(join(tmpdir(), "providers-"));
const running = new Set();
process.on("exit", () => {
  for (const program of running) program.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

export class Program {
  // Starts the program, with a directory of its own in `DATA_DIR`, and waits until this URL of it responds.
  static async start(name, [command, ...args], environment, url) {
    const program = new Program();
    program.log = join(directory, `${name}.log`);
    const file = openSync(program.log, "a");
    const env = { ...process.env, ...environment, DATA_DIR: join(directory, name) };
    program.child = spawn(command, args, { env, stdio: ["ignore", file, file] });
    program.child.unref();
    running.add(program.child);
    while (!(await fetch(url).then((response) => response.ok, () => false))) {
      if (program.child.exitCode !== null) throw new Error(`${name} has ended:\n${program.said()}`);
      await passed(20);
    }
    return program;
  }

  said() {
    return readFileSync(this.log, "utf8");
  }

  async stop() {
    this.child.ref();
    this.child.kill();
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, "exit");
    running.delete(this.child);
  }
}
