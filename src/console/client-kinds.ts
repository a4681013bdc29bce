/** The kinds of clients, each with the choices that are right for most of them (docs/connecting-a-client.md). */
import type { ClientRecord } from './client-form.ts';

export type ClientKind = 'web' | 'spa' | 'native' | 'service' | 'mcp';

type Kind = {
  readonly title: string;
  readonly words: string;
  readonly record: ClientRecord;
  /** Taken where the configuration has it, and otherwise the default. */
  readonly policy: string;
  /** The form of its redirect URIs. Null: it has none. */
  readonly redirects: string | null;
};

const CODE = { grant_types: ['authorization_code', 'refresh_token'], scope: 'openid profile email' } as const;

export const CLIENT_KINDS: Readonly<Record<ClientKind, Kind>> = {
  web: {
    title: 'Web application',
    words: 'It has a server that keeps a secret. End-users sign in through the browser.',
    record: { ...CODE, application_type: 'web', token_endpoint_auth_method: 'client_secret_basic' },
    policy: 'default',
    redirects: 'https://photos.example.com/callback',
  },
  spa: {
    title: 'Single-page app',
    words: 'All of its code runs in the browser, so it has no secret. Refresh tokens live shorter.',
    record: { ...CODE, application_type: 'web', token_endpoint_auth_method: 'none' },
    policy: 'browser-app',
    redirects: 'https://photos.example.com/',
  },
  native: {
    title: 'Native app',
    words: 'It runs on a phone, a desk or in a terminal, and has no secret. The system browser signs end-users in.',
    record: { ...CODE, application_type: 'native', token_endpoint_auth_method: 'none' },
    policy: 'native-app',
    redirects: 'com.example.photos:/callback, or http://127.0.0.1/callback, where any port will do',
  },
  service: {
    title: 'Service',
    words: 'A program that acts for itself, without end-users: client credentials.',
    record: { grant_types: ['client_credentials'], token_endpoint_auth_method: 'client_secret_basic' },
    policy: 'service',
    redirects: null,
  },
  mcp: {
    title: 'MCP client',
    words:
      'An AI application that calls MCP servers for an end-user. It has no secret, and names the MCP server as resource.',
    record: { ...CODE, scope: '', application_type: 'native', token_endpoint_auth_method: 'none' },
    policy: 'native-app',
    redirects: 'http://127.0.0.1/callback, where any port will do, or an https address of the application',
  },
};

export const kindIn = (text: string): ClientKind | null =>
  Object.hasOwn(CLIENT_KINDS, text) ? (text as ClientKind) : null;

/** An MCP client is like a native app. */
export function kindOf(client: ClientRecord): ClientKind {
  const grants = Array.isArray(client['grant_types']) ? client['grant_types'] : [];
  if (!grants.includes('authorization_code')) return 'service';
  if (client['application_type'] === 'native') return 'native';
  return client.token_endpoint_auth_method === 'none' ? 'spa' : 'web';
}
