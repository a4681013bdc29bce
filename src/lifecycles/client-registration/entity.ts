/** The registration of a client that registered itself (RFC 7591), with the token by which the client manages it (RFC 7592). */
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { clientRegistrations } from './table.ts';

/** One row of `client_registrations`. Its client is a row of `clients`. */
export type StoredRegistration = StoredRow<typeof clientRegistrations>;

export const CLIENT_REGISTRATIONS = tableOf<StoredRegistration>('clientRegistrations');
