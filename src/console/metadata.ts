/** The metadata of the server, from where each client of it reads them. */
import { pathUnder } from '../oauth/urls.ts';
import type { Send } from './send.ts';

export async function readMetadata(
  { send, issuer }: { readonly send: Send; readonly issuer: string },
  address: string,
): Promise<Readonly<Record<string, unknown>>> {
  const path = pathUnder(issuer, '/.well-known/openid-configuration');
  const { status, text } = await send({ method: 'GET', path, headers: { accept: 'application/json' }, address });
  return status === 200 ? JSON.parse(text) : {};
}
