/** The link of a page that ends an interaction: back to the app that sent the browser here. */
import type { Client } from '../model/client.ts';

export type WayBack = { readonly clientName: string; readonly href: string };

/**
 * `initiate_login_uri` starts the sign-in again; it gets the issuer as `iss` (OpenID Connect Core §4). Otherwise
 * `client_uri`, the page of the app (RFC 7591 §2). Empty: the client has neither, or is deleted.
 */
export function wayBack(
  issuer: string,
  {
    clientName,
    initiateLoginUri,
    clientUri,
    deletedAt,
  }: Pick<Client, 'clientName' | 'initiateLoginUri' | 'clientUri' | 'deletedAt'>,
): { readonly wayBack?: WayBack } {
  if (deletedAt !== null) return {};
  if (initiateLoginUri !== null) {
    const href = new URL(initiateLoginUri);
    href.searchParams.set('iss', issuer);
    return { wayBack: { clientName, href: href.href } };
  }
  return clientUri === null ? {} : { wayBack: { clientName, href: clientUri } };
}
