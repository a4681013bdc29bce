/** A server that throttles a command (429): the command waits as long as Retry-After says, within a bound. */
import { describe, expect, it } from 'vitest';
import { runningServer } from '../../../src/cli/administration/running-server.ts';
import { withServersOwnDeadlines } from '../../support/patience.ts';

const ENV = { STATEHOUSE_URL: 'https://login.example.com', STATEHOUSE_TOKEN: 'a-token' };

/** @param waits the header Retry-After of each answer before the last one. */
async function ask(waits: readonly (string | null)[], last = () => Response.json({ items: [], _links: {} })) {
  const slept: number[] = [];
  const words: string[] = [];
  let asked = 0;
  const fetch = async () => {
    const wait = waits[asked++];
    if (wait === undefined) return last();
    const type = 'https://login.example.com/management/v1/problems/too_many_requests';
    const body = { type, title: 'Too many requests', status: 429, detail: 'Try again.' };
    return Response.json(body, { status: 429, headers: wait === null ? {} : { 'retry-after': wait } });
  };
  const waiting = {
    sleep: async (milliseconds: number) => void slept.push(milliseconds),
    notify: (text: string) => void words.push(text),
  };
  const api = await runningServer(ENV, fetch, waiting);
  const answer = await withServersOwnDeadlines(async () => api?.send('GET', '/clients', {})).then(
    () => 'answered',
    (error: Error) => error.message,
  );
  return { answer, slept, words, asked };
}

describe('a command that the server throttles', () => {
  it('waits, says so, and sends the request again', async () => {
    expect(await ask(['7', '60'])).toEqual({
      answer: 'answered',
      slept: [7000, 60_000],
      words: [7, 60].map(
        (seconds) => `The server at https://login.example.com admits no more requests for now. Waiting ${seconds} s.\n`,
      ),
      asked: 3,
    });
  });

  it('waits at least a second', async () => {
    expect((await ask(['0'])).slept).toEqual([1000]);
    // A date that has passed.
    expect((await ask(['Sat, 01 Jan 2000 00:00:00 GMT'])).slept).toEqual([1000]);
  });

  it('gives up within a bound, and reports the refusal', async () => {
    const all = await ask(Array(10).fill('50'));
    expect(all).toMatchObject({ answer: 'Try again.', slept: [50_000, 50_000], asked: 3 });
    for (const long of ['121', 'Fri, 01 Jan 2100 00:00:00 GMT'])
      expect(await ask([long])).toMatchObject({ answer: 'Try again.', slept: [], asked: 1 });
    for (const none of [null, 'soon']) expect(await ask([none])).toMatchObject({ answer: 'Try again.', slept: [] });
  });
});
