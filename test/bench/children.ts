/** The servers as child processes. They answer questions over IPC, and end when this process ends, however it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Question } from './ipc.ts';

export type Child = {
  readonly ask: <Name extends keyof Answer>(name: Name, count?: number) => Promise<Answer[Name]>;
  /** Resident bytes. Absent: the bench of another checkout that does not know it. */
  readonly memory?: () => Promise<number>;
  /** When it answers 200 there. @throws Error with what it wrote to standard error, when it ends before. */
  readonly ready: (url: string) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const ROOT = join(import.meta.dirname, '../..');
const PRELOADED = join(import.meta.dirname, 'answer-usage.js');

export function startChild(script: readonly string[], env: Readonly<Record<string, string>>): Child {
  const child = spawn(process.execPath, ['--import', PRELOADED, ...script], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', STATEHOUSE_ALLOW_TABLE_OWNER: 'true', ...env },
    // Log lines are written, as in production, and thrown away by the kernel.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors = (errors + chunk).slice(-5000);
  });
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  const askChild: Child['ask'] = (name, count = 0) => ask(child, { id: ++questions, name, count }) as Promise<never>;
  return {
    ask: askChild,
    memory: () => askChild('memory'),
    ready: async (url) => {
      while (!(await answers(url))) {
        if (ended()) throw new Error(`${script.join(' ')} did not start.\n${errors}`);
        await sleep(50);
      }
    },
    stop: async () => {
      if (ended()) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.race([exit, sleep(5000, null, { ref: false })]);
      child.kill('SIGKILL');
      await exit;
    },
  };
}

let questions = 0;

function ask(child: ChildProcess, question: Question): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = () => {
      child.off('message', heard);
      child.off('exit', gone);
    };
    const heard = (message: { id: number; answer: unknown }) => {
      if (message.id !== question.id) return;
      done();
      resolve(message.answer);
    };
    const gone = () => {
      done();
      reject(new Error('A server ended while it was asked.'));
    };
    child.on('message', heard);
    child.on('exit', gone);
    child.send(question);
  });
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (reply) => reply.ok,
    () => false,
  );
