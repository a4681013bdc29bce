/**
 * A rolling upgrade from the release before, in the steps of UPGRADING.md: nodes of both versions serve one database while clients
 * rotate chains through them and end-users sign in. No client and no user notices it, except as UPGRADING.md says.
 */
import { join } from 'node:path';
import { asc, eq } from 'drizzle-orm';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { DEFAULT_METADATA } from '../../src/registration/client-metadata.ts';
import { transitions } from '../../src/storage/schema.ts';
import { exchange, makePkce, PASSWORD, REDIRECT_URI, refresh, type TestClient, token } from '../support/actors.ts';
import { ISSUER } from '../support/app.ts';
import { introspect } from '../support/sent-token.ts';
import { placeOf, storedGrant } from '../support/stored.ts';
import { openInstallation } from './installation.ts';
import { authorize, type Person, personAt, signOut, silently } from './people.ts';
import { givePackages, unpackPreviousRelease } from './previous-release.ts';
import { command, type Node, present, previous, startNode } from './server-process.ts';
import { Balancer, startTraffic } from './traffic.ts';

const SECRET = 'a-root-secret-that-outlives-the-upgrade-0123456789';
const CHAINS = 4;
/** How often each chain rotates, and each end-user signs in, between two steps. */
const TIMES = 4;

const DECLARED = {
  id: 'declared',
  secret: 'the secret of a declared client, of 32 characters or more',
  file: 'clients: [{client_id: declared, grant_types: [client_credentials], client_secret_environment: [ITS_SECRET]}]',
};
const clientOf = (clientId: string, secret: string): TestClient => ({
  ...DEFAULT_METADATA,
  clientId,
  clientName: clientId,
  tokenEndpointAuthMethod: 'client_secret_basic',
  secretMacs: [],
  redirectUris: [REDIRECT_URI],
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  secret,
});

it('from the release before to this version, under load, there and back', async () => {
  const release = unpackPreviousRelease();
  onTestFinished(release.remove);
  givePackages(release);
  const installation = await openInstallation(SECRET, join(release.folder, 'policies'), DECLARED.file);
  onTestFinished(installation.close);
  const env = { ...installation.env, ITS_SECRET: DECLARED.secret };
  const old = previous(release.folder, { ...env, DATABASE_URL: installation.serverUrl });
  const now = present({ ...env, DATABASE_URL: installation.serverUrl });
  const { drizzle } = installation.database;
  const keys = rootKeys([SECRET]);
  const balancer = new Balancer();
  const everyNode: Node[] = [];
  const begin = async (version: typeof old) => {
    const node = await startNode(version);
    everyNode.push(node);
    balancer.add(node);
    return node;
  };
  /** In the order of UPGRADING.md: out of the load balancer, SIGTERM, and the other version in its place. */
  const replace = async (node: Node, by: typeof old) => {
    await balancer.takeOut(node);
    expect(await node.stop()).toBe(0);
    return begin(by);
  };
  const makeUser = async (username: string) => {
    const printed = await command(old, ['users', 'create', username, '--json'], { STATEHOUSE_PASSWORD: PASSWORD });
    return { id: JSON.parse(printed).user.sub as string, username };
  };
  const makeClient = async (id: string) => {
    const grants = ['authorization_code', 'refresh_token', 'client_credentials'].flatMap((type) => [
      '--grant-type',
      type,
    ]);
    const words = ['clients', 'create', '--id', id, '--redirect-uri', REDIRECT_URI, ...grants, '--json'];
    return clientOf(id, JSON.parse(await command(old, words)).client.client_secret);
  };
  const chainOf = async (node: Node, client: TestClient, person: Person) => {
    const pkce = makePkce();
    const code = await authorize(person, client, pkce);
    const { json } = await exchange(node, client, { code, verifier: pkce.verifier });
    if (!json.refresh_token || !json.access_token) throw new Error(`no tokens came back: ${json.error}`);
    return { code: { code, verifier: pkce.verifier }, access: json.access_token, refresh: json.refresh_token };
  };

  const migrations = { STATEHOUSE_MIGRATIONS_URL: installation.ownerUrl };
  const migrate = (version: typeof old) =>
    command(version, ['migrate', '--grant-to', installation.serverRole], migrations);

  // The release before, as it was in use.
  await migrate(old);
  let first = await begin(old);
  let second = await begin(old);
  const [ada, grace, shop] = [await makeUser('ada'), await makeUser('grace'), await makeClient('shop')];
  const begun: string[] = [];
  for (let n = 0; n < CHAINS; n++) begun.push((await chainOf(first, shop, personAt(first, ada))).refresh);
  const graceBefore = personAt(first, grace);
  await chainOf(first, shop, graceBefore);
  const traffic = startTraffic(balancer, shop, ada, begun);
  await traffic.goOn(TIMES);

  // The tables first, under load; the nodes of the release before continue.
  await migrate(now);
  await traffic.goOn(TIMES);
  await command(now, ['check']);

  second = await replace(second, now);
  await traffic.goOn(TIMES);

  // Side by side: a decision of one node holds at the other.
  const both = [first, second] as const;
  for (const [one, other] of [both, [second, first] as const]) {
    await seenByBoth(one, other, () => chainOf(one, shop, personAt(one, ada)), shop);
  }
  await oneWinsAtMost(both, () => chainOf(second, shop, personAt(second, ada)), shop);
  await signedByEither(both, shop);
  for (const node of both) {
    const answer = await token(node, clientOf(DECLARED.id, DECLARED.secret), { grant_type: 'client_credentials' });
    expect(answer.status).toBe(200);
  }

  // A session of one counts at the other, and ends at both.
  const silent = (node: Node, person: Person) => silently(personAt(node, person.user, person), shop, makePkce());
  const graceNow = personAt(second, grace);
  await chainOf(second, shop, graceNow);
  const graceOnOld = personAt(first, grace);
  await chainOf(first, shop, graceOnOld);
  for (const node of both) {
    expect(await silent(node, graceBefore)).toBeNull();
    expect(await silent(node, graceNow)).toBeNull();
    expect(await silent(node, graceOnOld)).toBeNull();
  }
  await signOut(graceNow);
  for (const node of both) expect(await silent(node, graceNow)).toBe('login_required');

  // The changes by commands of the release before.
  const statusesOf = async (client: TestClient) =>
    Promise.all(both.map(async (node) => (await token(node, client, { grant_type: 'client_credentials' })).status));
  const [linus, late] = [await makeUser('linus'), await makeClient('late')];
  for (const node of both) await chainOf(node, late, personAt(node, linus));
  const { refresh: ended } = await chainOf(second, late, personAt(second, linus));
  expect(await statusesOf(late)).toEqual([200, 200]);

  for (const words of [
    ['clients', 'delete', 'late'],
    ['users', 'disable', 'linus'],
    ['users', 'enable', 'linus'],
    ['clients', 'list'],
    ['users', 'list'],
    ['keys', 'list'],
  ]) {
    await command(old, words);
  }
  expect(await statusesOf(late)).toEqual([401, 401]);
  // Under the same id again: its grants of before stay ended.
  Object.assign(late, await makeClient('late'));
  expect(await statusesOf(late)).toEqual([200, 200]);
  for (const node of both) expect((await introspect(node, late, ended)).json).toEqual({ active: false });

  // Back, and there again: the database stays migrated.
  second = await replace(second, old);
  await traffic.goOn(TIMES);
  second = await replace(second, now);
  first = await replace(first, now);
  await traffic.goOn(TIMES);

  // No node of the release before is left.
  await chainOf(first, late, personAt(first, linus));
  expect(await silent(first, graceOnOld)).toBeNull();
  await traffic.stop();
  for (const head of traffic.heads()) {
    const { grantId, generation } = placeOf(keys, head);
    expect(await storedGrant(drizzle, grantId)).toMatchObject({ state: 'active', refreshGeneration: generation });
    const lines = await drizzle
      .select()
      .from(transitions)
      .where(eq(transitions.grantId, grantId))
      .orderBy(asc(transitions.generation));
    const reached = lines.filter(({ toState }) => toState === 'used').map((line) => line.generation);
    // Each generation once, whichever version moved the head.
    expect(reached).toEqual(Array.from({ length: Number(generation) + 1 }, (_, n) => BigInt(n)));
  }
  for (const node of [first, second]) expect(await node.stop()).toBe(0);
  for (const node of everyNode) expect(failuresIn(node)).toEqual([]);
});

type Chain = { readonly code: { code: string; verifier: string }; readonly access: string; readonly refresh: string };

/** A reuse, of a refresh token and of a code, ends the chain at both. */
async function seenByBoth(one: Node, other: Node, fresh: () => Promise<Chain>, client: TestClient): Promise<void> {
  const reused = await fresh();
  const { json } = await refresh(other, client, reused.refresh);
  expect(json.refresh_token).toEqual(expect.any(String));
  expect(await refresh(one, client, reused.refresh)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  const codeTwice = await fresh();
  expect(await exchange(other, client, codeTwice.code)).toMatchObject({
    status: 400,
    json: { error: 'invalid_grant' },
  });
  for (const node of [one, other]) {
    for (const dead of [json.refresh_token ?? '', codeTwice.refresh]) {
      expect((await introspect(node, client, dead)).json).toEqual({ active: false });
      expect(await refresh(node, client, dead)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    }
  }
}

/** One refresh token at both nodes at the same moment. */
async function oneWinsAtMost(both: readonly Node[], fresh: () => Promise<Chain>, client: TestClient): Promise<void> {
  for (let round = 0; round < 5; round++) {
    const chain = await fresh();
    const answers = await Promise.all(both.map((node) => refresh(node, client, chain.refresh)));
    const [issued = [], refused = []] = [200, 400].map((status) =>
      answers.filter((answer) => answer.status === status),
    );
    expect(refused.map(({ json }) => json.error)).toEqual(['invalid_grant']);
    expect(issued).toHaveLength(1);
    for (const node of both) {
      expect(await refresh(node, client, issued[0]?.json.refresh_token ?? '')).toMatchObject({ status: 400 });
    }
  }
}

/** A signature of one node is verified by the keys that the other publishes. */
async function signedByEither(both: readonly Node[], client: TestClient): Promise<void> {
  for (const signer of both) {
    const publisher = both.find((node) => node !== signer) ?? signer;
    const { json } = await token(signer, client, { grant_type: 'client_credentials' });
    const answer = await fetch(`${publisher.url}/.well-known/jwks.json`);
    const keys = createLocalJWKSet((await answer.json()) as JSONWebKeySet);
    const { payload } = await jwtVerify(json.access_token ?? '', keys, { issuer: ISSUER, typ: 'at+jwt' });
    expect(payload.sub).toBe(client.clientId);
  }
}

/** Lines of its log at level 50 (error) or above, and what it said without the logger. */
const failuresIn = (node: Node): readonly string[] =>
  node
    .output()
    .split('\n')
    .filter((line) => line !== '' && !/^\{"level":[1-4]0,/.test(line));
