/** `check` runs the bounded model check on request, and not otherwise. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CommandLine, openCommandLine } from './command-line.ts';

const ran = vi.hoisted(() => ({ policies: [] as string[], forEveryPolicy: 0 }));
// The whole proof takes a minute; whether it is run is what counts here.
vi.mock('../../../src/review/proof/prove.ts', async (original) => {
  const real = await original<typeof import('../../../src/review/proof/prove.ts')>();
  return {
    ...real,
    prove: (...[lifetimes, bounds]: Parameters<typeof real.prove>) => {
      ran.policies.push(lifetimes.name);
      return real.prove(lifetimes, bounds ?? [{ requests: 1, inFlight: 1, faults: 0 }]);
    },
    proveForEveryPolicy: () => {
      ran.forEveryPolicy += 1;
      return [];
    },
  };
});

const POLICY = new URL('../../../policies/default.policy.yaml', import.meta.url).pathname;
const SHIPPED = ['browser-app', 'default', 'native-app', 'service'];

describe('check', () => {
  let line: CommandLine;
  beforeAll(async () => {
    line = await openCommandLine();
  });
  afterAll(() => line.close());
  beforeEach(() => {
    Object.assign(ran, { policies: [], forEveryPolicy: 0 });
  });

  it.each([
    [[], [], 0],
    // As older CI jobs say it, from the time when the model check was the default.
    [['--no-proof'], [], 0],
    [['--proof'], SHIPPED, 1],
    [['--bounds', '1,1,0'], SHIPPED, 1],
    [['--policy', POLICY], ['default'], 0],
  ])('with %j checks %j', async (options, policies, forEveryPolicy) => {
    const { status, out } = await line.run(['check', ...options]);
    expect(status).toBe(0);
    expect(ran).toEqual({ policies, forEveryPolicy });
    expect(out.match(/^proof of policy [a-z-]+/gm) ?? []).toEqual(policies.map((name) => `proof of policy ${name}`));
    expect(out.includes('The machines were not proved: statehouse check --proof')).toBe(policies.length === 0);
  });

  it('reports in JSON whether it ran the model check', async () => {
    const document = async (...more: string[]) => JSON.parse((await line.run(['check', '--json', ...more])).out);
    expect(await document()).toMatchObject({ ok: true, proved: false, proofs: [], proofs_for_every_policy: [] });
    const proved = await document('--policy', POLICY);
    expect(proved).toMatchObject({ ok: true, proved: true, proofs: [{ policy: 'default', holds: true }] });
  });
});
