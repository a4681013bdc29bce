/** The MCP SDK's interface to a preregistered client. */
import type { OAuthClientMetadata, StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import { ClientInMemory } from './client-in-memory.ts';

export type Registration = {
  /** Of the authorization server at which the client is registered. */
  readonly issuer: string;
  readonly clientId: string;
};

export class RegisteredClient extends ClientInMemory {
  readonly #registration: Registration;

  /** @param open sends the person's browser there. */
  constructor(registration: Registration, redirectUrl: string, open: (authorizationUrl: URL) => void) {
    super(redirectUrl, open);
    this.#registration = registration;
  }

  get clientMetadata(): OAuthClientMetadata {
    return { redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' };
  }

  // With the issuer beside it, the SDK takes this client to no other authorization server, whatever an API names in its
  // metadata. Without `saveClientInformation` it never tries to register it (RFC 7591).
  clientInformation(): StoredOAuthClientInformation {
    const { issuer, clientId } = this.#registration;
    return { client_id: clientId, issuer, token_endpoint_auth_method: 'none' };
  }
}
