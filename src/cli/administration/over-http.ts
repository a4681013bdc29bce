/** Requests of commands to a running server. */
import type { Received, Transport } from '../../management/client/transport.ts';
import { urlUnder } from '../../oauth/urls.ts';
import { deadlines } from '../../system/deadlines.ts';
import { ApiRefused, type Names, unreachable } from './refusals.ts';
import { afterThrottling, type Waiting } from './throttled.ts';

export type Connection = {
  readonly fetch: typeof globalThis.fetch;
  /** The address of the issuer, as this process reaches it. */
  readonly base: string;
  /** For messages. */
  readonly names: Names;
  /** Called again after the server rejects the previous credential; the same credential again: no other exists. */
  readonly token: () => Promise<string>;
  readonly waiting: Waiting;
};

/** It throws ApiRefused `no_answer`. */
export function overHttp(connection: Connection): Transport {
  const api = urlUnder(connection.base, '/management/v1');
  let token: Promise<string> | null = null;
  return async ({ method, path, headers, body }) => {
    const url = new URL(`${api}${path}`);
    const sendWith = (sent: string): Promise<Received> =>
      answerOf(connection, url, {
        method,
        headers: { ...headers, authorization: `Bearer ${sent}` },
        ...(body !== undefined && { body }),
      });
    const once = async (): Promise<Received> => {
      token ??= connection.token();
      const sent = await token;
      const answered = await sendWith(sent);
      // It has expired, or the key that signed it was revoked, perhaps by this very command. Nothing was done with it.
      if (!isProblem(answered, 401, 'invalid_token')) return answered;
      token = connection.token();
      const renewed = await token;
      return renewed === sent ? answered : sendWith(renewed);
    };
    const send = headers['idempotency-key'] === undefined ? once : () => againIfLost(once);
    return afterThrottling(connection.waiting, connection.names.server, send);
  };
}

/**
 * Reads the whole answer.
 * @throws ApiRefused `no_answer`
 */
export async function answerOf(
  { fetch, names }: Pick<Connection, 'fetch' | 'names'>,
  url: URL,
  init: RequestInit,
): Promise<Received> {
  const changes = init.method !== 'GET';
  const signal = AbortSignal.timeout(deadlines.commandMilliseconds);
  try {
    // A redirect would carry the token to another address.
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    return { status: response.status, header: (name) => response.headers.get(name), text: await response.text() };
  } catch (error) {
    throw unreachable(names.server, error, changes);
  }
}

async function againIfLost(once: () => Promise<Received>): Promise<Received> {
  try {
    const answered = await once();
    return isProblem(answered, 503, 'commit_unknown') ? await once() : answered;
  } catch (error) {
    if (!(error instanceof ApiRefused)) throw error;
    return once();
  }
}

const isProblem = ({ status, text }: Received, expected: number, reason: string): boolean =>
  status === expected && text.includes(`/management/v1/problems/${reason}"`);
