/** The shipped scenarios hold in memory, and the real server does the same: same answers, same chains, at the same times. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStage } from '../../../../src/review/simulation/memory-stage.ts';
import { scenarioPages, shippedScenarios } from '../../../../src/review/simulation/pages.ts';
import { holds, type Performance, play } from '../../../../src/review/simulation/play.ts';
import { failuresOf } from '../../../../src/review/simulation/report.ts';
import { databaseKinds } from '../../../support/database.ts';
import { MORE_SCENARIOS } from './more-scenarios.ts';
import { openServer, type Server } from './server-stage.ts';

const scenarios = [...shippedScenarios(), ...MORE_SCENARIOS];
const named = scenarios.map((scenario) => [scenario.title, scenario] as const);
const inMemory = (scenario: (typeof scenarios)[number]) => play(scenario, memoryStage(scenario));

/** All that whoever looks on from outside can tell. */
const seen = ({ played }: Performance) =>
  played.map(({ beat, at, heard, chain, session }) => ({
    step: beat.number,
    at,
    heard: heard && { ...heard, credential: null },
    chain,
    session,
  }));

describe('in memory', () => {
  it.each(named)('%s', async (_, scenario) => {
    const performance = await inMemory(scenario);
    expect(failuresOf(performance)).toEqual([]);
    expect(holds(performance)).toBe(true);
  });

  it('every shipped one expects something of every request, and of a chain or a session', async () => {
    for (const scenario of shippedScenarios()) {
      const { played } = await inMemory(scenario);
      const silent = played.filter(
        ({ heard, verdicts }) => heard !== null && heard.kind !== 'done' && verdicts.length === 0,
      );
      expect(silent.map(({ beat }) => `${scenario.title}: ${beat.number}`)).toEqual([]);
      const isAboutState = ({ chain, session }: (typeof played)[number]['beat']['expected']) => chain ?? session;
      expect(played.some(({ beat }) => isAboutState(beat.expected) !== null)).toBe(true);
    }
  });

  it('the page has every one of them', async () => {
    const [page] = await scenarioPages();
    for (const { title } of shippedScenarios()) expect(page?.text).toContain(`\n## ${title}\n`);
    expect(page?.text).not.toContain('NOT as expected');
  });
});

describe.each(databaseKinds)('on the real server, %s', (kind) => {
  let server: Server;
  beforeAll(async () => {
    server = await openServer(kind);
  });
  afterAll(() => server.close());

  it.each(named)('%s', async (_, scenario) => {
    const performance = await play(scenario, await server.stageFor(scenario));
    expect(failuresOf(performance)).toEqual([]);
    expect(seen(performance)).toEqual(seen(await inMemory(scenario)));
  });
});
