/** One attempt, on a network that the test plays: the request, the limit of the response, and the word for each end. */
import { EventEmitter } from 'node:events';
import type { RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { lookupPublic, NotPublic } from '../../../src/images/public-address.ts';
import { type Attempt, type AttemptOptions, attempt } from '../../../src/webhooks/attempt.ts';
import { WEBHOOK_SECRET } from '../../support/receiver.ts';

type Sent = {
  readonly module: 'http' | 'https';
  readonly url: string;
  readonly options: RequestOptions;
  readonly text: string;
};
type Answer = { readonly statusCode?: number };
type Play = (request: EventEmitter, answer: (answer: Answer) => void) => void;

let play: Play;
let sent: Sent[];

type Request = (url: string, options: RequestOptions, answer: (answer: Answer) => void) => EventEmitter;
const requests = vi.hoisted(() => ({}) as Record<'http' | 'https', Request>);
vi.mock('node:http', () => ({ request: (...given: Parameters<Request>) => requests.http(...given) }));
vi.mock('node:https', () => ({ request: (...given: Parameters<Request>) => requests.https(...given) }));

const requestBy =
  (module: 'http' | 'https'): Request =>
  (url, options, answer) => {
    const request = new EventEmitter();
    const end = (text: string) => {
      sent.push({ module, url, options, text });
      queueMicrotask(() => play(request, answer));
    };
    return Object.assign(request, { end });
  };
requests.http = requestBy('http');
requests.https = requestBy('https');

/** Counts the parts that were read. */
class Body {
  readonly statusCode: number | undefined;
  read = 0;
  isDestroyed = false;
  readonly #parts: readonly (Buffer | Error)[];
  constructor(statusCode: number | undefined, parts: readonly (Buffer | Error)[] = []) {
    this.statusCode = statusCode;
    this.#parts = parts;
  }
  async *[Symbol.asyncIterator]() {
    for (const part of this.#parts) {
      this.read++;
      if (part instanceof Error) throw part;
      yield part;
    }
  }
  destroy() {
    this.isDestroyed = true;
  }
}

const ATTEMPT: Attempt = {
  url: 'https://crm.test/hooks?token=t',
  id: 'evt_1',
  body: { contentType: 'application/json', text: '{"type":"ü"}' },
  secrets: [WEBHOOK_SECRET],
  allowPrivateNetwork: false,
  at: new Date(1_900_000_000_999),
  signal: new AbortController().signal,
};
const attempted = async (change: Partial<Attempt> = {}, options?: AttemptOptions) =>
  (await attempt({ ...ATTEMPT, ...change }, options)).outcome;
const answering = (body: Body): Play => {
  return (_, answer) => answer(body as unknown as Answer);
};

beforeEach(() => {
  sent = [];
  play = answering(new Body(204));
});

describe('the request of an attempt', () => {
  it('is a signed POST on a new connection', async () => {
    await attempted();
    expect(sent).toMatchObject([
      {
        module: 'https',
        url: ATTEMPT.url,
        text: ATTEMPT.body.text,
        options: {
          method: 'POST',
          agent: false,
          signal: ATTEMPT.signal,
          headers: {
            'content-type': 'application/json',
            'content-length': '13',
            'user-agent': 'statehouse-webhooks',
            'webhook-id': 'evt_1',
            'webhook-timestamp': '1900000000',
            'webhook-signature': expect.stringMatching(/^v1,[\w+/=]{44}$/),
          },
        },
      },
    ]);
  });

  it.each([
    ['https://crm.test', 'https'],
    ['http://localhost:8080/https:', 'http'],
  ])('to %s goes over %s', async (url, module) => {
    await attempted({ url, allowPrivateNetwork: true });
    expect(sent).toMatchObject([{ module }]);
  });

  const [any, onlyPublic]: LookupFunction[] = [() => {}, () => {}];
  it.each([
    [false, {}, lookupPublic],
    [false, { lookup: any }, lookupPublic],
    [false, { lookupPublic: onlyPublic }, onlyPublic],
    [true, {}, undefined],
    [true, { lookup: any, lookupPublic: onlyPublic }, any],
  ])('with allowPrivateNetwork %j and %j looks names up as configured', async (allowPrivateNetwork, given, lookup) => {
    await attempted({ allowPrivateNetwork }, { ...given, ca: 'a certificate' } as AttemptOptions);
    expect(sent[0]?.options.lookup).toBe(lookup);
    expect(sent[0]?.options).toMatchObject({ ca: 'a certificate' });
  });

  it.each([
    ['https://10.0.0.5/', false, 'address_not_public', 0],
    ['https://[::1]/', false, 'address_not_public', 0],
    ['https://10.0.0.5/', true, 'delivered', 1],
    ['https://93.184.216.34/', false, 'delivered', 1],
    ['https://crm.test/', false, 'delivered', 1],
  ])('to %s with allowPrivateNetwork %j: %s', async (url, allowPrivateNetwork, outcome, requests) => {
    expect(await attempted({ url, allowPrivateNetwork })).toBe(outcome);
    expect(sent).toHaveLength(requests);
  });
});

describe('the outcome of an attempt', () => {
  it.each([
    [undefined, 'failed'],
    [100, 'failed'],
    [199, 'failed'],
    [200, 'delivered'],
    [299, 'delivered'],
    [300, 'redirected'],
    [399, 'redirected'],
    [400, 'refused'],
    [409, 'refused'],
    [410, 'gone'],
    [411, 'refused'],
    [499, 'refused'],
    [500, 'failed'],
    [599, 'failed'],
    [999, 'failed'],
  ])('after the status %s is %s', async (status, outcome) => {
    play = answering(new Body(status));
    expect(await attempted()).toBe(outcome);
  });

  const UNTRUSTED = [
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'HOSTNAME_MISMATCH',
    'INVALID_CA',
    'INVALID_PURPOSE',
  ];
  const OTHERS = [
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'EPROTO',
    'ERR_TLS_HANDSHAKE_TIMEOUT',
    'X_CERT_',
    42,
    null,
  ];
  const failure = (name: string, code: unknown) => Object.assign(new Error(), { name, code });
  it.each<readonly [Error, string]>([
    [failure('AbortError', 'ABORT_ERR'), 'timed_out'],
    [new NotPublic(), 'address_not_public'],
    ...UNTRUSTED.map((code) => [failure('Error', code), 'certificate_not_trusted'] as const),
    ...OTHERS.map((code) => [failure('Error', code), 'unreachable'] as const),
  ])('after %j is %s', async (error, outcome) => {
    play = (request) => request.emit('error', error);
    expect(await attempted()).toBe(outcome);
  });

  it('does not wait for another protocol', async () => {
    const socket = { destroy: vi.fn() };
    play = (request) => request.emit('upgrade', new Body(101), socket);
    expect(await attempted()).toBe('failed');
    expect(socket.destroy).toHaveBeenCalledOnce();
  });
});

describe('the response body', () => {
  const octets = (count: number) => Buffer.alloc(count);
  it.each([
    ['nothing', [], 0],
    ['the limit', [octets(65_535), octets(1), octets(0)], 3],
    ['an octet more than the limit', [octets(65_535), octets(1), octets(1), octets(1)], 3],
    ['a broken connection', [octets(1), new Error('reset'), octets(1)], 2],
  ])('%s: the status decides, and the connection ends', async (_, parts, read) => {
    const body = new Body(200, parts);
    play = answering(body);
    expect(await attempted()).toBe('delivered');
    expect(body).toMatchObject({ read, isDestroyed: true });
  });
});
