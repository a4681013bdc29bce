/** Approvals without a page that arrive together share a statement. Every rule for one approval has to hold for each of them. */
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Approval } from '../../../src/lifecycles/interaction/lifecycle.ts';
import { interactionStore } from '../../../src/storage/interaction-store.ts';
import { clients, consents, grants, sessions, users } from '../../../src/storage/schema.ts';
import { deleteClient, disableUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testClients, testMacs } from '../../support/macs.ts';
import { unheld } from '../../support/unheld.ts';
import {
  approvalOf,
  approve,
  givenClient,
  givenRequest,
  givenSession,
  givenUser,
  ledgerOf,
  moveInteraction,
  openPorts,
  type Person,
  type Ports,
} from './ports.ts';

type Asking = { readonly person: Person; readonly clientId: string; readonly approval: Approval };

/** Values that a list of Postgres quotes. */
const HOSTILE = String.raw`{a,"b"} \ 'c' NULL`;

describe.each(databaseKinds)('approvals that arrive together on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  /** An end-user who allowed the client before. */
  async function givenAsking(reliesOn: 'consent' | 'registration'): Promise<Asking> {
    const [clientId, person] = [await givenClient(ports), await givenUser(ports)];
    const session = await givenSession(ports, person);
    const asked = { scope: ['read', 'a,"b"'], resources: [HOSTILE], codeChallenge: HOSTILE, redirectUri: HOSTILE };
    const request = () => givenRequest(ports, clientId, asked, person.id);
    const earlier = await approvalOf(ports, await request(), session, { remembers: true });
    if (!(await approve(ports, earlier))) throw new Error('not approved');
    if (reliesOn === 'registration')
      await unheld(ports.db, (own) =>
        own.update(clients).set({ consent: 'skip' }).where(eq(clients.clientId, clientId)),
      );
    const identity = { nonce: HOSTILE, authTime: 1_700_000_000, sid: session.sid, amr: session.amr };
    const change = { grantAlone: true, reliesOn, identity, policy: HOSTILE };
    return { clientId, person, approval: await approvalOf(ports, await request(), session, change) };
  }

  const someAsking = async (count: number, reliesOn: 'consent' | 'registration' = 'consent'): Promise<Asking[]> => {
    const some: Asking[] = [];
    for (let n = 0; n < count; n++) some.push(await givenAsking(reliesOn));
    return some;
  };
  const approveAll = (some: readonly Asking[]) => Promise.all(some.map(({ approval }) => approve(ports, approval)));
  const grantOf = async ({ approval }: Asking) =>
    (await ports.db.select().from(grants).where(eq(grants.id, approval.loaded.id)))[0];
  /** Without what differs between two of them. */
  const stored = async (asking: Asking) => {
    const { id, clientId, userId, codeHash, identity, ...grant } = (await grantOf(asking)) ?? {};
    const [entry] = await ledgerOf(ports, asking.approval.loaded.id);
    const { shardKey, grantId, interactionId, clientId: of, ...line } = entry ?? {};
    const { sid, ...facts } = identity ?? {};
    expect({ id, clientId, userId, codeHash, sid, shardKey, grantId, interactionId, of }).toEqual({
      ...{ id: asking.approval.loaded.id, clientId: asking.clientId, userId: asking.person.id },
      ...{ codeHash: asking.approval.codeHash, sid: asking.approval.session.sid },
      ...{ shardKey: id, grantId: id, interactionId: id, of: asking.clientId },
    });
    return { grant, facts, line };
  };

  test.each(['consent', 'registration'] as const)(
    'each makes its own grant and entry, as if it were alone, in one statement (%s)',
    async (reliesOn) => {
      const [first, ...others] = await someAsking(4, reliesOn);
      if (!first) throw new Error('none');
      expect(await approveAll([first])).toEqual([true]);
      const { session } = ports.db as unknown as { session: { prepareQuery: (...of: unknown[]) => unknown } };
      const prepared: string[] = [];
      const prepare = session.prepareQuery.bind(session);
      const spy = vi.spyOn(session, 'prepareQuery').mockImplementation((...of) => {
        const statement = prepare(...of) as { execute: (values: unknown) => unknown };
        const execute = statement.execute.bind(statement);
        return Object.assign(statement, {
          execute: (values: unknown) => {
            prepared.push(String(of[2]));
            return execute(values);
          },
        });
      });
      const store = interactionStore(ports.db, ports.clock, testMacs, testClients);
      const all = await Promise.all(others.map(({ approval }) => store.commit({ kind: 'approve', approval })));
      spy.mockRestore();
      expect(all).toEqual([true, true, true]);
      expect(prepared).toEqual([`approve_together_relying_on_${reliesOn}`]);
      const alone = await stored(first);
      for (const one of others) expect(await stored(one)).toEqual(alone);
    },
  );

  const sessionOf = ({ approval }: Asking) => eq(sessions.sid, approval.session.sid);
  const interferences: Readonly<Record<string, (asking: Asking, beside: Asking) => Promise<unknown>>> = {
    'its session has ended': (asking) =>
      ports.db.update(sessions).set({ state: 'ended', endedReason: 'signed_out' }).where(sessionOf(asking)),
    'its session is that of another end-user': async (asking) => {
      const { id: userId } = await givenUser(ports);
      Object.assign(asking, { approval: { ...asking.approval, session: { ...asking.approval.session, userId } } });
    },
    'its session is that of the end-user beside it': async (asking, beside) => {
      const { idHash } = beside.approval.session;
      Object.assign(asking, { approval: { ...asking.approval, session: { ...asking.approval.session, idHash } } });
    },
    'its consent was forgotten': ({ person }) => ports.db.delete(consents).where(eq(consents.userId, person.id)),
    'its consent was narrowed': ({ person }) =>
      unheld(ports.db, (own) =>
        own
          .update(consents)
          .set({ scope: ['read'] })
          .where(eq(consents.userId, person.id)),
      ),
    'its consent is of another epoch': ({ person }) =>
      unheld(ports.db, (own) => own.update(consents).set({ userEpoch: 9n }).where(eq(consents.userId, person.id))),
    'its end-user was disabled': ({ person }) => disableUser(ports.db, person.username),
    'its end-user signed out everywhere': ({ person }) =>
      ports.db.update(users).set({ epoch: 9n }).where(eq(users.id, person.id)),
    'its end-user was marked as disabled': ({ person }) =>
      unheld(ports.db, (own) =>
        own.update(users).set({ disabledAt: ports.clock.now() }).where(eq(users.id, person.id)),
      ),
    'its client was marked as deleted': ({ clientId }) =>
      unheld(ports.db, (own) =>
        own.update(clients).set({ deletedAt: ports.clock.now() }).where(eq(clients.clientId, clientId)),
      ),
    'its client was deleted': ({ clientId }) => deleteClient(ports.db, clientId),
    'its client is of another epoch': ({ clientId }) =>
      ports.db.update(clients).set({ epoch: 9n }).where(eq(clients.clientId, clientId)),
    'its server is of another epoch': async (asking) => {
      const session = { ...asking.approval.session, serverEpoch: 9n };
      Object.assign(asking, { approval: { ...asking.approval, session } });
    },
    'its time is over': async (asking) => {
      Object.assign(asking, { approval: { ...asking.approval, endsAt: ports.clock.now() } });
    },
    'its interaction was stored': ({ approval: { loaded, now, entry }, person }) =>
      moveInteraction(ports, { loaded, isStored: false, now, to: 'denied', userId: person.id, entry }),
    'its grant was made': ({ approval }) => approve(ports, approval),
  };

  test.each(Object.entries(interferences))('%s: it fails, and the others do not', async (_, interfere) => {
    const some = await someAsking(3);
    const [first, second] = some;
    if (!first || !second) throw new Error('none');
    await interfere(second, first);
    const before = await grantOf(second);
    expect(await approveAll(some)).toEqual([true, false, true]);
    expect(await grantOf(second)).toEqual(before);
  });

  test('the registration asks for consent again: it fails, and the others do not', async () => {
    const some = await someAsking(3, 'registration');
    const clientId = some[1]?.clientId ?? '';
    await ports.db.update(clients).set({ consent: 'ask' }).where(eq(clients.clientId, clientId));
    expect(await approveAll(some)).toEqual([true, false, true]);
  });

  test('the same approval many times, beside others, makes one grant', async () => {
    const [one, ...others] = await someAsking(3);
    if (!one) throw new Error('none');
    const all = await approveAll([one, one, ...others, one]);
    expect(all.filter(Boolean)).toHaveLength(3);
    expect(await ledgerOf(ports, one.approval.loaded.id)).toHaveLength(1);
  });

  test('two of one session and consent are both made', async () => {
    const { approval, person, clientId } = await givenAsking('consent');
    const { scope, resources, codeChallenge, redirectUri } = approval.loaded;
    const again = await givenRequest(ports, clientId, { scope, resources, codeChallenge, redirectUri }, person.id);
    const other = await approvalOf(ports, again, approval.session, { grantAlone: true, reliesOn: 'consent' });
    expect(await Promise.all([approve(ports, approval), approve(ports, other)])).toEqual([true, true]);
    const made = await ports.db
      .select({ id: grants.id })
      .from(grants)
      .where(and(eq(grants.clientId, clientId), eq(grants.policy, 'default')));
    expect(made).toContainEqual({ id: other.loaded.id });
  });
});
