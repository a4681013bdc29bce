/** The requests to a server beside its traffic. */
import type { SignedIn } from './browser.ts';

export type Question = { readonly id: number; readonly name: keyof Answer; readonly count: number };

/** The first two are answered for every server, by answer-usage.js. */
export type Answer = {
  /** Microseconds of the whole process since it began, all threads. */
  readonly cpuUsage: NodeJS.CpuUsage;
  /** Resident bytes. */
  readonly memory: number;
  /** Fresh authorization codes, as many as asked. */
  readonly codes: readonly string[];
  /** Authorizations that are left alone, as many as asked. */
  readonly others: null;
  readonly browsers: readonly SignedIn[];
};

/** For a child process. */
export function answerQuestions<Name extends keyof Answer>(
  name: Name,
  answer: (count: number) => Answer[Name] | Promise<Answer[Name]>,
): void {
  process.on('message', async (question: Question) => {
    if (question.name === name) process.send?.({ id: question.id, answer: await answer(question.count) });
  });
}
