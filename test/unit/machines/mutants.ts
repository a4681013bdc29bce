/** Every machine with one thing changed: what a slip of the hand, or of a review, could do to it. */
import type { effects } from '../../../machines/vocabulary.ts';
import { type Action, type Arm, actionsOf, armsOf, type Config, copyOf, type Subject } from './catalogue.ts';

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

const armPlaces = ({ config, events }: Subject): readonly Place[] =>
  Object.keys(config.states).flatMap((state) =>
    events.flatMap((event) =>
      armsOf(config, state, event).map((_, index) => ({ at: `${state}.${event}[${index + 1}]`, state, event, index })),
    ),
  );

function changed({ config }: Subject, place: Place, what: string, change: (arms: Arm[], arm: Arm) => void): Changed {
  const copy = copyOf(config);
  const arms = [...armsOf(copy, place.state, place.event)];
  const state = copy.states[place.state];
  const arm = arms[place.index];
  if (!state || !arm) throw new Error(`no arm at ${place.at}`);
  change(arms, arm);
  state.on[place.event] = arms;
  return { what: `${place.at}: ${what}`, config: copy };
}

const armAt = ({ config }: Subject, { state, event, index }: Place): Arm => armsOf(config, state, event)[index] ?? {};

type Change = (subject: Subject, place: Place) => readonly Changed[];

/** Another word of the same list, so that a parameter can be changed. */
const OTHERS: Readonly<Record<string, readonly [key: string, value: string, instead: string]>> = {
  reject: ['reason', 'grant_revoked', 'client_mismatch'],
  revokeGrant: ['event', 'revocationRequested', 'refreshTokenReused'],
  writeRevoked: ['reason', 'revocation_requested', 'refresh_token_reused'],
  retire: ['reason', 'revocation_requested', 'tokens_expired'],
};

function withOtherParameter(action: Action): Action {
  const [key, value, instead] = OTHERS[action.type] ?? ['', '', ''];
  return { ...action, params: { [key]: action.params?.[key] === value ? instead : value } };
}

/** Without parameters, and worth something to whoever should not get it. */
const WORTH_HAVING: readonly (keyof typeof effects)[] = [
  'issueTokens',
  'rotate',
  'beginChain',
  'issueCode',
  'repeatAnswer',
  'rememberConsent',
  'beginSigning',
];

const CHANGES_OF_ARMS: Readonly<Record<string, Change>> = {
  'arm deleted': (subject, place) => [
    changed(subject, place, 'deleted', (arms) => {
      arms.splice(place.index, 1);
    }),
  ],
  'guard dropped': (subject, place) =>
    armAt(subject, place).guard === undefined
      ? []
      : [
          changed(subject, place, 'without its guard', (_, arm) => {
            delete arm.guard;
          }),
        ],
  'guard replaced': (subject, place) =>
    Object.keys(subject.guards)
      .filter((guard) => armAt(subject, place).guard !== undefined && guard !== armAt(subject, place).guard)
      .map((guard) =>
        changed(subject, place, `guarded by ${guard}`, (_, arm) => {
          arm.guard = guard;
        }),
      ),
  'target redirected': (subject, place) =>
    [undefined, ...Object.keys(subject.config.states)]
      // Without a target the state stays, so a target that is the state itself is no change.
      .filter((target) => (target ?? place.state) !== (armAt(subject, place).target ?? place.state))
      .map((target) =>
        changed(subject, place, `leads to ${target ?? 'nowhere'}`, (_, arm) => {
          if (target === undefined) delete arm.target;
          else arm.target = target;
        }),
      ),
  'action dropped': (subject, place) =>
    actionsOf(armAt(subject, place)).map((action, dropped) =>
      changed(subject, place, `without ${action.type}`, (_, arm) => {
        arm.actions = actionsOf(arm).filter((_action, index) => index !== dropped);
      }),
    ),
  'action replaced': (subject, place) =>
    actionsOf(armAt(subject, place)).flatMap((action, replaced) =>
      WORTH_HAVING.filter((type) => type !== action.type).map((type) =>
        changed(subject, place, `${type} instead of ${action.type}`, (_, arm) => {
          arm.actions = actionsOf(arm).map((one, index) => (index === replaced ? { type } : one));
        }),
      ),
    ),
  'action added': (subject, place) =>
    WORTH_HAVING.map((type) =>
      changed(subject, place, `and ${type}`, (_, arm) => {
        arm.actions = [...actionsOf(arm), { type }];
      }),
    ),
  'parameter changed': (subject, place) =>
    actionsOf(armAt(subject, place)).flatMap((action, index) =>
      action.params === undefined
        ? []
        : [
            changed(subject, place, `${action.type} with another parameter`, (_, arm) => {
              arm.actions = actionsOf(arm).map((one, at) => (at === index ? withOtherParameter(one) : one));
            }),
          ],
    ),
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
    changed(subject, place, 'without its reference', (_, arm) => {
      delete arm.meta;
    }),
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
      (arm as { guard: unknown }).guard = () => true;
    }),
    changed(subject, place, 'an inline action', (_, arm) => {
      (arm as { actions: unknown }).actions = [() => {}];
    }),
    changed(subject, place, 'a guard that is not in guards.ts', (_, arm) => {
      arm.guard = 'looksFine';
    }),
  ],
};
