/** The authorization request of a browser that is signed in: one statement from its cookie to the code. */
import { randomBytes } from 'node:crypto';
import { sha256 } from './keys.ts';
import type { Statements } from './statements.ts';
import { codeOf } from './tokens.ts';

/** @returns where the browser goes; null: client and redirect URI are not known together, so it stays. */
export async function authorize(
  database: Statements,
  issuer: string,
  query: URLSearchParams,
  cookies = '',
): Promise<string | null> {
  const clientId = query.get('client_id') ?? '';
  const redirectUri = query.get('redirect_uri') ?? '';
  const scope = (query.get('scope') ?? '').split(' ');
  const challenge = query.get('code_challenge') ?? '';
  const cookie = /(?:^|; )session=([\w-]{43})(?:;|$)/.exec(cookies)?.[1];
  const isSound =
    new Set(query.keys()).size === query.size &&
    query.get('response_type') === 'code' &&
    query.get('code_challenge_method') === 'S256' &&
    /^[\w-]{43}$/.test(challenge);
  if (isSound && cookie !== undefined) {
    const id = randomBytes(16);
    const { code, secret } = codeOf(id);
    const request = { clientId, redirectUri, scope, challenge, cookieHash: sha256(cookie), codeHash: sha256(secret) };
    if (await database.authorize({ grantId: id.toString('hex'), ...request })) return to({ code });
  }
  const client = await database.findClient(clientId);
  if (!client?.redirect_uris.includes(redirectUri)) return null;
  return isSound ? '/sign-in' : to({ error: 'invalid_request' });

  function to(answer: Readonly<Record<string, string>>): string {
    const state = query.get('state');
    // RFC 9207: the client learns who answers.
    return `${redirectUri}?${new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: issuer })}`;
  }
}
