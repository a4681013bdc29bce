/** The token of a form: a MAC over the form's purpose and the browser that showed it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hmacSha256, sameSecretBytes } from '../crypto/digest.ts';
import type { RootKey, RootKeys } from '../crypto/root-secret.ts';
import type { FormCheck } from '../protocol/form-purpose.ts';
import type { BrowserCookies } from './cookies.ts';
import { sentField } from './form-body.ts';

export type Csrf = {
  /** For the hidden field `csrf`. Sets the browser's cookie if it has none. */
  readonly token: (request: FastifyRequest, reply: FastifyReply, purpose: string) => string;
  /** Whether this server made the submitted form for the purpose that the use case names. */
  readonly checkOf: (request: FastifyRequest) => FormCheck;
};

export function csrf({ keys, cookies }: { readonly keys: RootKeys; readonly cookies: BrowserCookies }): Csrf {
  return {
    token: (request, reply, purpose) => {
      const known = cookies.read(request, 'browser');
      if (known !== null) return tokenUnder(keys.first, purpose, known);
      const created = cookies.create();
      cookies.set(reply, 'browser', created);
      return tokenUnder(keys.first, purpose, created.value);
    },
    checkOf: (request) => {
      const browser = cookies.read(request, 'browser');
      const sent = sentField(request, 'csrf');
      return (purpose) => browser !== null && sent !== null && isToken(keys, purpose, browser, sent);
    },
  };
}

/** Under any listed root secret, so that open pages survive its rotation. */
function isToken(keys: RootKeys, purpose: string, browser: string, sent: string): boolean {
  const tokens = [...keys.byId.values()].map((root) => Buffer.from(tokenUnder(root, purpose, browser)));
  return tokens.some((token) => sameSecretBytes(token, Buffer.from(sent)));
}

const tokenUnder = (root: RootKey, purpose: string, browser: string): string =>
  hmacSha256(root.key('form'), purpose, '\n', browser).toString('base64url');
