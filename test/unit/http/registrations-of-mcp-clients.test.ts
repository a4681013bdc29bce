/** The registrations that MCP clients send, as their source or their users reported them until September 2026, and a sign-in with each. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, exchange, makePkce, refresh } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { acceptingRegistrations, clientOf, type Members, send } from '../../support/client-registrations.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const PUBLIC = { response_types: ['code'], token_endpoint_auth_method: 'none' };
const REFRESHED = ['authorization_code', 'refresh_token'];

const SENT: readonly [name: string, redirectUri: string, members: Members][] = [
  [
    'VS Code, on a port that was free',
    'http://127.0.0.1:59656/',
    {
      ...PUBLIC,
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      application_type: 'native',
      grant_types: [...REFRESHED, 'urn:ietf:params:oauth:grant-type:device_code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      scope: 'read',
    },
  ],
  [
    'Claude Code',
    'http://localhost:3118/callback',
    {
      ...PUBLIC,
      client_name: 'Claude Code (photos)',
      application_type: 'native',
      grant_types: REFRESHED,
      redirect_uris: ['http://localhost:3118/callback'],
    },
  ],
  [
    'Codex',
    'http://127.0.0.1:37819/callback/6MFBM1In3Ey-',
    {
      ...PUBLIC,
      client_name: 'Codex',
      application_type: 'native',
      grant_types: REFRESHED,
      redirect_uris: ['http://127.0.0.1:37819/callback/6MFBM1In3Ey-'],
    },
  ],
  [
    'OpenCode, which sends no application_type',
    'http://127.0.0.1:19876/mcp/oauth/callback',
    {
      ...PUBLIC,
      client_name: 'OpenCode',
      grant_types: REFRESHED,
      redirect_uris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    },
  ],
  [
    'Cursor, which has a scheme of its own',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    {
      ...PUBLIC,
      client_name: 'Cursor',
      grant_types: REFRESHED,
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    },
  ],
  [
    'Claude',
    'https://claude.ai/api/mcp/auth_callback',
    {
      ...PUBLIC,
      client_name: 'Claude',
      grant_types: REFRESHED,
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    },
  ],
  [
    'a client with a secret, which names no method',
    'https://agent.example/callback',
    { client_name: 'Agent', grant_types: REFRESHED, redirect_uris: ['https://agent.example/callback'] },
  ],
];

describe('a registration as it comes from', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: acceptingRegistrations() });
  });
  afterAll(() => scene.close());

  it.each(SENT)('%s signs an end-user in and refreshes', async (_, redirectUri, members) => {
    const registered = await send(scene, { payload: members });
    expect(registered.status, JSON.stringify(registered.json)).toBe(201);
    const client = { ...clientOf(registered), redirectUris: [redirectUri] };
    const { status, json } = await exchange(scene, client, await scene.code({ client, change: { scope: 'read' } }));
    expect({ status, scope: json.scope }).toEqual({ status: 200, scope: 'read' });
    expect((await refresh(scene, client, json.refresh_token ?? '')).status).toBe(200);
  });

  it('any of them with another redirect URI gets a page with the difference', async () => {
    const [, , members] = SENT[0] ?? ['', '', {}];
    const client = clientOf(await send(scene, { payload: members }));
    const asked = { ...client, redirectUris: ['http://127.0.0.1:33418/callback'] };
    const page = await new Browser(scene.app).get(authorizeUrl(asked, makePkce()));
    expect(page.status).toBe(400);
    expect(page.headers).not.toHaveProperty('location');
    expect(page.body).toContain('http://127.0.0.1:33418/<mark>callback</mark>');
  });
});
