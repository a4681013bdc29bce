/** The one client of the management API. How a request gets there, over a network or within a process, is its transport. */
import { jsonIn } from '../../oauth/sent-text.ts';
import type { Method } from '../operations.ts';
import type { Asked, Document, PathWith } from './documents.ts';
import type { Received, Sent, Transport } from './transport.ts';

export type FieldAtFault = { readonly field: string | null; readonly detail: string };

/** RFC 9457. */
export type Problem = {
  readonly status: number;
  /** The last part of `type`; `not_the_api`: the answer is none of this API. */
  readonly reason: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly FieldAtFault[];
  /** The scopes that a 403 asks for (RFC 6750 §3.1). */
  readonly missingScope: string | null;
};

export type Answer<Value> =
  | { readonly ok: true; readonly status: number; readonly value: Value; readonly etag: string | null }
  | { readonly ok: false; readonly problem: Problem };

export type Page<One> = {
  readonly items: readonly One[];
  /** The cursor of the next page; null: this is the last one. */
  readonly next: string | null;
  /** The number of all matches of a search, where it was counted. */
  readonly total?: number;
};

export type ManagementClient = {
  readonly send: <M extends Method, P extends PathWith<M>>(
    method: M,
    path: P,
    asked: Asked<M, P>,
  ) => Promise<Answer<Document<M, P>>>;
};

/** The members of `Asked` for every operation. */
type Loose = Written & {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly dryRun?: boolean;
};
type Written = {
  readonly body?: unknown;
  readonly ifMatch?: string | null;
  readonly idempotencyKey?: string | null;
};

export const managementClient = (transport: Transport): ManagementClient => ({
  send: async (method, template, asked) => {
    const path = pathOf(template, asked);
    return path === null ? NOTHING_THERE : answerIn(await transport(requestOf(method, path, asked)));
  },
});

/** @param path with its query. */
export const requestOf = (
  method: Method,
  path: string,
  { body, ifMatch = null, idempotencyKey = null }: Written,
): Sent => ({
  method,
  path,
  headers: {
    accept: 'application/json, application/problem+json',
    ...(body !== undefined && {
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    }),
    ...(ifMatch !== null && { 'if-match': ifMatch }),
    ...(idempotencyKey !== null && { 'idempotency-key': `"${idempotencyKey}"` }),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

/** @returns null for parts that URLs resolve, however they are written: they would lead to another resource. */
function pathOf(template: string, { params = {}, query = {}, dryRun = false }: Loose): string | null {
  const values = Object.values(params);
  if (values.some((value) => value === '.' || value === '..')) return null;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries({ ...query, ...(dryRun && { dry_run: 'true' }) }).filter(
    ([, value]) => value !== undefined,
  );
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return `${path === '/' ? '' : path}${given.length === 0 ? '' : `?${search}`}`;
}

/** The answer to a path with parts that URLs resolve. */
export const NOTHING_THERE = {
  ok: false,
  problem: {
    status: 404,
    reason: 'not_found',
    title: 'Not found',
    detail: 'The resource was not found.',
    errors: [],
    missingScope: null,
  },
} as const;

export function answerIn<Value>(received: Received): Answer<Value> {
  const { status, header, text } = received;
  const json = jsonIn(text);
  const isDocument = json !== undefined || status === 204;
  if (status >= 200 && status < 300 && isDocument)
    return { ok: true, status, value: (json ?? null) as Value, etag: header('etag') };
  return { ok: false, problem: problemIn(received, json) };
}

function problemIn({ status, header }: Received, json: unknown): Problem {
  const { type, title, detail, errors } = (json ?? {}) as Readonly<Record<string, unknown>>;
  const [, reason] = typeof type === 'string' ? (/\/management\/v1\/problems\/(\w+)$/.exec(type) ?? []) : [];
  const isProblem = reason !== undefined && typeof detail === 'string';
  return {
    status,
    reason: isProblem ? reason : 'not_the_api',
    title: typeof title === 'string' ? title : `The management API answered ${status}`,
    detail: isProblem ? detail : '',
    errors: Array.isArray(errors) ? errors.map(fieldIn) : [],
    missingScope: /\bscope="([^"]*)"/.exec(header('www-authenticate') ?? '')?.[1] ?? null,
  };
}

const fieldIn = ({ field, detail }: Readonly<Record<string, unknown>>): FieldAtFault => ({
  field: typeof field === 'string' ? field : null,
  detail: String(detail),
});

export type List<One> = {
  readonly items: readonly One[];
  readonly total?: number | undefined;
  readonly _links: { readonly next?: { readonly href: string } | undefined };
};

/** Of the link only the cursor is used: its address is that of the issuer, which may not be the way to this server. */
export function pageIn<One>({ items, total, _links }: List<One>): Page<One> {
  const href = _links.next?.href;
  const next = href === undefined ? null : new URL(href).searchParams.get('cursor');
  return { items, next, ...(total !== undefined && { total }) };
}
