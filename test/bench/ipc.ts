/** What a server may be asked beside its traffic. */
export type Question = { readonly id: number; readonly name: keyof Answer; readonly count: number };

export type Answer = {
  /** Microseconds of the whole process, all threads. */
  readonly cpuUsage: NodeJS.CpuUsage;
  /** Fresh authorization codes, as many as asked. */
  readonly codes: readonly string[];
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
