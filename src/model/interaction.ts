/** An authorization request on its way through sign-in and consent. */
import type { InteractionState, Prompt } from '../../machines/interaction/facts.ts';
import type { Bytes } from './grant.ts';

/** OAuth 2.0 Multiple Response Types §2.1, OAuth 2.0 Form Post Response Mode §2. */
export type Transport = 'query' | 'form_post';
/** JARM §2.3: the same transports, for a signed response. */
export type ResponseMode = Transport | `${Transport}.jwt`;

export type Interaction = {
  readonly id: string;
  readonly state: InteractionState;
  readonly browserHash: Bytes;
  readonly clientId: string;
  readonly clientEpoch: bigint;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  /** `dpop_jkt` (RFC 9449 §10); null: not sent. */
  readonly dpopJkt: string | null;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly requestState: string | null;
  readonly nonce: string | null;
  readonly prompt: readonly Prompt[];
  readonly maxAgeSeconds: number | null;
  /** The class that the sign-in has to be in (src/oauth/authentication-methods.ts); null: any sign-in is enough. */
  readonly requiredClass: string | null;
  readonly hintedUserId: string | null;
  readonly loginHint: string | null;
  /** Tags of BCP 47, the best first: the languages that the end-user prefers, as far as the client knows. */
  readonly uiLocales: readonly string[];
  readonly responseMode: ResponseMode;
  readonly userId: string | null;
  readonly createdAt: Date;
  readonly endsAt: Date;
};

/** The requested parameters, the browser and the end: fixed from the authorization request on. */
export type RequestedInteraction = Omit<Interaction, 'state' | 'userId'>;
