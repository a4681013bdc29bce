/**
 * Every comparison of a credential, with near misses. These are the correct one without its first or last
 * character, in other letters, with spaces, and with lookalikes. The correct one is accepted afterwards.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  obtainCode,
  obtainTokens,
  PASSWORD,
  refresh,
  type TestClient,
  type TestUser,
  type TokenAnswer,
  token,
} from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
let user: TestUser;
let client: TestClient;
beforeAll(async () => {
  scene = await openScene(anyDatabase);
  user = await makeUser(scene, 'Renée Müller');
  client = await makeClient(scene, { clientId: 'App-Ünï', redirectUris: ['https://client.test/callback?a=b'] });
});
afterAll(() => scene.close());

const swapped = (text: string) =>
  text.replaceAll(/\p{L}/gu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
const FULL_WIDTH = 0xfee0;
const NEARLY: Readonly<Record<string, (text: string) => string>> = {
  'without its last character': (text) => text.slice(0, -1),
  'without its first character': (text) => text.slice(1),
  'with its last character twice': (text) => `${text}${text.at(-1)}`,
  twice: (text) => `${text}${text}`,
  'with a space behind': (text) => `${text} `,
  'with a space before': (text) => ` ${text}`,
  'with a tab behind': (text) => `${text}\t`,
  'with a line end behind': (text) => `${text}\n`,
  'with U+0000 behind': (text) => `${text}\0`,
  'with a soft hyphen inside': (text) => `${text.slice(0, 2)}\u00ad${text.slice(2)}`,
  'in other letters': swapped,
  'with its first character full-width': (text) => String.fromCharCode(text.charCodeAt(0) + FULL_WIDTH) + text.slice(1),
  'in brackets of a list': (text) => `["${text}"]`,
  'percent-encoded': (text) => `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`,
  padded: (text) => `${text}=`,
  empty: () => '',
};

type Comparison = {
  readonly right: string;
  /** Tries it. @returns whether it opened. */
  readonly opens: (text: string) => Promise<boolean>;
  /** Near misses that count as equal, each with the reason. */
  readonly equal?: Readonly<Record<string, string>>;
};
const signsIn = async (fields: { readonly username: string; readonly password: string }) => {
  const browser = new Browser(scene.app);
  await browser.submit(await browser.get('/sign-in'), fields);
  return (await browser.get('/account')).url === '/account';
};
const opened = ({ status }: TokenAnswer) => status === 200;

const NOT_SENT = 'A parameter without a value counts as not sent (OAuth 2.1 §3.2.2).';
const SEPARATES = 'Spaces separate scopes, and a further one says nothing.';

const COMPARISONS: Readonly<Record<string, () => Promise<Comparison>>> = {
  'a code verifier': async () => {
    const { code, verifier } = await obtainCode(scene, client, user);
    return { right: verifier, opens: async (text) => opened(await exchange(scene, client, { code, verifier: text })) };
  },
  'the redirect URI of a token request': async () => ({
    right: client.redirectUris[0] ?? '',
    opens: async (text) =>
      opened(await exchange(scene, client, await obtainCode(scene, client, user), { redirect_uri: text })),
    equal: { empty: `${NOT_SENT} OAuth 2.1 needs none here.` },
  }),
  'a client secret': async () => ({
    right: client.secret ?? '',
    opens: async (secret) => opened(await token(scene, { ...client, secret }, { grant_type: 'client_credentials' })),
  }),
  'a client identifier': async () => ({
    right: client.clientId,
    opens: async (clientId) =>
      opened(await token(scene, { ...client, clientId }, { grant_type: 'client_credentials' })),
  }),
  'a grant type': async () => ({
    right: 'client_credentials',
    opens: async (text) => opened(await token(scene, client, { grant_type: text })),
  }),
  'a resource': async () => ({
    right: 'https://api.example.com',
    opens: async (resource) => opened(await token(scene, client, { grant_type: 'client_credentials', resource })),
    equal: {
      empty: NOT_SENT,
      'in other letters': 'A resource is compared as a URL: scheme and host in small letters (RFC 3986 §6.2.2.1).',
    },
  }),
  'a scope': async () => {
    const { refreshToken } = await obtainTokens(scene, client, user, { scope: 'read' });
    let head = refreshToken;
    return {
      right: 'read',
      opens: async (scope) => {
        const answer = await refresh(scene, client, head, { scope });
        head = answer.json.refresh_token ?? head;
        return opened(answer);
      },
      equal: { empty: NOT_SENT, 'with a space behind': SEPARATES, 'with a space before': SEPARATES },
    };
  },
  'the redirect URI of an authorization request': async () => ({
    right: client.redirectUris[0] ?? '',
    opens: async (text) => {
      const url = authorizeUrl(client, makePkce(), { redirect_uri: text });
      const at = await goThrough(new Browser(scene.app), url, user);
      return URL.canParse(at.url);
    },
  }),
  'a password': async () => ({
    right: PASSWORD,
    opens: async (password) => {
      // Each try with another account, or the throttle on guessing would refuse the right one.
      const { username } = await makeUser(scene);
      return signsIn({ username, password });
    },
  }),
  'a username': async () => ({
    right: user.username,
    opens: async (username) => {
      return signsIn({ username, password: PASSWORD });
    },
    equal: Object.fromEntries(
      [
        'in other letters',
        'with its first character full-width',
        'with a space behind',
        'with a space before',
        'with a tab behind',
        'with a line end behind',
      ].map((name) => [name, 'Usernames are compared by their key: NFKC, trimmed, in small letters.']),
    ),
  }),
};

it.each(Object.entries(COMPARISONS))(
  '%s is rejected when it is nearly right, and accepted when it is right',
  async (_, compare) => {
    const { right, opens, equal = {} } = await compare();
    const wrong: string[] = [];
    for (const [name, change] of Object.entries(NEARLY)) {
      const text = change(right);
      if (text === right) continue;
      if ((await opens(text)) !== name in equal) wrong.push(`${name}: ${JSON.stringify(text)}`);
    }
    expect(wrong).toEqual([]);
    expect(await opens(right)).toBe(true);
  },
);
