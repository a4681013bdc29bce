/** RFC 7662 for the client that a token was issued to: one signature to check, one statement. */
import { sameBytes } from './keys.ts';
import type { Client, Statements } from './statements.ts';
import { readAccessToken } from './tokens.ts';

/** @returns null: the client is not authenticated. */
export async function introspect(
  database: Statements,
  issuer: string,
  client: Client,
  form: URLSearchParams,
): Promise<object | null> {
  const read = readAccessToken(issuer, form.get('token') ?? '');
  const found = await database.findClientAndGrant(client.clientId, read?.grantId ?? null);
  if (!found || !sameBytes(found.secret_mac, client.secretMac)) return null;
  const isItsOwn = read?.claims.client_id === client.clientId;
  const lives = read !== null && (read.grantId === null || found.active);
  return isItsOwn && lives ? { active: true, token_type: 'Bearer', ...read.claims } : { active: false };
}
