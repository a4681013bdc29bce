/** The MCP SDK's interface to a preregistered client: its identity, and its storage of tokens. */
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

export type Registration = {
  /** Of the authorization server at which the client is registered. */
  readonly issuer: string;
  readonly clientId: string;
};

/** Keeps everything in memory. A client that lives longer keeps the tokens where its secrets are. */
export class RegisteredClient implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly #registration: Registration;
  readonly #open: (authorizationUrl: URL) => void;
  #state = '';
  #verifier = '';
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;

  /** @param open sends the person's browser there. */
  constructor(registration: Registration, redirectUrl: string, open: (authorizationUrl: URL) => void) {
    this.#registration = registration;
    this.redirectUrl = redirectUrl;
    this.#open = open;
  }

  get clientMetadata(): OAuthClientMetadata {
    return { redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' };
  }

  // With the issuer beside it, the SDK takes this client to no other authorization server, whatever an API names in its
  // metadata. Without `saveClientInformation` it never tries to register it (RFC 7591), which Statehouse does not offer.
  clientInformation(): StoredOAuthClientInformation {
    const { issuer, clientId } = this.#registration;
    return { client_id: clientId, issuer, token_endpoint_auth_method: 'none' };
  }

  // Kept from the redirect to the answer, so that the code goes where the browser was sent.
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  /** Compare it when the browser comes back: the SDK checks `iss`, and leaves `state` to the client. */
  state(): string {
    this.#state = crypto.randomUUID();
    return this.#state;
  }
  isMine(state: string | null): boolean {
    return this.#state !== '' && state === this.#state;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }

  // Stored before the client uses the new tokens: the server has already invalidated the old refresh token.
  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }
  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }
  invalidateCredentials(what: string): void {
    if (what === 'all' || what === 'tokens') this.#tokens = undefined;
    if (what === 'all' || what === 'discovery') this.#discovery = undefined;
  }

  redirectToAuthorization(url: URL): void {
    this.#open(url);
  }
}
