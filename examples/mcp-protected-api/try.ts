/** Everything in one terminal: Statehouse, the MCP server, and a client that neither of them has ever seen. Ctrl-C ends all. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const { ISSUER = 'http://localhost:3000', API = 'http://localhost:4000/mcp' } = process.env;

const running: ChildProcess[] = [];
function start(file: string): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], { stdio: 'inherit' });
  // The client ends by itself when all went well. The other two should not end before it.
  child.once('exit', (status) => end(status ?? 0));
  running.push(child);
  return child;
}

let isEnding = false;
async function end(status: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  const others = running.filter((one) => one.exitCode === null && one.signalCode === null);
  const ended = others.map((one) => new Promise((resolve) => one.once('exit', resolve)));
  for (const one of others) one.kill('SIGTERM');
  await Promise.all(ended);
  process.exit(status);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(0));

async function isThere(url: string): Promise<void> {
  while ((await fetch(url).catch(() => null)) === null) await new Promise((resolve) => setTimeout(resolve, 200));
}

start('statehouse.ts');
await isThere(ISSUER);
start('start.ts');
await isThere(API);
start('client.ts');
