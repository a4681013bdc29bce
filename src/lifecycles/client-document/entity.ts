/** The document of a client whose `client_id` is a URL (draft-ietf-oauth-client-id-metadata-document). */
import type { ClientDocumentState } from '../../../machines/client-document/facts.ts';
import { tableOf } from '../../engine/commit.ts';

/** One row of `client_documents`. Its client is a row of `clients`. */
export type ClientDocument = {
  /** The URL of the document. */
  readonly clientId: string;
  readonly state: Exclude<ClientDocumentState, 'unseen'>;
  /** When the last valid document came. */
  readonly fetchedAt: Date;
  readonly freshUntil: Date;
  /** When the last fetch failed. Null: none has failed since. */
  readonly failedAt: Date | null;
  /** The rule that the last fetch broke, for the developer of the client. Null: none. */
  readonly problem: string | null;
};

export const CLIENT_DOCUMENTS = tableOf<ClientDocument>('clientDocuments');
