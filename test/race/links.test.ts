/** Links in mails on two nodes at the same moment: one press wins, its use ends the others, and no two links change one account. */
import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emailChallenges, transitions, users } from '../../src/storage/schema.ts';
import { setAddressesIdentify } from '../../src/storage/sign-in-addresses.ts';
import { makeUser } from '../support/actors.ts';
import { type LinkPorts, type LinkPurpose, linkPorts } from '../support/links.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';

const ROUNDS = 15;
let scene: Nodes;
let here: LinkPorts;
let there: LinkPorts;
beforeAll(async () => {
  scene = await openNodes();
  // Links for new accounts go to the address of an end-user, too.
  await setAddressesIdentify(scene.database.drizzle, false);
  [here, there] = [linkPorts(scene.nodes[0]), linkPorts(scene.nodes[1])];
});
afterAll(() => scene.close());

const newUser = async () => {
  const address = `${randomUUID()}@example.com`;
  return { address, user: await makeUser(scene, randomUUID(), { email: address, email_verified: true }) };
};
const statesOf = async (person: string, purpose: LinkPurpose): Promise<readonly string[]> => {
  const rows = await scene.database.drizzle
    .select({ state: emailChallenges.state })
    .from(emailChallenges)
    .where(and(eq(emailChallenges.person, person), eq(emailChallenges.purpose, purpose)));
  return rows.map(({ state }) => state).toSorted();
};

it.each(['reset_password', 'verify_address', 'lost_factors', 'sign_up'] as const)(
  'one press of a %s link succeeds, and the others change nothing',
  async (purpose) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { user, address } = await newUser();
      const link = await here.ask(purpose, purpose === 'sign_up' ? null : user.id, address);
      const answers = await Promise.all([here, there, here, there].map((node) => node.press(link)));
      const reasons = answers.map((answer) => (answer.kind === 'used' ? 'used' : answer.reason));
      expect(reasons.toSorted()).toEqual(['link_used', 'link_used', 'link_used', 'used']);
      const [winner] = answers.filter((answer) => answer.kind === 'used');
      const [stored] = await scene.database.drizzle
        .select()
        .from(users)
        .where(eq(users.id, winner?.kind === 'used' ? winner.user.id : ''));
      expect(stored?.passwordHash).toBe(winner?.kind === 'used' ? winner.user.passwordHash : '');
      expect(stored?.epoch).toBe(purpose === 'reset_password' || purpose === 'lost_factors' ? 1n : 0n);
      const lines = await scene.database.drizzle
        .select()
        .from(transitions)
        .where(and(eq(transitions.userId, stored?.id ?? ''), eq(transitions.machine, 'user')));
      // makeUser has a line too.
      expect(lines.filter(({ event }) => event !== 'registrationRequested')).toHaveLength(
        purpose === 'sign_up' ? 0 : 1,
      );
    }
  },
);

const outcome = (answer: Awaited<ReturnType<LinkPorts['press']>>): string =>
  answer.kind === 'used' ? 'used' : answer.reason;

it.each(['reset_password', 'verify_address', 'lost_factors', 'sign_up'] as const)(
  'one of several %s links that are used together succeeds, and ends the others',
  async (purpose) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { user, address } = await newUser();
      const [userId, person] = purpose === 'sign_up' ? [null, `address ${address}`] : [user.id, user.id];
      const asked = [here, there, here].map((node) => node.ask(purpose, userId, address));
      const links = await Promise.all(asked);
      expect(await statesOf(person, purpose)).toEqual(['active', 'active', 'active']);
      const answers = await Promise.all(links.map((link, at) => (at % 2 === 0 ? here : there).press(link)));
      expect(answers.map(outcome).toSorted()).toEqual(['link_superseded', 'link_superseded', 'used']);
      expect(await statesOf(person, purpose)).toEqual(['superseded', 'superseded', 'used']);
    }
  },
);

it('a link that is sent during the use of another ends with it, or was sent afterwards', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { user, address } = await newUser();
    const older = await here.ask('verify_address', user.id, address);
    const [answer] = await Promise.all([here.press(older), there.ask('verify_address', user.id, address)]);
    expect(answer.kind).toBe('used');
    const rows = await scene.database.drizzle
      .select({ state: emailChallenges.state, newerLinks: emailChallenges.newerLinks })
      .from(emailChallenges)
      .where(eq(emailChallenges.person, user.id));
    const [used] = rows.filter(({ state }) => state === 'used');
    const [other] = rows.filter(({ state }) => state !== 'used');
    // The older link includes the newer one if it was sent before the use.
    expect(other?.state).toBe(used?.newerLinks === 1 ? 'superseded' : 'active');
  }
});

it('the newest ten links stay active, however more are requested', async () => {
  const { user, address } = await newUser();
  const links = [];
  for (let asked = 0; asked < 12; asked++)
    links.push(await (asked % 2 === 0 ? here : there).ask('reset_password', user.id, address));
  expect(await statesOf(user.id, 'reset_password')).toEqual([...Array(10).fill('active'), 'superseded', 'superseded']);
  const [first, second, third] = links;
  if (!first || !second || !third) throw new Error('twelve were asked for');
  expect(outcome(await here.press(first))).toBe('link_superseded');
  expect(outcome(await here.press(second))).toBe('link_superseded');
  expect(outcome(await here.press(third))).toBe('used');
});

it('one of a password reset and a reset of every factor succeeds, when both run concurrently', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { user, address } = await newUser();
    const password = await here.ask('reset_password', user.id, address);
    const lost = await here.ask('lost_factors', user.id, address);
    const answers = await Promise.all([here.press(password), there.press(lost)]);
    // Either raises the epoch, which the other was sent under.
    expect(answers.map((answer) => (answer.kind === 'used' ? 'used' : answer.reason)).toSorted()).toEqual([
      'password_changed',
      'used',
    ]);
  }
});
