/** The report of a scenario that deviates from its expectation; and that a wrong system is detected. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppDeps } from '../../../../src/boot/wiring.ts';
import { mermaidOf } from '../../../../src/review/simulation/diagram.ts';
import { shippedScenarios } from '../../../../src/review/simulation/pages.ts';
import { holds, play } from '../../../../src/review/simulation/play.ts';
import { failuresOf, performanceText, summary } from '../../../../src/review/simulation/report.ts';
import type { Scenario } from '../../../../src/review/simulation/scenario.ts';
import { openStages, type Stages } from '../../../../src/review/simulation/server/stages.ts';
import { anyDatabase, openTestDatabase } from '../../../support/database.ts';
import { readText, scenarioOf } from './more-scenarios.ts';

let stages: Stages;
/** The mistake of the app's store; null: none. */
let wrongly: ((store: AppDeps['store']) => AppDeps['store']['commit']) | null = null;
beforeAll(async () => {
  const breakable = ({ store, ...deps }: AppDeps): AppDeps => ({
    ...deps,
    store: { ...store, commit: (commit) => (wrongly?.(store) ?? store.commit)(commit) },
  });
  stages = await openStages({
    database: async () => (await openTestDatabase(anyDatabase)).database,
    change: breakable,
  });
});
afterAll(() => stages.close());

const run = async (scenario: Scenario) => play(scenario, await stages.stageFor(scenario));
const failures = async (steps: string) => failuresOf(await run(scenarioOf('a', steps)));
const shipped = (title: RegExp) => {
  const found = shippedScenarios().find((one) => title.test(one.title));
  if (!found) throw new Error(`no scenario ${title}`);
  return found;
};

describe('a run that deviates from its expectation reports', () => {
  it('the actual answer, and the steps that could not run after it', async () => {
    expect(
      await failures(`  - { who: thief, presents: code, with: { verifier: wrong }, gets: A }
  - { who: client, presents: code, refused: authorization_code_expired }
  - { who: client, presents: A }`),
    ).toEqual([
      'a.yaml:5: step 2: expected tokens A; found refused: code_verifier_mismatch',
      'a.yaml:6: step 3: expected refused: authorization_code_expired; found tokens',
      'a.yaml:7: step 4: expected something to present; found nothing to present: it never came',
    ]);
  });

  it('the actual reason, and whether the chain is active', async () => {
    expect(
      await failures(`  - { who: client, presents: code, gets: A, chain: dead }
  - { who: another client, presents: A, refused: grant_revoked }
  - { who: operator, does: recover, chain: alive }`),
    ).toEqual([
      'a.yaml:5: step 2: expected chain dead; found chain alive',
      'a.yaml:6: step 3: expected refused: grant_revoked; found refused: client_mismatch',
      'a.yaml:7: step 4: expected chain alive; found chain dead (server_epoch_raised)',
    ]);
  });

  it('that time cannot decrease, and that no chain exists yet', async () => {
    expect(
      await failures(`  - { until: the idle end }
  - { wait: 2d }
  - { until: the code ends, who: client, presents: code }`),
    ).toEqual([
      'a.yaml:5: step 2: expected time passes until then; found there is no chain yet, so it has no end',
      'a.yaml:7: step 4: expected time passes until then; found that instant has passed, and time does not go back',
    ]);
  });

  it('nothing, without an expectation', async () => {
    const performance = await run(scenarioOf('a', '  - { who: client, presents: code }'));
    expect(holds(performance)).toBe(true);
    expect(summary(performance)).toBe('Nothing was expected.');
    expect(performanceText(performance)).toContain('2. client presents the code: tokens\n');
  });
});

describe('a wrong system is detected:', () => {
  const failuresWith = async (system: typeof wrongly, title: RegExp) => {
    wrongly = system;
    try {
      return failuresOf(await run(shipped(title)));
    } finally {
      wrongly = null;
    }
  };

  it('a commit that ignores its guard', async () => {
    const blind: typeof wrongly = (store) => async (commit) => {
      await store.commit(commit);
      return true;
    };
    expect(await failuresWith(blind, /two tabs/i)).not.toEqual([]);
    expect(await failuresWith(blind, /revocation during a refresh/i)).not.toEqual([]);
    expect(await failuresWith(blind, /disables the resource owner/)).not.toEqual([]);
  });

  it('a revocation that is never executed', async () => {
    const forgetful: typeof wrongly = (store) => async (commit) => commit.kind === 'revoke' || store.commit(commit);
    await expect(failuresWith(forgetful, /thief uses the token first/)).resolves.not.toEqual([]);
  });
});

describe('the picture', () => {
  it('shows the actors, their messages, and the order in which the database sees them', async () => {
    expect(mermaidOf(await run(shipped(/two tabs/i)))).toMatchInlineSnapshot(`
      "sequenceDiagram
        actor P1 as resource owner
        participant P2 as client (tab 1)
        participant P3 as client (tab 2)
        participant S as Statehouse
        participant D as database
        P1->>S: approves (read write at api)
        S-->>P2: the code
        P2->>S: presents the code
        S-->>P2: tokens A
        Note over P1,D: 15 minutes later
        P2->>S: presents refresh token A
        S->>D: load for client (tab 1)
        P3->>S: presents refresh token A
        S->>D: load for client (tab 2)
        S->>D: commit for client (tab 1): the head moves
        D-->>S: done
        S-->>P2: tokens B
        S->>D: commit for client (tab 2): the head moves
        D-->>S: nothing changed, the row is another
        S->>D: load again for client (tab 2)
        S->>D: commit for client (tab 2): revoked
        D-->>S: done
        S-->>P3: invalid_grant (refresh_token_reused)
        Note over P1,D: the chain is dead: refresh_token_reused
        P2->>S: presents refresh token B
        S-->>P2: invalid_grant (grant_revoked)"
    `);
  });

  it('omits the database where its order does not matter', async () => {
    expect(mermaidOf(await run(shipped(/thief uses the token first/)))).toMatchInlineSnapshot(`
      "sequenceDiagram
        actor P1 as resource owner
        participant P2 as client
        actor P3 as thief
        participant S as Statehouse
        P1->>S: approves (read write at api)
        S-->>P2: the code
        P2->>S: presents the code
        S-->>P2: tokens A
        Note over P1,S: 5 minutes later
        P3->>S: presents refresh token A
        S-->>P3: tokens B
        Note over P1,S: 10 minutes later
        P2->>S: presents refresh token A
        S-->>P2: invalid_grant (refresh_token_reused)
        Note over P1,S: the chain is dead: refresh_token_reused
        P3->>S: presents refresh token B
        S-->>P3: invalid_grant (grant_revoked)"
    `);
  });
});

it("distinguishes the policy from a scenario's change of it", () => {
  const { lifetimes } = readText(
    'title: a\nsays: b\npolicy: { authorizationCodeLifetimeSeconds: 30 }\nsteps: [{ who: resource owner, does: approve }]',
  );
  expect(lifetimes).toMatchObject({ name: 'default, changed', authorizationCodeLifetimeSeconds: 30 });
  expect(lifetimes.refreshIdleLifetimeSeconds).toBe(2_592_000);
});
