/** Fresh rows of every kind, each of an end-user or client of its own, so that one request leaves no effect for the next. */
import { eq } from 'drizzle-orm';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import { NO_PARAMETERS } from '../../../src/people/external/begin.ts';
import { externalSignInStore } from '../../../src/storage/external-sign-ins.ts';
import { grants, linkedIdentities, sessions } from '../../../src/storage/schema.ts';
import { makeClient, makeUser, obtainTokens, PASSWORD } from '../../support/actors.ts';
import type { TestApp } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { testMacs } from '../../support/macs.ts';
import { callerWith, tokenOf } from '../../support/management.ts';

let serial = 0;

/** For an app in which the bot of support/management.ts may do everything. */
export function freshRows(test: TestApp) {
  const db = test.database.drizzle;
  const call = callerWith(test, () => tokenOf(test, MANAGEMENT_SCOPE_NAMES));
  const made = async (path: string, name: string, body: object = {}): Promise<string> => {
    const answer = await call('POST', path, { body });
    if (answer.statusCode !== 201) throw new Error(`${path}: ${answer.body}`);
    return answer.json()[name];
  };
  const user = async (claims: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    (await makeUser(test, undefined, claims)).id;
  const address = () => `fresh-${++serial}@example.com`;

  return {
    user,
    /** With a verified address. */
    addressed: () => user({ email: address(), email_verified: true }),
    client: async (): Promise<string> => (await makeClient(test)).clientId,
    secret: (clientId: string) => made(`/clients/${clientId}/secrets`, 'secret_id'),
    grant: async () => {
      const client = await makeClient(test);
      const { refreshToken } = await obtainTokens(test, client, await makeUser(test));
      const [row] = await db.select().from(grants).where(eq(grants.clientId, client.clientId));
      return { id: row?.id ?? '', refreshToken };
    },
    session: async (): Promise<string> => {
      const { id, username } = await makeUser(test);
      const browser = new Browser(test.app);
      await browser.submit(await browser.get('/sign-in'), { username, password: PASSWORD });
      const [row] = await db.select().from(sessions).where(eq(sessions.userId, id));
      return row?.sid ?? '';
    },
    /** @returns its reference. */
    signIn: async (): Promise<string> => {
      const reference = String(++serial).padStart(43, 'r');
      await externalSignInStore(db, test.clock, testMacs).insert({
        id: crypto.randomUUID(),
        kind: 'delegated',
        purpose: 'signIn',
        provider: 'delegated',
        browserHash: sha256('a browser'),
        interactionId: null,
        interactionEndsAt: null,
        sealedInteraction: null,
        sealedSecrets: null,
        userId: null,
        requested: NO_PARAMETERS,
        lifetimeSeconds: 600,
        referenceHash: sha256(reference),
      });
      return reference;
    },
    identity: async (userId: string): Promise<string> => {
      const id = crypto.randomUUID();
      const row = { id, userId, issuer: 'https://login.example', subject: id, provider: 'company' };
      await db.insert(linkedIdentities).values({ ...row, linkedAt: test.clock.now(), state: 'active' });
      return id;
    },
    /** No file names it. */
    configuredSecret: async (): Promise<string> => {
      const name = `FRESH_SECRET_${++serial}`;
      const answer = await call('PUT', `/secrets/${name}`, { body: { value: 'a fresh secret' } });
      if (answer.statusCode !== 201) throw new Error(answer.body);
      return name;
    },
    invitation: () => made('/invitations', 'invitation_id', { email: `invited-${++serial}@example.com` }),
    delivery: () => made('/webhook-receivers/crm/tests', 'delivery_id'),
    /** Not the one that signs access tokens. */
    signingKey: async (): Promise<string> => {
      const { kid } = test.deps.keyRing.signerOf('RS256');
      await made('/signing-keys/RS256/rotations', 'kid', { at_once: true });
      return kid;
    },
  };
}
