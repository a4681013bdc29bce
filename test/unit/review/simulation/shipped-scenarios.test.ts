/** The shipped scenarios, and more, hold on both drivers; and operators would read the same of each chain. */
import { desc, gte, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mermaidOf } from '../../../../src/review/simulation/diagram.ts';
import { pageOf, shippedScenarios } from '../../../../src/review/simulation/pages.ts';
import { holds, type Performance, play } from '../../../../src/review/simulation/play.ts';
import { failuresOf } from '../../../../src/review/simulation/report.ts';
import { openStages, type Stages } from '../../../../src/review/simulation/server/stages.ts';
import type { Chain } from '../../../../src/review/simulation/stage.ts';
import { grants } from '../../../../src/storage/schema.ts';
import { databaseKinds, openTestDatabase } from '../../../support/database.ts';
import { MORE_SCENARIOS } from './more-scenarios.ts';

const shipped = shippedScenarios();
const named = [...shipped, ...MORE_SCENARIOS].map((scenario) => [scenario.title, scenario] as const);

describe.each(databaseKinds)('on %s', (kind) => {
  const performances = new Map<string, Performance>();
  let stages: Stages;
  beforeAll(async () => {
    stages = await openStages({ database: async () => (await openTestDatabase(kind)).database });
  });
  afterAll(() => stages.close());

  /** As the views describe it (drizzle/), which are independent of the engine. */
  async function chainInViews(began: Date): Promise<Chain | null> {
    const { clock, administration } = stages.server;
    const [view] = await administration.db
      .select({
        alive: sql<boolean>`gs.state = 'active' and coalesce(gs.chain_ends_at, gs.code_ends_at) > ${clock.now().toISOString()}::timestamptz`,
        reason: sql<string | null>`gs.reason`,
      })
      .from(grants)
      .innerJoin(sql`grant_states gs`, sql`gs.grant_id = ${grants.id}`)
      .where(gte(grants.createdAt, began))
      .orderBy(desc(grants.createdAt));
    return view ? { alive: view.alive, reason: view.alive ? null : (view.reason ?? 'expired') } : null;
  }

  it.each(named)('%s', async (title, scenario) => {
    const stage = await stages.stageFor(scenario);
    const began = stages.server.clock.now();
    const chain = async () => {
      const seen = await stage.chain();
      expect(await chainInViews(began)).toEqual(seen);
      return seen;
    };
    const performance = await play(scenario, { ...stage, chain });
    performances.set(title, performance);
    expect(failuresOf(performance)).toEqual([]);
    expect(holds(performance)).toBe(true);
  });

  it('every shipped one has an expectation for every request, and for a chain or a session', () => {
    for (const { title } of shipped) {
      const { played } = performances.get(title) as Performance;
      const silent = played.filter(
        ({ heard, verdicts }) => heard !== null && heard.kind !== 'done' && verdicts.length === 0,
      );
      expect(silent.map(({ beat }) => `${title}: ${beat.number}`)).toEqual([]);
      const isAboutState = ({ chain, session }: (typeof played)[number]['beat']['expected']) => chain ?? session;
      expect(played.some(({ beat }) => isAboutState(beat.expected) !== null)).toBe(true);
    }
  });

  it('the page contains every one of them', () => {
    const page = pageOf(shipped.flatMap(({ title }) => performances.get(title) ?? []));
    for (const { title } of shipped) expect(page).toContain(`\n## ${title}\n`);
    expect(page).not.toContain('NOT as expected');
  });

  it('the picture is Mermaid: every lane is declared, and no text ends it', () => {
    for (const performance of performances.values()) {
      const [head, ...lines] = mermaidOf(performance).split('\n');
      expect(head).toBe('sequenceDiagram');
      const lanes = new Set(
        lines.flatMap((line) => /^ {2}(?:actor|participant) (\w+) as [\w (),-]+$/.exec(line)?.[1] ?? []),
      );
      for (const line of lines.slice(lanes.size)) {
        const [, from = '', to, text = ''] =
          /^ {2}(?:Note over )?(\w+)(?:(?:->>|-->>|--x|-x|,)(\w+))?: ([^;#\n]+)$/.exec(line) ?? [];
        expect({ line, from: lanes.has(from), to: to === undefined || lanes.has(to) }).toEqual({
          line,
          from: true,
          to: true,
        });
        expect(text).not.toBe('');
      }
    }
  });
});
