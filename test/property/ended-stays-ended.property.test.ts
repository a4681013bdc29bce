/**
 * An ended row does not become active again. For each table: a row is copied, it ends, and it is put back by every kind of statement that
 * the server's role may run: UPDATE, DELETE with INSERT, INSERT … ON CONFLICT, of all columns or any of them, under the old name or
 * another, into its own row or into another one. Then the test queries the server. The columns come from the schema and the ends from the
 * machines, so that a later table, column or state is covered too. A table that is neither walked nor exempted fails.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { getTableColumns, is, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/crypto/random.ts';
import { storedRecoveryCode } from '../../src/crypto/recovery-code.ts';
import { storedPasswordHash } from '../../src/crypto/secret-types.ts';
import { consentFacts } from '../../src/lifecycles/interaction/table.ts';
import { linkedIdentityFacts } from '../../src/lifecycles/linked-identity/table.ts';
import { askMail, MAIL_POLICY, reportMailRequest } from '../../src/lifecycles/mail/lifecycle.ts';
import { endedStatesOf } from '../../src/lifecycles/moves.ts';
import { endDeclared, issueSetUp } from '../../src/lifecycles/operator-set-up/lifecycle.ts';
import { passkeyFacts } from '../../src/lifecycles/passkey/table.ts';
import { askForCode, presentCode, sendCode } from '../../src/lifecycles/sign-in-code/lifecycle.ts';
import { signingKeyFacts } from '../../src/lifecycles/signing-key/table.ts';
import { askTrustedBrowser, beginTrust } from '../../src/lifecycles/trusted-browser/lifecycle.ts';
import { commandLine } from '../../src/model/actor.ts';
import { grantState } from '../../src/model/grant.ts';
import { sessionState } from '../../src/model/session.ts';
import { NO_PASSWORD } from '../../src/model/user.ts';
import { NO_PARAMETERS } from '../../src/people/external/begin.ts';
import { openContents, queuedMail } from '../../src/people/mail/contents.ts';
import { openSecret, sealSecret } from '../../src/people/second-factor/secret.ts';
import { DEFAULT_METADATA } from '../../src/registration/client-metadata.ts';
import { heldMachines } from '../../src/review/sql/rules.ts';
import { externalSignInStore } from '../../src/storage/external-sign-ins.ts';
import { passkeyStore, recoveryCodeStore, secondFactorStore, trustedBrowserStore } from '../../src/storage/factors.ts';
import { grantStore } from '../../src/storage/grant-store.ts';
import { mailQueue } from '../../src/storage/mails.ts';
import { operatorSetUpStore } from '../../src/storage/operator-set-ups.ts';
import { permissionStore } from '../../src/storage/permissions.ts';
import * as schema from '../../src/storage/schema.ts';
import { sessionStore } from '../../src/storage/sessions.ts';
import { signInCodeStore } from '../../src/storage/sign-in-codes.ts';
import { signingKeyStore } from '../../src/storage/signing-keys.ts';
import { findIdentifiedUser } from '../../src/storage/users.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { deleteClient, disableUser, insertUser, saveClient, updateUser } from '../support/administration.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { linkPorts } from '../support/links.ts';
import { testClients, testKeys, testMacs } from '../support/macs.ts';
import { openAsRuntimeRole, type RuntimeRole } from '../support/runtime-role.ts';
import { unheld } from '../support/unheld.ts';

let owner: TestDatabase<string>;
let role: RuntimeRole;
beforeAll(async () => {
  owner = await openTestDatabase('postgres');
  role = await openAsRuntimeRole(owner.database, owner.url);
});
afterAll(async () => {
  await role.close();
  await owner.close();
});

const db = () => role.database.drizzle;
const asOwner = () => owner.database.drizzle;
const clock = databaseClock;
const run = async <Row>(statement: SQL): Promise<Row[]> =>
  Array.from((await db().execute(statement)) as unknown as Iterable<Row>);

type Subject = {
  /** Its row, whatever else becomes of it. */
  readonly row: SQL;
  /** Queries the server. */
  readonly counts: () => Promise<boolean>;
  /** By the states of the machine that they lead to, or by words. */
  readonly ends: Readonly<Record<string, () => Promise<unknown>>>;
};
type Walk = {
  readonly table: PgTable;
  readonly machine?: keyof typeof heldMachines;
  /** Columns of type uuid or text under which a row could come back as another one. */
  readonly names: readonly string[];
  /** Other tables reference its rows, so that they are never deleted. */
  readonly stays?: true;
  readonly begin: () => Promise<Subject>;
};

async function newUser(): Promise<string> {
  const id = randomUUID();
  const passwordHash = storedPasswordHash('$argon2id$of the test');
  await insertUser(db(), { id, username: `user-${id}`, passwordHash, claims: {} });
  return id;
}
async function newClient(change: object = {}): Promise<string> {
  const clientId = `client-${randomUUID()}`;
  await saveClient(db(), { ...CLIENT, clientId, ...change });
  return clientId;
}
const CLIENT = {
  ...DEFAULT_METADATA,
  clientName: 'the client',
  tokenEndpointAuthMethod: 'client_secret_basic' as const,
  secretMacs: [{ keyId: testKeys.first.id, mac: 'ab' }],
  redirectUris: ['https://client.example/before'],
  grantTypes: ['authorization_code', 'refresh_token'] as const,
};

const WALKS: Readonly<Record<string, Walk>> = {
  users: {
    table: schema.users,
    machine: 'user',
    names: [],
    stays: true,
    begin: async () => {
      const id = await newUser();
      const before = (await findIdentifiedUser(db(), testMacs, `user-${id}`, 'username'))?.passwordHash;
      return {
        row: sql`id = ${id}::uuid`,
        counts: async () => {
          const user = await findIdentifiedUser(db(), testMacs, `user-${id}`, 'username');
          return user !== null && user.disabledAt === null && user.passwordHash === before;
        },
        ends: {
          disabled: () => disableUser(db(), `user-${id}`),
          'another password': () =>
            updateUser(db(), id, { claims: {}, passwordHash: storedPasswordHash('$argon2id$of later') }),
          deleted: () =>
            run(sql`update users set deleted_at = now(), disabled_at = now(), epoch = epoch + 1, username = '', password_hash = '',
              claims = '{}', username_key = ${`\u0001${id}`} where id = ${id}`),
        },
      };
    },
  },
  clients: {
    table: schema.clients,
    machine: 'client',
    names: [],
    stays: true,
    begin: async () => {
      const clientId = await newClient();
      return {
        row: sql`client_id = ${clientId}`,
        counts: async () => {
          const { client } = await grantStore(db(), clock, testClients).loadClient(clientId);
          const { client: atToken } = await grantStore(db(), clock, testClients).load({
            clientId,
            grantId: randomUUID(),
          });
          const isOld = client?.redirectUris[0] === CLIENT.redirectUris[0] && client?.deletedAt === null;
          return isOld || (atToken?.secretMacs[0]?.mac === 'ab' && atToken.deletedAt === null);
        },
        ends: {
          'another secret and redirect URI': () =>
            saveClient(db(), {
              ...CLIENT,
              clientId,
              redirectUris: ['https://client.example/after'],
              secretMacs: [{ keyId: testKeys.first.id, mac: 'cd' }],
            }),
          deleted: () => deleteClient(db(), clientId),
        },
      };
    },
  },
  consents: {
    table: schema.consents,
    names: ['id'],
    begin: async () => {
      const [userId, clientId] = [await newUser(), await newClient()];
      const given = { userEpoch: 0n, clientEpoch: 0n, scope: ['read'], resources: ['r'], grantedAt: new Date() };
      const row = { id: randomUUID(), userId, clientId, ...given, macVersion: 0n };
      await db()
        .insert(schema.consents)
        .values({ ...row, mac: testMacs.macOf(...consentFacts(row)) });
      const store = permissionStore(db(), clock, testMacs);
      return {
        row: sql`user_id = ${userId}::uuid`,
        counts: async () => (await store.load(userId)).consents.length > 0,
        ends: { withdrawn: () => store.forgetConsents(userId, clientId) },
      };
    },
  },
  sessions: {
    table: schema.sessions,
    machine: 'session',
    names: ['sid'],
    begin: async () => {
      const userId = await newUser();
      const store = sessionStore(db(), clock, testMacs);
      const [idHash, sid] = [randomBytes(32), randomUUID()];
      const facts = { userEpoch: 0n, serverEpoch: 0n, userAgent: null, amr: ['pwd'], state: 'active' as const };
      await store.insert({ idHash, sid, userId, ...facts, lifetimeSeconds: 3600 });
      return {
        row: sql`user_id = ${userId}::uuid`,
        counts: async () => {
          const { session, now } = await store.load({ idHash });
          return session !== null && sessionState(session) === 'active' && session.endsAt > now;
        },
        ends: {
          ended: () =>
            run(
              sql`update sessions set state = 'ended', ended_reason = 'signed_out', ends_at = now() where sid = ${sid}`,
            ),
          'its cookie was renewed': () =>
            run(sql`update sessions set id_hash = ${randomBytes(32)}, amr = '{pwd,otp,mfa}' where sid = ${sid}`),
        },
      };
    },
  },
  email_challenges: {
    table: schema.emailChallenges,
    machine: 'emailChallenge',
    names: ['id'],
    begin: async () => {
      const links = linkPorts({ database: role.database, clock });
      const address = `${randomUUID()}@example.com`;
      const link = await links.ask('sign_up', null, address);
      return {
        row: sql`secret_hash = ${link.secretHash}`,
        counts: async () => (await links.press(link)).kind === 'used',
        ends: {
          used: () => links.press(link),
          superseded: async () => links.press(await links.ask('sign_up', null, address)),
        },
      };
    },
  },
  trusted_browsers: {
    table: schema.trustedBrowsers,
    machine: 'trustedBrowser',
    names: ['id'],
    begin: async () => {
      const [userId, factorId, id] = [await newUser(), randomUUID(), randomUUID()];
      const sealedSecret = sealSecret(
        { keys: testKeys, random: systemRandom },
        { id: factorId, userId },
        'JBSWY3DPEHPK3PXP',
      );
      await secondFactorStore(db(), clock).insertApp({ id: factorId, userId, sealedSecret });
      await run(
        sql`update second_factors set state = 'active', last_step = 1, confirmed_at = now() where id = ${factorId}`,
      );
      const store = trustedBrowserStore(db(), clock, testMacs);
      const browser = {
        id,
        userId,
        userEpoch: 0n,
        serverEpoch: 0n,
        factorId,
        userAgent: null,
        secretHash: randomBytes(32),
      };
      const [{ epoch } = { epoch: '0' }] = await run<{ epoch: string }>(sql`select epoch::text from server`);
      const asked = { lifetimeSeconds: 600, proofIsDemanded: false };
      const ports = { trustedBrowsers: store, sleep: async () => {} };
      await beginTrust(ports, { ...browser, serverEpoch: BigInt(epoch) }, asked);
      return {
        row: sql`id = ${id}::uuid`,
        counts: async () => (await store.find(userId, [browser.secretHash]))?.browser.state === 'active',
        ends: { ended: () => askTrustedBrowser(ports, { userId, id }, { type: 'endRequested' }) },
      };
    },
  },
  sign_in_codes: {
    table: schema.signInCodes,
    machine: 'signInCode',
    names: ['id'],
    begin: async () => {
      const userId = randomUUID();
      const claims = { email: `${userId}@example.com`, email_verified: true };
      await insertUser(db(), { id: userId, username: `user ${userId}`, passwordHash: NO_PASSWORD, claims });
      const store = signInCodeStore(db(), clock, testMacs);
      const ports = { signInCodes: store, sleep: async () => {} };
      const policy = { isOffered: true, lifetimeSeconds: 600, wrongCodesAllowed: 0 };
      const asked = { sealedAccount: 'sealed', browserHash: randomBytes(32), place: 'direct' };
      const code = { id: randomUUID(), codeHash: randomBytes(32), ...asked };
      await askForCode(ports, code, policy);
      await sendCode(ports, code.id, userId, policy);
      const present = async (hash: Buffer) => {
        const loaded = await store.load(code.id);
        if (loaded !== null) await presentCode(ports, code.id, { ...asked, hashes: [hash] }, policy, loaded);
      };
      return {
        row: sql`id = ${code.id}::uuid`,
        counts: async () => (await store.load(code.id))?.codes.some(({ state }) => state === 'active') ?? false,
        ends: {
          used: () => present(code.codeHash),
          spent: () => present(randomBytes(32)),
          superseded: () => askForCode(ports, { ...code, id: randomUUID() }, policy),
        },
      };
    },
  },
  operator_set_ups: {
    table: schema.operatorSetUps,
    machine: 'operatorSetUp',
    names: ['id', 'secret_hash'],
    begin: async () => {
      await db().delete(schema.operatorSetUps);
      const store = operatorSetUpStore(db(), clock, testMacs);
      const ports = { setUps: store, sleep: async () => {} };
      const issue = (id: string) =>
        issueSetUp(ports, { id, secretHash: randomBytes(32), username: null }, [], commandLine);
      const id = randomUUID();
      await issue(id);
      return {
        row: sql`id = ${id}::uuid`,
        counts: async () =>
          (await store.load({ meant: { id }, declared: [], username: null })).setUps.some(
            (one) => one.id === id && one.state !== 'ended',
          ),
        ends: {
          ended: async () => {
            const username = `operator ${id}`;
            await insertUser(db(), { id: randomUUID(), username, passwordHash: NO_PASSWORD, claims: {} });
            await endDeclared(ports, [username]);
          },
        },
      };
    },
  },
  passkeys: {
    table: schema.passkeys,
    machine: 'passkey',
    names: ['id'],
    begin: async () => {
      const credentialId = randomBytes(16);
      const row = {
        id: randomUUID(),
        userId: await newUser(),
        credentialId,
        publicKey: randomBytes(77),
        macVersion: 0n,
      };
      const rest = { state: 'active', name: 'key', counter: 0, backupEligible: false, transports: [] } as const;
      const mac = testMacs.macOf(...passkeyFacts(row));
      await db()
        .insert(schema.passkeys)
        .values({ ...row, ...rest, mac, createdAt: new Date() });
      const store = passkeyStore(db(), clock, testMacs);
      return {
        row: sql`credential_id = ${credentialId}`,
        counts: async () => (await store.load({ credentialId }))?.passkey.state === 'active',
        ends: {
          removed: () =>
            run(sql`update passkeys set state = 'removed', public_key = null, removed_at = now() where id = ${row.id}`),
        },
      };
    },
  },
  linked_identities: {
    table: schema.linkedIdentities,
    machine: 'linkedIdentity',
    names: ['id'],
    begin: async () => {
      const identity = { issuer: 'https://idp.example', subject: randomUUID() };
      const row = { id: randomUUID(), userId: await newUser(), ...identity, macVersion: 0n };
      const rest = { provider: 'idp', state: 'active', linkedAt: new Date() } as const;
      const mac = testMacs.macOf(...linkedIdentityFacts(row));
      await db()
        .insert(schema.linkedIdentities)
        .values({ ...row, ...rest, mac });
      const store = externalSignInStore(db(), clock, testMacs);
      const referenceHash = randomBytes(32);
      await store.insert({ ...EXTERNAL, id: randomUUID(), referenceHash });
      return {
        row: sql`subject = ${identity.subject}`,
        counts: async () => (await store.load(referenceHash, { by: 'identity', identity }, []))?.identity != null,
        ends: {
          removed: () =>
            run(
              sql`update linked_identities set state = 'removed', removed_at = now(), removed_reason = 'removed_by_user' where id = ${row.id}`,
            ),
        },
      };
    },
  },
  external_sign_ins: {
    table: schema.externalSignIns,
    machine: 'externalSignIn',
    names: ['id'],
    begin: async () => {
      const store = externalSignInStore(db(), clock, testMacs);
      const referenceHash = randomBytes(32);
      const userId = await newUser();
      await store.insert({ ...EXTERNAL, id: randomUUID(), referenceHash });
      const move = (set: SQL) => run(sql`update external_sign_ins set ${set} where reference_hash = ${referenceHash}`);
      const answered = sql`state = 'answered', user_id = ${userId}, amr = '{pwd}', authenticated_at = now()`;
      return {
        row: sql`reference_hash = ${referenceHash}`,
        counts: async () => (await store.find(referenceHash))?.signIn.state === 'awaiting',
        ends: {
          used: async () => {
            await move(answered);
            await move(sql`state = 'used'`);
          },
          denied: () => move(sql`state = 'denied', refusal = 'access_denied'`),
        },
      };
    },
  },
  second_factors: {
    table: schema.secondFactors,
    machine: 'secondFactor',
    names: ['id'],
    begin: async () => {
      const [id, userId] = [randomUUID(), await newUser()];
      const store = secondFactorStore(db(), clock);
      const secret = 'JBSWY3DPEHPK3PXP';
      await store.insertApp({
        id,
        userId,
        sealedSecret: sealSecret({ keys: testKeys, random: systemRandom }, { id, userId }, secret),
      });
      return {
        row: sql`user_id = ${userId}::uuid`,
        counts: async () =>
          (await store.listApps(userId)).some((app) => app.userId === userId && openSecret(testKeys, app) === secret),
        ends: {
          removed: () =>
            run(
              sql`update second_factors set state = 'removed', sealed_secret = null, removed_at = now() where id = ${id}`,
            ),
        },
      };
    },
  },
  recovery_codes: {
    table: schema.recoveryCodes,
    machine: 'recoveryCode',
    names: ['id'],
    begin: async () => {
      const [id, userId] = [randomUUID(), await newUser()];
      const store = recoveryCodeStore(db(), clock);
      const hash = storedRecoveryCode(testKeys, userId, randomUUID());
      await store.insert(userId, [{ id, hash }]);
      const end = (state: string) =>
        run(sql`update recovery_codes set state = ${state}, ended_at = now() where id = ${id}`);
      return {
        row: sql`user_id = ${userId}::uuid`,
        counts: async () => (await store.find(userId, [hash]))?.code.state === 'active',
        ends: { used: () => end('used'), replaced: () => end('replaced') },
      };
    },
  },
  signing_keys: {
    table: schema.signingKeys,
    machine: 'signingKey',
    names: ['kid'],
    begin: async () => {
      const kid = randomUUID();
      const row = { kid, alg: kid as 'ES256', publicJwk: { kty: 'EC', x: kid }, macVersion: 0n };
      const mac = testMacs.macOf(...signingKeyFacts(row));
      const values = { ...row, mac, privateJwe: 'sealed', state: 'published' as const, maySignAt: new Date() };
      await db().insert(schema.signingKeys).values(values);
      const store = signingKeyStore(db(), clock, testMacs);
      return {
        row: sql`kid = ${kid}`,
        counts: async () => (await store.load()).keys.some((key) => key.kid === kid && key.state !== 'retired'),
        ends: {
          retired: () =>
            run(sql`update signing_keys set state = 'retired', private_jwe = null, retired_at = now(),
              retired_reason = 'revocation_requested' where kid = ${kid}`),
        },
      };
    },
  },
  mails: {
    table: schema.mails,
    machine: 'mail',
    names: ['id'],
    begin: async () => {
      const ports = { mails: mailQueue(db(), clock).mails, sleep: async () => {} };
      const to = `${randomUUID()}@example.com`;
      const content = { kind: 'sign_up', link: 'https://as.test', lifetimeSeconds: 3600 } as const;
      const mail = { to, userId: null, languages: [], timeZone: null, content };
      const queued = queuedMail({ keys: testKeys, random: systemRandom }, mail, new Date());
      await mailQueue(db(), clock).add(queued, null);
      const report = async (outcome: 'succeeded' | 'refused') =>
        askMail(ports, queued.id, reportMailRequest(MAIL_POLICY, { outcome, claim: new Date() }));
      return {
        row: sql`id = ${queued.id}::uuid`,
        // A node would send it.
        counts: async () =>
          (await db().select().from(schema.mails)).some((row) => {
            const contents = row.state === 'pending' ? openContents(testKeys, row, new Date()) : null;
            return contents?.to === to;
          }),
        ends: {
          sent: () => report('succeeded'),
          dropped: () => report('refused'),
          'its end-user was erased': () => run(sql`delete from mails where id = ${queued.id}`),
        },
      };
    },
  },
  grants: {
    table: schema.grants,
    machine: 'grant',
    names: [],
    begin: async () => {
      const [id, userId, clientId] = [randomUUID(), await newUser(), await newClient()];
      await run(sql`insert into grants (id, client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources,
          policy, code_hash, code_challenge, redirect_uri, code_ends_at, state, created_at)
        values (${id}, ${clientId}, ${userId}, 0, 0, 0, '{read}', '{r}', 'default', ${randomBytes(32)}, 'c', 'https://c',
          now() + interval '1 hour', 'active', now())`);
      const store = grantStore(db(), clock, testClients);
      return {
        row: sql`id = ${id}::uuid`,
        counts: async () => {
          const { grant } = await store.load({ clientId, grantId: id });
          return grant !== null && grantState(grant) === 'active';
        },
        ends: {
          revoked: () =>
            run(
              sql`update grants set state = 'revoked', revoked_at = now(), revoked_reason = 'revocation_requested' where id = ${id}`,
            ),
        },
      };
    },
  },
};

const EXTERNAL = {
  kind: 'delegated',
  purpose: 'signIn',
  provider: 'delegated',
  browserHash: randomBytes(32),
  interactionId: null,
  interactionEndsAt: null,
  sealedInteraction: null,
  sealedSecrets: null,
  userId: null,
  requested: NO_PARAMETERS,
  lifetimeSeconds: 600,
} as const;

/** Tables whose rows give no authority, or none that could come back. */
const EXCUSED: Readonly<Record<string, string>> = {
  configured_secrets:
    'sealed for a version that only rises, in a row that stays (test/unit/review/database-holds.test.ts)',
  statistics: 'counts of the ledger, which no decision reads',
  statistics_progress: 'the place up to which the ledger was counted, which no decision reads',
  last_sign_ins: 'a fact for administrators, which no decision reads',
  webhook_attempts: 'the history of a delivery, which no decision reads',
  server: 'one row, whose epoch only rises (test/unit/review/database-holds.test.ts)',
  interactions:
    'an approval needs the session of the end-user in its browser, and the redirect URI among those of the client',
  client_registrations: 'gives no authority without its client, which has a MAC (docs/decisions/0121)',
  client_documents: 'gives no authority: its client has it, with a MAC (docs/decisions/0120)',
  pushed_requests:
    'gives no authority: its answer needs an interaction, and the id of that makes one grant (docs/decisions/0108)',
  transitions: 'append-only; the server decides nothing from it',
  ledger_seals: 'signed, and append-only',
  ledger_retention: 'the role of a server only reads it',
  ended_rows: 'the role of a server only reads it',
  denied_access_tokens: 'a row takes authority away; forgetting one is in SECURITY.md',
  used_jtis: 'a row takes authority away; forgetting one is in SECURITY.md',
  spent_challenges: 'a row takes authority away; forgetting one is in SECURITY.md',
  sign_in_failures: 'a row slows guessing down; forgetting one is in SECURITY.md',
  idempotency_keys: 'a secret is derived from it under the root secret; a repetition is in SECURITY.md',
  console_sessions: 'holds a sealed access token, which ends with its grant',
  client_logos: 'decides nothing',
  root_secrets: 'holds ids, and keys that are sealed under the root secret',
  nodes: 'decides nothing',
  webhook_receivers: 'a place in the ledger; the address is in webhooks.yaml',
  webhook_deliveries: 'gives no authority here; telling receivers again is in SECURITY.md',
};

type Image = Readonly<Record<string, unknown>>;

const imageOf = async (table: string, row: SQL): Promise<Image> => {
  const [found] = await run<{ image: string }>(
    sql`select row_to_json(t)::text as image from ${sql.identifier(table)} t where ${row}`,
  );
  return found ? JSON.parse(found.image) : {};
};

const columnsOf = (table: PgTable): readonly string[] =>
  Object.values(getTableColumns(table)).flatMap(({ name, generated }) => (generated === undefined ? [name] : []));

const listOf = (columns: readonly string[]): SQL =>
  sql.join(
    columns.map((column) => sql.identifier(column)),
    sql`, `,
  );

type Attempt = {
  readonly how: 'update' | 'deleteAndInsert' | 'insert' | 'upsert' | 'intoAnother';
  /** Of the image; the others as they are. */
  readonly columns: readonly string[];
  /** Under another name. */
  readonly renamed: boolean;
  /** Added to the version of its MAC. */
  readonly versions: number;
};

const attempts = (columns: readonly string[]): fc.Arbitrary<Attempt> =>
  fc.record({
    how: fc.constantFrom('update', 'deleteAndInsert', 'insert', 'upsert', 'intoAnother'),
    columns: fc.oneof(fc.constant(columns), fc.subarray([...columns], { minLength: 1 })),
    renamed: fc.boolean(),
    versions: fc.integer({ min: 0, max: 2 }),
  });

type Rows = { readonly image: Image; readonly ended: Image; readonly other: Image };
type Where = { readonly walk: Walk; readonly subject: Subject; readonly other: Subject };

async function tryIt({ how, columns, renamed, versions }: Attempt, rows: Rows, { walk, subject, other }: Where) {
  const table = sql.identifier(getTableConfig(walk.table).name);
  const all = columnsOf(walk.table);
  const image = {
    ...rows.image,
    ...('mac_version' in rows.image && { mac_version: Number(rows.image['mac_version']) + versions }),
    ...(renamed && Object.fromEntries(walk.names.map((name) => [name, randomUUID()]))),
  };
  const picked = Object.fromEntries(columns.map((column) => [column, image[column as keyof typeof image]]));
  const recordOf = (row: Image) => sql`json_populate_record(null::${table}, ${JSON.stringify(row)}::json)`;
  const into = (row: Image) => sql`insert into ${table} (${listOf(all)}) select ${listOf(all)} from ${recordOf(row)}`;
  const update = (where: SQL) =>
    sql`update ${table} set (${listOf(columns)}) = (select ${listOf(columns)} from ${recordOf(image)}) where ${where}`;
  const whole = { ...rows.image, ...rows.ended, ...picked };
  const key = walk.table === schema.consents ? ['user_id', 'client_id', 'resources'] : [all[0] as string];
  const statements: Readonly<Record<Attempt['how'], readonly SQL[]>> = {
    update: [update(subject.row)],
    deleteAndInsert: [sql`delete from ${table} where ${subject.row}`, into(whole)],
    insert: [into(whole)],
    upsert: [
      sql`${into(whole)} on conflict (${listOf(key)}) do update set (${listOf(columns)}) = row(${sql.join(
        columns.map((column) => sql`excluded.${sql.identifier(column)}`),
        sql`, `,
      )})`,
    ],
    intoAnother: [
      sql`delete from ${table} where ${subject.row}`,
      update(other.row),
      sql`delete from ${table} where ${other.row}`,
      into({ ...rows.other, ...picked }),
    ],
  };
  // Each by itself: one that is refused does not undo the others.
  for (const statement of statements[how])
    await db()
      .execute(statement)
      .catch(() => {});
}

/** As it was when it had ended, with the rights of the owner. */
const putBack = ({ ended, other }: Rows, { table, stays }: Walk) =>
  unheld(asOwner(), async (own) => {
    const name = sql.identifier(getTableConfig(table).name);
    const all = listOf(columnsOf(table));
    if (!stays) await own.execute(sql`delete from ${name}`);
    await own.execute(sql`delete from ended_rows`);
    for (const row of [ended, other]) {
      if (Object.keys(row).length === 0) continue;
      const record = sql`json_populate_record(null::${name}, ${JSON.stringify(row)}::json)`;
      const [key = ''] = columnsOf(table);
      await own.execute(
        stays
          ? sql`update ${name} set (${all}) = (select ${all} from ${record}) where ${sql.identifier(key)}::text = ${String(row[key])}`
          : sql`insert into ${name} (${all}) select ${all} from ${record}`,
      );
    }
  });

it('covers or exempts each table, and each final state of a machine', async () => {
  const tables = Object.values(schema).flatMap((table) => (is(table, PgTable) ? [getTableConfig(table).name] : []));
  expect(tables.filter((name) => !(name in WALKS) && !(name in EXCUSED))).toEqual([]);
  expect(Object.keys(EXCUSED).filter((name) => name in WALKS || !tables.includes(name))).toEqual([]);
  for (const { machine, begin } of Object.values(WALKS)) {
    const { ends } = await begin();
    const states = machine === undefined ? [] : endedStatesOf(heldMachines[machine]);
    expect(states.filter((state) => !(state in ends))).toEqual([]);
  }
});

describe.each(Object.entries(WALKS))('a row of %s', (name, walk) => {
  it("is accepted until it has ended, and never again, whatever the server's role writes", async () => {
    expect(await (await walk.begin()).counts()).toBe(true);
    for (const [end, _] of Object.entries((await walk.begin()).ends)) {
      const [subject, other] = [await walk.begin(), await walk.begin()];
      const image = await imageOf(name, subject.row);
      await subject.ends[end]?.();
      const rows = { image, ended: await imageOf(name, subject.row), other: await imageOf(name, other.row) };
      // A deletion leaves the name behind, and that is part of the end.
      const isDeleted = Object.keys(rows.ended).length === 0;
      expect(await subject.counts(), end).toBe(false);
      await fc.assert(
        fc.asyncProperty(attempts(columnsOf(walk.table)), async (attempt) => {
          await tryIt(attempt, rows, { walk, subject, other });
          expect(await subject.counts(), `${name}, ${end}`).toBe(false);
          if (!isDeleted) await putBack(rows, walk);
        }),
        { numRuns: 60, examples: everyWhole(columnsOf(walk.table)) },
      );
    }
  });
});

/** The whole image, by each kind of statement, and by UPDATE all but one column of it, whatever chance brings. */
const everyWhole = (columns: readonly string[]): [Attempt][] => [
  ...columns.map((left): [Attempt] => [
    { how: 'update', columns: columns.filter((column) => column !== left), renamed: false, versions: 0 },
  ]),
  ...(['update', 'deleteAndInsert', 'insert', 'upsert', 'intoAnother'] as const).flatMap((how) =>
    [0, 1].flatMap((versions) => [false, true].map((renamed): [Attempt] => [{ how, columns, renamed, versions }])),
  ),
];
