/** A server of documents of clients, which each test lets say what it likes, and the rules under which a server accepts them. */
import type { MetadataDocuments } from '../../policies/registration-schema.ts';
import type { Policy } from '../../policies/schema.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import type { DocumentAnswer } from '../../src/images/fetch-client-document.ts';
import { clientDocuments } from '../../src/storage/schema.ts';
import { authorizeUrl, makePkce, type TestClient } from './actors.ts';
import { shippedConfiguration, withEveryPolicy } from './app.ts';
import { Browser } from './browser.ts';
import { testClock } from './clock.ts';
import { anyDatabase, type DatabaseKind } from './database.ts';
import { openIntroductionScene } from './introduced-clients.ts';

export const ORIGIN = 'https://agent.example';
export const DOCUMENT_URL = `${ORIGIN}/client.json`;
export const API = 'https://api.example.com';

export const RULES: MetadataDocuments = {
  origins: 'any',
  scopes: ['openid', 'read', 'offline_access'],
  resources: [API],
  policy: 'native-app',
  maxDocuments: 10_000,
};

export const acceptingDocuments = (change: Partial<MetadataDocuments> = {}): Configuration => ({
  ...shippedConfiguration,
  registration: { metadataDocuments: { ...RULES, ...change } },
});

export type Content = Readonly<Record<string, unknown>>;

/** A valid document of an app on a device. */
export const documentOf = (url: string, change: Content = {}): Content => ({
  client_id: url,
  client_name: 'Agent',
  redirect_uris: [`${new URL(url).origin}/callback`],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...change,
});

export const sent = (content: Content | string, freshSeconds = 3600): DocumentAnswer => ({
  kind: 'sent',
  text: typeof content === 'string' ? content : JSON.stringify(content),
  freshSeconds,
});

/** Answers each URL, and counts how often it was asked. */
export function documentServer() {
  const answers = new Map<string, DocumentAnswer>();
  const asked: string[] = [];
  return {
    asked,
    say: (url: string, answer: DocumentAnswer) => void answers.set(url, answer),
    fetchClientDocument: async (url: string): Promise<DocumentAnswer> => {
      asked.push(url);
      return answers.get(url) ?? { kind: 'unreachable', problem: 'The connection failed: ECONNREFUSED.' };
    },
  };
}

/** For a browser and for the token endpoint. */
export const clientAt = (url: string, redirectUri = `${new URL(url).origin}/callback`): TestClient =>
  ({
    clientId: url,
    redirectUris: [redirectUri],
    secret: null,
    tokenEndpointAuthMethod: 'none',
  }) as object as TestClient;

type DocumentScene = {
  /** Change of `RULES`. */
  readonly rules?: Partial<MetadataDocuments>;
  /** Change of the document at `DOCUMENT_URL`. */
  readonly content?: Content;
  /** Beside the resources of the shipped configuration. */
  readonly resources?: Configuration['resources'];
  /** Change of every policy. */
  readonly policy?: Partial<Policy>;
  readonly startsAt?: Date;
  /** Any, where it is left out. */
  readonly database?: DatabaseKind;
  /** In place of the server of documents. */
  readonly fetchClientDocument?: (url: string) => Promise<DocumentAnswer>;
  /** The key sets of clients. */
  readonly fetchKeySet?: (uri: string) => Promise<string>;
};

/** An app that accepts the documents of a server, until the test ends. */
export async function openDocumentScene(change: DocumentScene = {}) {
  const { rules = {}, content = {}, resources = [], policy = {}, startsAt, database = anyDatabase } = change;
  const server = documentServer();
  server.say(DOCUMENT_URL, sent(documentOf(DOCUMENT_URL, content)));
  const clock = testClock(startsAt);
  const accepting = acceptingDocuments(rules);
  const scene = await openIntroductionScene({
    ...{ clock, database },
    configuration: withEveryPolicy(policy, { ...accepting, resources: [...accepting.resources, ...resources] }),
    fetchClientDocument: change.fetchClientDocument ?? server.fetchClientDocument,
    ...(change.fetchKeySet && { fetchKeySet: change.fetchKeySet }),
  });
  return {
    ...scene,
    ...{ server, clock },
    /** The authorization request of this client, in a browser of its own. */
    named: (parameters: Record<string, string | undefined> = {}, by = clientAt(DOCUMENT_URL)) =>
      new Browser(scene.app).get(authorizeUrl(by, makePkce(), parameters)),
    reload: (next: Partial<MetadataDocuments> | null) => scene.reloadRules(next && acceptingDocuments(next)),
    storedClient: () => scene.storedClient(DOCUMENT_URL),
    storedDocument: async () => (await scene.db.select().from(clientDocuments))[0],
  };
}
