/** The state of a client of the SDK, between the redirect and the answer and afterwards. */
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** Keeps everything in memory. A client that lives longer keeps the tokens where its secrets are. */
export abstract class ClientInMemory implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly #open: (authorizationUrl: URL) => void;
  #state = '';
  #verifier = '';
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;

  abstract get clientMetadata(): OAuthClientMetadata;
  abstract clientInformation(): StoredOAuthClientInformation | undefined;

  /** @param open sends the person's browser there. */
  constructor(redirectUrl: string, open: (authorizationUrl: URL) => void) {
    this.redirectUrl = redirectUrl;
    this.#open = open;
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
