import type { EndedBy, Instant, Proof } from '../shared/facts.ts';
import type { ProofDemanded } from '../shared/proof.ts';

export type AuthorizationCodeState = 'active' | 'used' | 'revoked';

export type AuthorizationCodeContext = ProofDemanded & {
  readonly clientId: string;
  readonly redirectUri: string;
  /** BASE64URL(SHA256(code_verifier)) from the authorization request, RFC 7636 §4.2. */
  readonly codeChallenge: string;
  /** The effective scope: the part of the granted scope that the client may have now; empty: nothing of use. */
  readonly scopeToday: readonly string[];
  /** The granted resources that tokens may still be for. */
  readonly resources: readonly string[];
  readonly endsAt: Instant;
  readonly endedBy: EndedBy;
};

export type AuthorizationCodeEvent = {
  readonly type: 'presented';
  readonly now: Instant;
  /** The client that authenticated (or named itself, when public). */
  readonly clientId: string;
  /** As sent with the token request; `null` when it was not sent. */
  readonly redirectUri: string | null;
  /** S256 of the presented verifier; `null` when the verifier is malformed (RFC 7636 §4.1). */
  readonly challengeOfVerifier: string | null;
  readonly proof: Proof;
  /** As sent; `null` when not sent, which means the resources of the grant (RFC 8707 §2.2). */
  readonly resources: readonly string[] | null;
};
