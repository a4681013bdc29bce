/** The machines that run: their definitions, their pictures, and how many rows are in each state. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { MACHINES } from '../../catalogue/running.ts';
import { armsTakenWithin } from '../../storage/arm-counts.ts';
import { countStates } from '../../storage/state-counts.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { keptFor } from '../kept.ts';
import { link, pageBody, pageOf } from '../page.ts';
import { notFound } from '../problem.ts';
import { document, found, resource } from '../resource.ts';

const params = { name: z.enum([...MACHINES.keys()]) };

const shape = z
  .object({
    name: z.string(),
    states: z.array(z.object({ name: z.string(), rows: z.int() })),
    exact: z.boolean().describe('False: the numbers are about the newest 100,000 rows.'),
    arms: z
      .array(
        z.object({
          event: z.string(),
          from: z.string(),
          to: z.string(),
          reason: z.string().nullable(),
          last_5_minutes: z.int(),
        }),
      )
      .describe('The transitions of the last five minutes with an entry in the ledger.'),
    _links: z.object({ self: link, picture: link }),
  })
  .meta({ id: 'Machine' });

/** Counting reads whole tables, so all requests within this time get the same numbers. */
const COUNTED_EVERY_MILLISECONDS = 5000;
const RECENT_SECONDS = 300;
const counts = keptFor(COUNTED_EVERY_MILLISECONDS, async ({ db, clock }: ManagementDeps) => {
  const [states, { arms }] = await Promise.all([countStates(db), armsTakenWithin(db, clock, RECENT_SECONDS)]);
  return { states, arms };
});
type Counted = Awaited<ReturnType<typeof counts>>;

export function machineDocument(issuer: string, name: string, { states: counted, arms }: Counted) {
  const machine = MACHINES.get(name);
  const { states = {}, exact = true } = counted.find((of) => of.machine === name) ?? {};
  const self = addressOf(issuer, 'machines', name);
  return {
    name,
    states: (machine?.states ?? []).map((state) => ({ name: state.name, rows: states[state.name] ?? 0 })),
    exact,
    arms: arms
      .filter((arm) => arm.machine === name)
      .map(({ event, from, to, reason, times }) => ({ event, from, to, reason, last_5_minutes: times })),
    ...links({ self, picture: `${self}/picture` }),
  };
}

export const machines = resource('/machines', 'the machines', {}, (method) => ({
  GET: method({
    summary: 'The machines that decide, with the number of rows in each state.',
    answer: pageOf(shape),
    run: async (deps, { href }) => {
      const counted = await counts(deps);
      const items = [...MACHINES.keys()].map((name) => machineDocument(deps.issuer, name, counted));
      return found(pageBody({ items, next: null }, href));
    },
  }),
}));

export const machine = resource('/machines/{name}', 'a machine', params, (method) => ({
  GET: method({
    summary: 'One machine, with its definition as XState reads it.',
    answer: shape.extend({ definition: z.looseObject({}) }),
    run: async (deps, { params: { name } }) => {
      const running = MACHINES.get(name);
      if (!running) return notFound('machine');
      const definition = JSON.parse(JSON.stringify(running.written, named)) as object;
      return found({ ...machineDocument(deps.issuer, name, await counts(deps)), definition });
    },
  }),
}));

/** A composed guard is a function; JSON has none. */
const named = (_key: string, value: unknown): unknown => (typeof value === 'function' ? value.name : value);

export const machinePicture = resource('/machines/{name}/picture', 'the picture of a machine', params, (method) => ({
  GET: method({
    summary: 'The machine as a picture, drawn from its definition.',
    answer: z.string(),
    answerType: 'image/svg+xml',
    run: async (_deps, { params: { name } }) =>
      MACHINES.has(name) ? document('image/svg+xml', pictureOf(name)) : notFound('machine'),
  }),
}));

/** `npm run machines:build` draws them. */
const PICTURES = new URL('../../../machines/diagrams/', import.meta.url);
const pictureOf = (name: string): string =>
  readFileSync(new URL(`${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.svg`, PICTURES), 'utf8');
