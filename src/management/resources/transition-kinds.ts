/** The kinds of ledger entries, from the machines: the choices for the filters of the ledger. */
import { z } from 'zod';
import type { Machine } from '../../catalogue/read.ts';
import { MACHINES } from '../../catalogue/running.ts';
import type { SignInMethod } from '../../lifecycles/session/sign-in.ts';
import type { HeldTable } from '../../lifecycles/table.ts';
import { HELD_TABLES } from '../../lifecycles/tables.ts';
import { pageBody, pageOf } from '../page.ts';
import { found, resource } from '../resource.ts';

const shape = z
  .object({
    machine: z.string(),
    events: z.array(z.string()),
    states: z.array(z.string()),
    reasons: z.array(z.string()),
  })
  .meta({ id: 'TransitionKind' });
type Kind = z.infer<typeof shape>;

export const transitionKinds = resource('/transition-kinds', 'the kinds of ledger entries', {}, (method) => ({
  GET: method({
    summary: 'The kinds of ledger entries: the values of `machine`, `event`, `from_state`, `to_state` and `reason`.',
    answer: pageOf(shape),
    run: async (_deps, { href }) => found(pageBody({ items: KINDS, next: null }, href)),
  }),
}));

const unique = (names: readonly string[]): string[] => [...new Set(names)].toSorted();

function kindOf(name: string, { states }: Machine): Kind {
  const arms = states.flatMap((state) => state.arms);
  const reasons = arms.flatMap(({ effects }) => effects.map(({ params }) => params['reason']));
  return {
    machine: name,
    events: unique(arms.map(({ event }) => event)),
    states: states.map((state) => state.name),
    reasons: unique(reasons.filter((reason) => typeof reason === 'string')),
  };
}

const ofMachines = [...MACHINES].map(([name, machine]) => kindOf(name, machine));

const FACTORS = (HELD_TABLES as readonly HeldTable[]).flatMap(({ machine, provesSignInWhile }) =>
  provesSignInWhile === undefined ? [] : (machine ?? []),
);
const OTHER_METHODS = [
  'password',
  'upstream',
  'delegated',
  'link',
  'mailedCode',
] as const satisfies readonly SignInMethod[];

/** No machine: an attempt to sign in. Its reasons are those of the factors, and of the password. */
const SIGN_IN: Kind = {
  machine: 'signIn',
  events: unique([...FACTORS, ...OTHER_METHODS]),
  states: ['attempted', 'accepted', 'factorRequired', 'refused'],
  reasons: unique([
    'credentials_mismatch',
    ...['externalSignIn', 'signInCode', 'emailChallenge', ...FACTORS].flatMap(
      (machine) => ofMachines.find((kind) => kind.machine === machine)?.reasons ?? [],
    ),
  ]),
};

/** No machine: the consent that the server remembered, until its end-user ended the access of the client. */
const CONSENT: Kind = { machine: 'consent', events: ['withdrawn'], states: ['ended', 'remembered'], reasons: [] };

export const KINDS: readonly Kind[] = [SIGN_IN, CONSENT, ...ofMachines];
