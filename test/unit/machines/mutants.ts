/** Every machine with one change: a possible slip of an author, or of a review. */

import type { Call } from '../../../src/catalogue/calls.ts';
import { type Arm, armsOf, readMachine } from '../../../src/catalogue/read.ts';
import type { effects } from '../../support/effects.ts';
import { statesOf } from './answers.ts';
import { type Config, copyOf, type Subject, type WrittenArm } from './catalogue.ts';

export type Mutant = { readonly kind: string; readonly what: string; readonly config: Config };

export const mutantsOf = (subject: Subject): readonly Mutant[] =>
  armPlaces(subject).flatMap((place) =>
    Object.entries(CHANGES_OF_ARMS).flatMap(([kind, change]) =>
      change(subject, place).map((one) => ({ ...one, kind })),
    ),
  );

/** Where an arm stands, in a fresh copy of the configuration each time that `inCopy` is called. */
type Place = { readonly at: string; readonly state: string; readonly event: string; readonly index: number };
type Changed = Omit<Mutant, 'kind'>;

const armPlaces = ({ machine, events }: Subject): readonly Place[] =>
  statesOf(machine).flatMap((state) =>
    events.flatMap((event) =>
      armsOf(machine, state, event).map((_, index) => ({ at: `${state}.${event}[${index + 1}]`, state, event, index })),
    ),
  );

type Edit = (arms: WrittenArm[], arm: WrittenArm) => void;

function changed({ config }: Subject, place: Place, what: string, change: Edit): Changed {
  const copy = copyOf(config);
  const arms = armsOf(readMachine(copy), place.state, place.event).map(({ written }) => written as WrittenArm);
  const state = copy.states[place.state];
  const arm = arms[place.index];
  if (!state || !arm) throw new Error(`no arm at ${place.at}`);
  change(arms, arm);
  state.on[place.event] = arms;
  return { what: `${place.at}: ${what}`, config: copy };
}

function armAt({ machine }: Subject, { at, state, event, index }: Place): Arm {
  const arm = armsOf(machine, state, event)[index];
  if (!arm) throw new Error(`no arm at ${at}`);
  return arm;
}

type Change = (subject: Subject, place: Place) => readonly Changed[];

/** Another word of the same list, so that a parameter can be changed. */
const OTHERS: Readonly<Record<string, readonly [key: string, value: string, instead: string]>> = {
  reject: ['reason', 'grant_revoked', 'client_mismatch'],
  revokeGrant: ['event', 'revocationRequested', 'refreshTokenReused'],
  writeRevoked: ['reason', 'revocation_requested', 'refresh_token_reused'],
  retire: ['reason', 'revocation_requested', 'tokens_expired'],
  raiseEpoch: ['of', 'server', 'user'],
  endSession: ['reason', 'signed_out', 'session_idle'],
  refuseAuthorization: ['error', 'access_denied', 'login_required'],
  refuseSilently: ['error', 'consent_required', 'login_required'],
};

function withOtherParameter({ name, params }: Call): Call {
  const [key, value, instead] = OTHERS[name] ?? ['', '', ''];
  return { name, params: { [key]: params[key] === value ? instead : value } };
}

const writtenOf = (effects: readonly Call[]) =>
  effects.map(({ name, params }) => ({ type: name, ...(Object.keys(params).length > 0 && { params }) }));

/** Without parameters, and worth something to a thief. */
const WORTH_HAVING: readonly (keyof typeof effects)[] = [
  'issueTokens',
  'rotate',
  'beginChain',
  'issueCode',
  'repeatAnswer',
  'rememberConsent',
  'beginSigning',
  'publish',
  'admit',
  'recordUse',
];

const CHANGES_OF_ARMS: Readonly<Record<string, Change>> = {
  'arm deleted': (subject, place) => [
    changed(subject, place, 'deleted', (arms) => {
      arms.splice(place.index, 1);
    }),
  ],
  'guard dropped': (subject, place) =>
    armAt(subject, place).guard === null
      ? []
      : [
          changed(subject, place, 'without its guard', (_, arm) => {
            delete arm.guard;
          }),
        ],
  'guard replaced': (subject, place) =>
    Object.keys(subject.guards)
      .filter((guard) => armAt(subject, place).guard !== null && guard !== armAt(subject, place).guard)
      .map((guard) =>
        changed(subject, place, `guarded by ${guard}`, (_, arm) => {
          arm.guard = guard;
        }),
      ),
  'target redirected': (subject, place) =>
    [undefined, ...statesOf(subject.machine)]
      // Without a target the state stays, so a target that is the state itself is no change.
      .filter((target) => (target ?? place.state) !== armAt(subject, place).to)
      .map((target) =>
        changed(subject, place, `leads to ${target ?? 'nowhere'}`, (_, arm) => {
          if (target === undefined) delete arm.target;
          else arm.target = target;
        }),
      ),
  'action dropped': (subject, place) => {
    const { effects } = armAt(subject, place);
    return effects.map(({ name }, dropped) =>
      changed(subject, place, `without ${name}`, (_, arm) => {
        arm.actions = writtenOf(effects.toSpliced(dropped, 1));
      }),
    );
  },
  'action replaced': (subject, place) => {
    const { effects } = armAt(subject, place);
    return effects.flatMap((effect, replaced) =>
      WORTH_HAVING.filter((name) => name !== effect.name).map((name) =>
        changed(subject, place, `${name} instead of ${effect.name}`, (_, arm) => {
          arm.actions = writtenOf(effects.with(replaced, { name, params: {} }));
        }),
      ),
    );
  },
  'action added': (subject, place) =>
    WORTH_HAVING.map((name) =>
      changed(subject, place, `and ${name}`, (_, arm) => {
        arm.actions = writtenOf([...armAt(subject, place).effects, { name, params: {} }]);
      }),
    ),
  'parameter changed': (subject, place) => {
    const { effects } = armAt(subject, place);
    return effects.flatMap((effect, index) =>
      Object.keys(effect.params).length === 0
        ? []
        : [
            changed(subject, place, `${effect.name} with another parameter`, (_, arm) => {
              arm.actions = writtenOf(effects.with(index, withOtherParameter(effect)));
            }),
          ],
    );
  },
  'arms swapped': (subject, place) =>
    place.index === 0
      ? []
      : [
          changed(subject, place, 'asked before its neighbour', (arms, arm) => {
            arms.splice(place.index, 1);
            arms.splice(place.index - 1, 0, arm);
          }),
        ],
  'description or reference dropped': (subject, place) => [
    changed(subject, place, 'without its description', (_, arm) => {
      delete arm.description;
    }),
    ...(armAt(subject, place).spec === ''
      ? []
      : [
          changed(subject, place, 'without its reference', (_, arm) => {
            delete arm.meta;
          }),
          changed(subject, place, 'with an empty reference', (_, arm) => {
            arm.meta = { spec: '' };
          }),
        ]),
  ],
  'made to happen by itself': (subject, place) => {
    const beside = (what: string, extra: object) =>
      changed(subject, place, what, (_, arm) => {
        Object.assign(arm, extra);
      });
    const inState = (what: string, extra: object): Changed => {
      const one = changed(subject, place, what, () => {});
      Object.assign(one.config.states[place.state] ?? {}, extra);
      return one;
    };
    return [
      beside('may re-enter', { reenter: true }),
      ...(place.index > 0
        ? []
        : [
            inState('the state is final', { type: 'final' }),
            inState('the state ends after a while', { after: { 1000: { target: place.state } } }),
            inState('the state begins with an effect', { entry: { type: 'issueTokens' } }),
            inState('the state ends with an effect', { exit: { type: 'issueTokens' } }),
          ]),
    ];
  },
  'written as code': (subject, place) => [
    changed(subject, place, 'an inline guard', (_, arm) => {
      arm.guard = () => true;
    }),
    changed(subject, place, 'an inline action', (_, arm) => {
      arm.actions = [() => {}];
    }),
    changed(subject, place, 'a guard that the machine does not have', (_, arm) => {
      arm.guard = 'looksFine';
    }),
  ],
};
