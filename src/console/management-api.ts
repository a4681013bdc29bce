/** The client of the management API, the only part of the server that the console knows. */
import { jsonIn } from '../oauth/sent-text.ts';
import { pathUnder } from '../oauth/urls.ts';
import type { Received, Send, Sent } from './send.ts';

/** RFC 9457, with the fields at fault. */
export type Problem = {
  readonly status: number;
  /** The last part of `type`. */
  readonly reason: string;
  readonly title: string;
  readonly detail: string;
  /** `field` null: the body as a whole. */
  readonly errors: readonly { readonly field: string | null; readonly detail: string }[];
  /** The scopes that a 403 requires (RFC 6750 §3.1). */
  readonly missingScope: string | null;
};

export type Answer<Value> =
  | { readonly ok: true; readonly value: Value; readonly etag: string | null }
  | { readonly ok: false; readonly problem: Problem };

export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** `total`: the number of all matches of a search, where it was counted. */
export type Page<Item> = {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly total?: number | undefined;
};

export type ManagementApi = {
  readonly get: <Value>(path: string, query?: Query) => Promise<Answer<Value>>;
  readonly list: <Item>(path: string, query?: Query) => Promise<Answer<Page<Item>>>;
  /** Not JSON: a picture. */
  readonly text: (path: string, accept: string) => Promise<Answer<string>>;
  /** `once`: the server carries out two requests with the same value once. */
  readonly post: <Value>(path: string, body: unknown, once: string | null) => Promise<Answer<Value>>;
  readonly put: <Value>(path: string, body?: unknown) => Promise<Answer<Value>>;
  readonly patch: <Value>(path: string, body: unknown, etag: string | null) => Promise<Answer<Value>>;
  readonly remove: (path: string, etag?: string | null) => Promise<Answer<null>>;
};

export const MANAGEMENT_PATH = '/management/v1';

export function managementApi(
  { send, issuer }: { readonly send: Send; readonly issuer: string },
  { token, address }: { readonly token: string; readonly address: string },
): ManagementApi {
  const ask = (
    method: Sent['method'],
    path: string,
    more: { readonly query?: Query; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Received> => {
    // URLs resolve them in any spelling: the user would see or end another resource than the id names.
    if (path.split('/').some((part) => part === '.' || part === '..')) return Promise.resolve(NOTHING_THERE);
    return send({
      method,
      path: `${pathUnder(issuer, MANAGEMENT_PATH)}${path}${queryOf(more.query ?? {})}`,
      address,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, application/problem+json',
        ...(more.body !== undefined && {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        }),
        ...more.headers,
      },
      ...(more.body !== undefined && { body: JSON.stringify(more.body) }),
    });
  };
  const get = async <Value>(path: string, query?: Query): Promise<Answer<Value>> =>
    answerOf(await ask('GET', path, query ? { query } : {}));
  const ifMatch = (etag: string | null) => (etag === null ? {} : { 'if-match': etag });

  return {
    get,
    list: async <Item>(path: string, query?: Query) => {
      const answer = await get<Listed<Item>>(path, query);
      if (!answer.ok) return answer;
      const { items, total, _links } = answer.value;
      return { ...answer, value: { items, total, next: cursorIn(_links?.next?.href) } };
    },
    text: async (path, accept) => {
      const received = await ask('GET', path, { headers: { accept } });
      return received.status === 200 ? { ok: true, value: received.body, etag: null } : answerOf(received);
    },
    post: async (path, body, once) =>
      answerOf(await ask('POST', path, { body, headers: once === null ? {} : { 'idempotency-key': once } })),
    put: async (path, body) => answerOf(await ask('PUT', path, { body })),
    patch: async (path, body, etag) => answerOf(await ask('PATCH', path, { body, headers: ifMatch(etag) })),
    remove: async (path, etag = null) => answerOf(await ask('DELETE', path, { headers: ifMatch(etag) })),
  };
}

const NOTHING_THERE: Received = {
  status: 404,
  header: () => null,
  body: JSON.stringify({
    type: 'not_found',
    title: 'Not found',
    detail: 'The management API has no resource with this id.',
  }),
};

type Listed<Item> = {
  readonly items: readonly Item[];
  readonly total?: number;
  readonly _links?: { readonly next?: { readonly href: string } };
};

/** The link leads to the API. The console's own pages carry its cursor. */
function cursorIn(href: string | undefined): string | null {
  if (href === undefined) return null;
  return new URLSearchParams(href.split('?')[1] ?? '').get('cursor');
}

function queryOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function answerOf<Value>(received: Received): Answer<Value> {
  const { status, body } = received;
  const json = jsonIn(body) ?? null;
  if (status >= 200 && status < 300) return { ok: true, value: json as Value, etag: received.header('etag') };
  const told = (json ?? {}) as Partial<Omit<Problem, 'status'>> & { readonly type?: string; readonly error?: string };
  return {
    ok: false,
    problem: {
      status,
      reason: told.type?.split('/').at(-1) ?? told.error ?? 'unknown',
      title: told.title ?? `The management API answered ${status}`,
      detail: told.detail ?? '',
      errors: told.errors ?? [],
      missingScope: /\bscope="([^"]*)"/.exec(received.header('www-authenticate') ?? '')?.[1] ?? null,
    },
  };
}
