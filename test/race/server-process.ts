/** The real process, as an operator starts it; and its end, as a power cut would bring it. */
import { becomesReady, killChild, outputOf, START, startChild, waiting } from '../support/child-process.ts';

export type ServerProcess = {
  readonly url: string;
  /** kill -9, and waits until it is gone. */
  readonly kill: () => Promise<void>;
};

export type ServerOptions = {
  readonly port: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** @returns when it is ready to serve. @throws Error with what it said, when it ended before. */
export async function startServer({ port, cwd, env }: ServerOptions): Promise<ServerProcess> {
  const child = startChild(process.execPath, [...waiting(), ...START], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOST: 'localhost', PORT: String(port), LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = `http://localhost:${port}`;
  await becomesReady(child, url, outputOf(child));
  return { url, kill: () => killChild(child) };
}
