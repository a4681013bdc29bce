/** Stands in for the use cases of src/protocol, so that a test says what becomes of a request and sees what was asked. */
import { createHash, randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { errorHandler } from '../../src/http/error-handler.ts';
import { formBodies } from '../../src/http/form-body.ts';
import { type PageParts, pageParts } from '../../src/http/page-parts.ts';
import type { FormCheck } from '../../src/protocol/form-purpose.ts';
import { bareApp, type LogLine } from './bare-app.ts';

type Asked = { readonly useCase: string; readonly given: readonly unknown[] };

let asked: Asked[] = [];
let outcome: unknown;

/** For `vi.mock`. */
export const useCase =
  (name: string) =>
  async (_deps: unknown, ...given: unknown[]): Promise<unknown> => {
    asked.push({ useCase: name, given });
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };

export const BROWSER = 'b'.repeat(43);
export const SESSION = 's'.repeat(43);
export const COOKIES = `__Host-statehouse-browser=${BROWSER}; __Host-statehouse-session=${SESSION}`;
export const hashOf = (value: string): Buffer => createHash('sha256').update(value).digest();

export type Sent = {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The routes under test with all that pages need. */
export async function openRoutes(register: (app: FastifyInstance, parts: PageParts) => unknown) {
  const { app, lines } = await bareApp();
  await app.register(errorHandler);
  await app.register(formBodies);
  const random = { bytes: (n: number) => Buffer.alloc(n, 'n'), uuid: randomUUID };
  await app.register(cookie);
  const keys = rootKeys(['a root secret for forms, of more than 32 bytes']);
  await register(app, pageParts({ issuer: 'https://as.test', random, keys }));

  /** @param becomes the result of the use case; an error: it throws it. */
  async function send(becomes: unknown, url: string, { method, body, headers = { cookie: COOKIES } }: Sent = {}) {
    asked = [];
    outcome = becomes;
    const reply = await app.inject({
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      url,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) },
      ...(body !== undefined && { payload: body }),
      remoteAddress: '192.0.2.1',
    });
    return {
      status: reply.statusCode,
      location: reply.headers['location'],
      cache: reply.headers['cache-control'],
      headers: reply.headers,
      cookies: reply.cookies,
      body: reply.body,
      asked,
      line: lines().at(-1) as LogLine,
    };
  }
  return { app, lines, send };
}

/** The value that `cookies.create()` gives here. */
export const NEW_COOKIE = Buffer.alloc(32, 'n').toString('base64url');

/** The arguments of the use case for the check of the submitted form. */
export const formCheckOf = (asked: readonly Asked[]): FormCheck =>
  (asked.flatMap(({ given }) => given).at(-1) as { readonly isOurForm: FormCheck }).isOurForm;
