/** The registration of a client that registered itself (RFC 7591), with the token by which the client manages it (RFC 7592). */
import type { ClientRegistrationState } from '../../../machines/client-registration/facts.ts';
import { tableOf } from '../../engine/commit.ts';

/** One row of `client_registrations`. Its client is a row of `clients`. */
export type StoredRegistration = {
  readonly clientId: string;
  readonly state: Exclude<ClientRegistrationState, 'unregistered'>;
  /** SHA-256 of the registration access token. */
  readonly tokenHash: Uint8Array;
  readonly createdAt: Date;
  /** Until then the client stays without a sign-in. */
  readonly unusedUntil: Date;
};

export const CLIENT_REGISTRATIONS = tableOf<StoredRegistration>('clientRegistrations');
