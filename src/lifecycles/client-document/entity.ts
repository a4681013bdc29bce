/** The document of a client whose `client_id` is a URL (draft-ietf-oauth-client-id-metadata-document). */
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { clientDocuments } from './table.ts';

/** One row of `client_documents`. Its client is a row of `clients`. */
export type ClientDocument = StoredRow<typeof clientDocuments>;

export const CLIENT_DOCUMENTS = tableOf<ClientDocument>('clientDocuments');
