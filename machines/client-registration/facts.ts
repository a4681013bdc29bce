import type { Instant } from '../shared/facts.ts';

/** Why a request about the registration of a client changes nothing. */
export type ClientRegistrationRejectReason =
  | 'registration_off'
  | 'too_many_registrations'
  | 'registration_unknown'
  | 'registration_ended'
  | 'registration_token_wrong'
  | 'registration_adopted'
  | 'registration_weakens_authentication';

export type ClientRegistrationState = 'unregistered' | 'unused' | 'used' | 'ended';

/** How hard it is to pose as the client: 0 without authentication, 1 with a secret, 2 with a key. */
export type AuthenticationStrength = 0 | 1 | 2;

export type ClientRegistrationContext = {
  /** Under the rules of this server, clients may register themselves. */
  readonly isOn: boolean;
  /** An operator vouches for the client, and administers it. */
  readonly isVetted: boolean;
  /** An administrator deleted the client. */
  readonly isDeleted: boolean;
  readonly strength: AuthenticationStrength;
  /** Until then the client stays without a sign-in. Null: it is not registered. */
  readonly unusedUntil: Instant | null;
  /** The other registrations that are stored. */
  readonly othersStored: number;
  readonly mostStored: number;
};

/** The request presents the registration access token of this client. */
type Presented = { readonly tokenIsRight: boolean };

export type ClientRegistrationEvent =
  /** A client sends its metadata. */
  | { readonly type: 'registrationRequested' }
  /** An end-user signed in to the client. `until`: the instant until which it then stays without another sign-in. */
  | { readonly type: 'authorized'; readonly until: Instant }
  | ({ readonly type: 'readRequested' | 'deletionRequested' } & Presented)
  /** `strength`: of the authentication that the sent metadata name. */
  | ({ readonly type: 'changeRequested'; readonly strength: AuthenticationStrength } & Presented);
