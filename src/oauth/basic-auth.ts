/** RFC 6749 §2.3.1: client id and secret, each form-url-encoded, joined by ":" and base64-encoded (RFC 7617). */
import { decode } from './parameters.ts';

export type BasicCredentials = { readonly clientId: string; readonly clientSecret: string };

/**
 * @returns the possible readings of the header, the standard's first. Many clients forget to form-url-encode, which
 * matters only when id or secret contains "%" or "+". Then the plain reading comes second. Null when the header is not
 * Basic.
 */
export function parseBasic(header: string): BasicCredentials[] | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header) ?? [];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, 'base64');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
  const colon = text.indexOf(':');
  if (colon < 0 || text.includes('\0')) return null;
  const plain = { clientId: text.slice(0, colon), clientSecret: text.slice(colon + 1) };
  const [clientId, clientSecret] = [decode(plain.clientId), decode(plain.clientSecret)];
  // No registered id or secret contains U+0000, and Postgres rejects it in text.
  if (clientId === null || clientSecret === null || /\0/.test(clientId + clientSecret)) return [plain];
  const same = clientId === plain.clientId && clientSecret === plain.clientSecret;
  return same ? [plain] : [{ clientId, clientSecret }, plain];
}
