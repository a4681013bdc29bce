/** The documents of clients: fetched and read by modules that no start loads, since most servers accept none. */
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import type { DocumentAnswer } from '../images/fetch-client-document.ts';
import type { Fetched } from '../lifecycles/client-document/lifecycle.ts';
import { type ClientDocumentFetches, clientDocumentFetches } from '../protocol/client-document-fetches.ts';

type ClientDocumentsDeps = {
  /** For tests, which have no public internet. */
  readonly fetchClientDocument: ((uri: string) => Promise<DocumentAnswer>) | undefined;
  readonly configuration: () => Configuration;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
};

export const documentsOfClients = ({
  fetchClientDocument,
  configuration,
  logger,
  now,
}: ClientDocumentsDeps): ClientDocumentFetches =>
  clientDocumentFetches({
    fetchDocument: async (url, rules): Promise<Fetched> => {
      const fetch = fetchClientDocument ?? (await import('../images/fetch-client-document.ts')).fetchClientDocument;
      const answer = await fetch(url);
      if (answer.kind !== 'sent') return answer;
      const { readClientDocument } = await import('../registration/client-document.ts');
      const reading = readClientDocument(url, answer.text, rules, configuration());
      return reading.ok
        ? { kind: 'described', registration: reading.registration, freshSeconds: answer.freshSeconds }
        : { kind: 'malformed', problem: reading.problem };
    },
    onFailure: (url, problem) => logger.warn({ clientId: url, problem }, 'document of a client not accepted'),
    now,
  });
