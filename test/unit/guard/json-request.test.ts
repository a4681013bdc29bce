/** The requests of a guard to the authorization server, and its reading of the answers. */
import { describe, expect, it } from 'vitest';
import { jsonRequests, objectOf } from '../../../src/guard/json-request.ts';

const URL_OF_KEYS = 'https://as.example/keys';
const GET = { url: URL_OF_KEYS, method: 'GET', headers: {} } as const;
/** Longer than any test: no answer is late. */
const LONG = 60_000;
const MAX = 256 * 1024;

const answering = (answer: () => Response | Promise<Response>) => jsonRequests(async () => answer());
const failed = (what: string) => ({ kind: 'failed', detail: `GET ${URL_OF_KEYS}: ${what}` });

/** A body in parts, which says whether it was cancelled. */
function inParts(parts: readonly Uint8Array[], ends = true) {
  const seen = { cancelled: false };
  const body = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      if (ends) controller.close();
    },
    cancel() {
      seen.cancelled = true;
    },
  });
  return { body, seen };
}

describe('a request', () => {
  it('accepts JSON, follows no redirect, and can be cancelled', async () => {
    const sent: [unknown, RequestInit | undefined][] = [];
    const ask = jsonRequests(async (url, init) => {
      sent.push([url, init]);
      return Response.json({});
    });
    await ask({ url: URL_OF_KEYS, method: 'POST', headers: { 'x-a': 'b' }, body: 'c=d' }, LONG);
    await ask(GET, LONG);
    const common = { redirect: 'manual', signal: expect.any(AbortSignal) };
    expect(sent).toEqual([
      [URL_OF_KEYS, { ...common, method: 'POST', headers: { accept: 'application/json', 'x-a': 'b' }, body: 'c=d' }],
      [URL_OF_KEYS, { ...common, method: 'GET', headers: { accept: 'application/json' } }],
    ]);
    expect(Object.keys(sent[1]?.[1] ?? {})).not.toContain('body');
  });
});

describe('an answer', () => {
  it('is read whole, also where a character is split between two chunks', async () => {
    const octets = new TextEncoder().encode('{"a":"ü"}');
    const { body } = inParts([octets.subarray(0, 7), octets.subarray(7)]);
    expect(await answering(() => new Response(body))(GET, LONG)).toEqual({ kind: 'json', value: { a: 'ü' } });
  });

  it('that ends within a character has a replacement character', async () => {
    const { body } = inParts([new Uint8Array([0x22, 0xc3])]);
    expect(await answering(() => new Response(body))(GET, LONG)).toEqual(failed('the answer is not JSON'));
    const text = inParts([new TextEncoder().encode('["a"]'), new Uint8Array([0xc3])]);
    expect(await answering(() => new Response(text.body))(GET, LONG)).toEqual(failed('the answer is not JSON'));
  });

  it('has at most 256 KiB; the rest is not read', async () => {
    const part = new TextEncoder().encode(`"${'x'.repeat(MAX / 2 - 1)}`);
    const rest = new TextEncoder().encode(`${'x'.repeat(MAX / 2 - 1)}"`);
    const fits = answering(() => new Response(inParts([part, rest]).body));
    expect(await fits(GET, LONG)).toEqual({ kind: 'json', value: 'x'.repeat(MAX - 2) });
    const more = inParts([part, rest, new Uint8Array([0x20])], false);
    expect(await answering(() => new Response(more.body))(GET, LONG)).toEqual(
      failed(`answered more than ${MAX} bytes`),
    );
    expect(more.seen.cancelled).toBe(true);
  });

  it('with another status than 200 is not read', async () => {
    const { body, seen } = inParts([new TextEncoder().encode('{}')], false);
    expect(await answering(() => new Response(body, { status: 203 }))(GET, LONG)).toEqual(failed('answered 203'));
    expect(seen.cancelled).toBe(true);
    expect(await answering(() => new Response(null, { status: 204 }))(GET, LONG)).toEqual(failed('answered 204'));
  });

  it('that arrives too late is not read to its end', async () => {
    let aborted = () => {};
    const isAborted = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    let pulls = 0;
    let cancelled = () => {};
    const isCancelled = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const body = new ReadableStream(
      {
        async pull(controller) {
          pulls++;
          await isAborted;
          controller.enqueue(new Uint8Array([0x20]));
        },
        cancel: () => cancelled(),
      },
      { highWaterMark: 0 },
    );
    const ask = jsonRequests(async (_url, init) => {
      init?.signal?.addEventListener('abort', () => aborted());
      return new Response(body);
    });
    expect(await ask(GET, 1)).toEqual(failed('no answer within 1 ms'));
    await isCancelled;
    expect(pulls).toBe(1);
  });
});

it.each<[string, unknown, string]>([
  ['the code of the network', new TypeError('x', { cause: { code: 'ECONNREFUSED' } }), 'ECONNREFUSED'],
  ['its own code', Object.assign(new Error('x'), { code: 'EPIPE' }), 'EPIPE'],
  ['the code of the cause first', Object.assign(new Error('x', { cause: { code: 'A' } }), { code: 'B' }), 'A'],
  ['a code that is a text', new TypeError('x', { cause: { code: 7 } }), 'TypeError'],
  ['its name', new RangeError('a secret'), 'RangeError'],
  ['nothing', null, 'no reason given'],
])('a failure is reported by %s, never by its message', async (_, error, word) => {
  const ask = jsonRequests(() => Promise.reject(error));
  expect(await ask(GET, LONG)).toEqual(failed(`could not be asked (${word})`));
});

it.each<[unknown, boolean]>([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['{}', false],
  [7, false],
])('%j is an object: %s', (value, is) => {
  expect(objectOf(value)).toBe(is ? value : null);
});
