/**
 * The MCP SDK's interface to a client that no operator registered. Where the authorization server accepts documents of clients and this one
 * has one, the SDK sends its URL as `client_id` (Client ID Metadata Documents). Otherwise it registers the client (RFC 7591).
 */
import type { OAuthClientMetadata, StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import { ClientInMemory } from './client-in-memory.ts';

export class Stranger extends ClientInMemory {
  readonly clientMetadataUrl?: string;
  #information: StoredOAuthClientInformation | undefined;

  /**
   * @param documentUrl public, with https: a document with these metadata, and with this URL as `client_id`. Null: none.
   * @param open sends the person's browser there.
   */
  constructor(documentUrl: string | null, redirectUrl: string, open: (authorizationUrl: URL) => void) {
    super(redirectUrl, open);
    if (documentUrl !== null) this.clientMetadataUrl = documentUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Photo stranger',
      application_type: 'native',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // A program on the person's machine can keep no secret (RFC 8252 §8.5).
      token_endpoint_auth_method: 'none',
    };
  }

  // The SDK adds the issuer, so that it takes this registration to no other authorization server.
  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#information;
  }
  saveClientInformation(information: StoredOAuthClientInformation): void {
    this.#information = information;
  }

  override invalidateCredentials(part: string): void {
    super.invalidateCredentials(part);
    if (part === 'all' || part === 'client') this.#information = undefined;
  }
}
