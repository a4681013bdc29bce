/** The client of the management API, the only part of the server that the console knows. */
import {
  type Answer,
  answerIn,
  type List,
  NOTHING_THERE,
  type Page,
  pageIn,
  requestOf,
} from '../management/client/client.ts';
import type { Received, Sent } from '../management/client/transport.ts';
import { pathUnder } from '../oauth/urls.ts';
import type { Send } from './send.ts';

export type { Answer, Page, Problem } from '../management/client/client.ts';

export type Query = Readonly<Record<string, string | number | null | undefined>>;

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
  deps: { readonly send: Send; readonly issuer: string },
  { token, address }: { readonly token: string; readonly address: string },
): ManagementApi {
  const send = ({ path, headers, ...request }: Sent): Promise<Received> =>
    deps.send({
      ...request,
      path: `${pathUnder(deps.issuer, MANAGEMENT_PATH)}${path}`,
      address,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
  const ask = async <Value>(...request: Parameters<typeof requestOf>): Promise<Answer<Value>> =>
    leadsElsewhere(request[1]) ? NOTHING_THERE : answerIn(await send(requestOf(...request)));
  const get = <Value>(path: string, query: Query = {}) => ask<Value>('GET', `${path}${queryOf(query)}`, {});

  return {
    get,
    list: async <Item>(path: string, query?: Query) => {
      const answer = await get<List<Item>>(path, query);
      return answer.ok ? { ...answer, value: pageIn(answer.value) } : answer;
    },
    text: async (path, accept) => {
      if (leadsElsewhere(path)) return NOTHING_THERE;
      const received = await send({ method: 'GET', path, headers: { accept } });
      return received.status === 200 ? { ok: true, status: 200, value: received.text, etag: null } : answerIn(received);
    },
    post: (path, body, once) => ask('POST', path, { body, idempotencyKey: once }),
    put: (path, body) => ask('PUT', path, { body }),
    patch: (path, body, etag) => ask('PATCH', path, { body, ifMatch: etag }),
    remove: (path, etag = null) => ask('DELETE', path, { ifMatch: etag }),
  };
}

/** URLs resolve such parts in any spelling: the user would see or end another resource than the id names. */
const leadsElsewhere = (path: string): boolean => path.split('/').some((part) => part === '.' || part === '..');

function queryOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
