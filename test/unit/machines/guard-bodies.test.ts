/** The law about the bodies of guards; the table shows them to reviewers (guard-bodies.md). */
import { describe, expect, test } from 'vitest';
import * as client from '../../../machines/client/guards.ts';
import * as externalSignIn from '../../../machines/external-sign-in/guards.ts';
import * as interaction from '../../../machines/interaction/guards.ts';
import * as passkey from '../../../machines/passkey/guards.ts';
import * as endUser from '../../../machines/shared/end-user.ts';
import * as within from '../../../machines/shared/within.ts';
import { machineSources, readPredicates } from './guard-bodies.ts';

const sources = machineSources();
const { predicates, violations } = readPredicates(sources);

test('guards compare facts with facts, and name no value of their own', () => {
  expect(violations).toEqual([]);
});

test('a predicate that several guards share is among those that reviews show beside them', () => {
  const shared = predicates.filter(({ isShared }) => isShared).map(({ name }) => name);
  expect(shared).toEqual(
    [externalSignIn, interaction, endUser, within].flatMap((file) => Object.keys(file.sharedPredicates)),
  );
});

test('the bounds that guards name are these', () => {
  expect({ ...client.BOUNDS, ...interaction.BOUNDS, ...passkey.BOUNDS }).toEqual({
    liveSecrets: 2,
    millisecondsPerSecond: 1000,
    offlineAccess: 'offline_access',
    activePasskeys: 20,
  });
});

test('the table shows the body of every guard', async () => {
  const rows = predicates.map(
    ({ file, name, body }) => `| ${file.slice('machines/'.length)} | ${name} | \`${body.replaceAll('|', '\\|')}\` |`,
  );
  await expect(`${HEADER}\n${rows.join('\n')}\n`).toMatchFileSnapshot('guard-bodies.md');
});

const HEADER = `# What the guards ask

Every predicate of \`machines/\`, from its source. A guard compares facts of the context with facts of the event; a test refuses every other
expression (guard-bodies.test.ts).

To accept a change: \`npx vitest run test/unit/machines --update\`, then read the difference.

| file | guard | asks |
| --- | --- | --- |`;

/** A change that a colleague could plant in \`byAnotherClient\` of the refresh token. */
const BACK_DOORS: readonly string[] = [
  "event.clientId !== context.clientId && event.clientId !== 'a-client'",
  "event.clientId !== context.clientId && !event.clientId.startsWith('a-')",
  'event.clientId !== context.clientId && !/^a-/.test(event.clientId)',
  'event.clientId !== context.clientId && event.clientId.length !== 17',
  'event.clientId.toLowerCase() !== context.clientId.toLowerCase()',
  'event.clientId !== context.clientId && event.now !== 1999999999999',
  'event.clientId !== context.clientId && event.now % 7 !== 0',
  "event.clientId !== context.clientId && !['a-client'].includes(event.clientId)",
  'event.clientId !== context.clientId && event.clientId !== A_CLIENT',
  'event.clientId !== context.clientId && event.clientId !== `a-client`',
  "event.clientId !== context.clientId && event['clientId'] !== context['clientId']",
  'event.clientId !== context.clientId && Date.now() > event.now',
  'event.clientId !== context.clientId && Math.random() < 1',
  'event.clientId != context.clientId',
  "(event.clientId === 'a-client' ? context.clientId : event.clientId) !== context.clientId",
  "context.scope.includes('a-scope') ? false : event.clientId !== context.clientId",
  "event.clientId !== context.clientId && !context.scope.includes('a-scope')",
  "event.clientId !== context.clientId && context.endedBy !== ('user' as string)",
];

describe('a back door in a guard is rejected', () => {
  const RIGHT = 'byAnotherClient: ({ context, event }: Refresh) => event.clientId !== context.clientId';
  const { 'machines/refresh-token/guards.ts': guards = '' } = sources;

  test.each(BACK_DOORS)('%s', (planted) => {
    expect(guards.split(RIGHT)).toHaveLength(2);
    const changed = guards
      .replace(RIGHT, () => `byAnotherClient: ({ context, event }: Refresh) => ${planted}`)
      .replace('type Refresh', "const A_CLIENT = 'a-client';\ntype Refresh");
    expect(
      readPredicates({ ...sources, 'machines/refresh-token/guards.ts': changed }).violations.length,
    ).toBeGreaterThan(0);
  });

  test('a guard with statements', () => {
    const changed = guards.replace(
      RIGHT,
      () => `byAnotherClient: ({ context, event }: Refresh) => { return event.clientId !== context.clientId; }`,
    );
    expect(readPredicates({ ...sources, 'machines/refresh-token/guards.ts': changed }).violations).toHaveLength(1);
  });

  test('a guard that is written into a machine', () => {
    const { 'machines/refresh-token/machine.ts': machine = '' } = sources;
    const changed = machine.replace(
      "guard: 'byAnotherClient'",
      "guard: ({ event }: { event: RefreshTokenEvent }) => event.clientId === 'a-client'",
    );
    expect(changed).not.toBe(machine);
    expect(
      readPredicates({ ...sources, 'machines/refresh-token/machine.ts': changed }).violations.length,
    ).toBeGreaterThan(0);
  });
});
