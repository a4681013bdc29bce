/** Requests to the management API of a running server. What the server refuses becomes a CommandRefused with the words for it. */
import { urlUnder } from '../../oauth/urls.ts';
import { deadlines } from '../../system/deadlines.ts';
import { ApiRefused, isReason, problemIn, unreachable, wordsOfProblem } from './refusals.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Asked = {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** An entity tag, or `*`. */
  readonly ifMatch?: string;
  /** The same request again makes the same again. It is sent twice where its answer is lost. */
  readonly idempotencyKey?: string;
};

export type Answered = {
  readonly status: number;
  /** Null: the answer has no body. */
  readonly document: Document;
  readonly etag: string | null;
};
/** As the API documents it; commands are of the same version, or ask for no more than what stays. */
// biome-ignore lint/suspicious/noExplicitAny: what is read of it is checked where it is used.
export type Document = any;

export type ManagementApi = {
  /** @param path below the address of the API. @throws ApiRefused, CommandRefused when there is no answer */
  readonly send: (method: Method, path: readonly string[], asked?: Asked) => Promise<Answered>;
};

export type Connection = {
  readonly fetch: typeof globalThis.fetch;
  /** The address of the issuer, as this process reaches it. */
  readonly base: string;
  /** For messages: where the server is, and what its credential is called. */
  readonly names: { readonly server: string; readonly credential: string };
  /** Asked again where the one before is refused; the same one again: there is no other. */
  readonly token: () => Promise<string>;
};

export function managementApi(connection: Connection): ManagementApi {
  const api = urlUnder(connection.base, '/management/v1');
  let token: Promise<string> | null = null;
  return {
    send: async (method, path, { query = {}, body, ifMatch, idempotencyKey } = {}) => {
      // URLs resolve them, however they are written: they would lead to another resource.
      if (path.some((part) => part === '.' || part === '..'))
        throw new ApiRefused('not_found', 'There is no such resource.');
      const url = new URL(`${api}${path.map((part) => `/${encodeURIComponent(part)}`).join('')}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const headersWith = (sent: string) => ({
        authorization: `Bearer ${sent}`,
        accept: 'application/json',
        ...(body && { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
        ...(ifMatch && { 'if-match': ifMatch }),
        ...(idempotencyKey && { 'idempotency-key': `"${idempotencyKey}"` }),
      });
      const sendWith = (sent: string) =>
        exchange(connection, url, { method, headers: headersWith(sent), ...(body && { body: JSON.stringify(body) }) });
      const once = async () => {
        token ??= connection.token();
        const sent = await token;
        try {
          return await sendWith(sent);
        } catch (error) {
          // It has expired, or the key that signed it was revoked, perhaps by this very command. Nothing was done with it.
          if (!isReason(error, 'invalid_token')) throw error;
          token = connection.token();
          const renewed = await token;
          if (renewed === sent) throw error;
          return sendWith(renewed);
        }
      };
      return idempotencyKey === undefined ? once() : againIfLost(once);
    },
  };
}

/** @throws ApiRefused, CommandRefused when there is no answer */
async function exchange(connection: Connection, url: URL, init: RequestInit): Promise<Answered> {
  const { status, headers, text } = await answerOf(connection, url, init);
  const document = parsed(text);
  const isJson = document !== undefined || status === 204;
  if (status >= 200 && status < 300 && isJson) return { status, document: document ?? null, etag: headers.get('etag') };
  const problem = problemIn(document);
  if (problem === null) {
    throw new ApiRefused(
      'not_the_api',
      `${connection.names.server} answers, but not as Statehouse's management API does (status ${status}). Expected the issuer URL of a server.`,
    );
  }
  throw wordsOfProblem(problem, connection.names);
}

/**
 * Reads the whole answer.
 * @throws ApiRefused `no_answer`
 */
export async function answerOf(
  { fetch, names }: Pick<Connection, 'fetch' | 'names'>,
  url: URL,
  init: RequestInit,
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const changes = init.method !== 'GET';
  const signal = AbortSignal.timeout(deadlines.commandMilliseconds);
  try {
    // A redirect would carry the token to another address.
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    throw unreachable(names.server, error, changes);
  }
}

async function againIfLost(once: () => Promise<Answered>): Promise<Answered> {
  try {
    return await once();
  } catch (error) {
    const isLost = error instanceof ApiRefused && (error.reason === 'no_answer' || error.reason === 'commit_unknown');
    if (!isLost) throw error;
    return once();
  }
}

function parsed(text: string): Document {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
