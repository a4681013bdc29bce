/**
 * What is presented wrongly, at every moment. A wrong presentation decides on what it loaded and commits nothing, so in which
 * order its steps fall cannot matter: it is enough to ask it once wherever the world can be.
 */
import type { Present } from '../../engine/present.ts';
import { CLIENT, OTHER_CLIENT, REDIRECT_URI, RESOURCES, SCOPE } from './beginning.ts';
import { nonceBytes, placeOf, RIGHT_CODE, RIGHT_TOKEN, WAYS } from './rightly.ts';
import type { EnginePresentation, Minted, System } from './system.ts';
import type { Credential, World } from './world.ts';

type Wrong = {
  readonly what: string;
  readonly presentation: (system: System, token: TokenPlace | null) => EnginePresentation<Minted>;
  readonly by?: typeof CLIENT;
};
type TokenPlace = { readonly generation: bigint; readonly nonce: Uint8Array };

const code = (change: Partial<typeof RIGHT_CODE> | { resources: readonly string[] }) => (system: System) =>
  system.codePresentation({ ...RIGHT_CODE, ...change }, WAYS, system.machines);
const token = (change: object) => (system: System, place: TokenPlace | null) => {
  if (!place) throw new Error('a token is presented');
  return system.tokenPresentation(place, { ...RIGHT_TOKEN, ...change }, WAYS, system.machines);
};

const WITH_CODE: readonly Wrong[] = [
  { what: 'with another verifier', presentation: code({ challengeOfVerifier: 'of another verifier' }) },
  { what: 'with what is no verifier', presentation: code({ challengeOfVerifier: null as never }) },
  { what: 'with another redirect URI', presentation: code({ redirectUri: `${REDIRECT_URI}/` }) },
  { what: 'by another client', presentation: code({ clientId: OTHER_CLIENT.clientId }), by: OTHER_CLIENT },
];
const WITH_TOKEN: readonly Wrong[] = [
  { what: 'by another client', presentation: token({ clientId: OTHER_CLIENT.clientId }), by: OTHER_CLIENT },
];

/** More than was granted: refused where it would else be exchanged. A used credential is a leak whatever is asked with it. */
const TOO_MUCH_WITH_CODE: readonly Wrong[] = [
  {
    what: 'for a resource that was not granted',
    presentation: code({ resources: [...RESOURCES, 'https://elsewhere.example'] }),
  },
];
const TOO_MUCH_WITH_TOKEN: readonly Wrong[] = [
  { what: 'for a scope that was not granted', presentation: token({ scope: [...SCOPE, 'admin'] }) },
  { what: 'for a resource that was not granted', presentation: token({ resources: ['https://elsewhere.example'] }) },
];

export type Probe = {
  readonly credential: Credential;
  readonly what: string;
  readonly of: 'wrong' | 'tooMuch';
  /** Tokens would have been issued. */
  readonly issues: boolean;
  /** Something would have been written. */
  readonly writes: boolean;
  readonly broken: string | null;
};

/** Every credential that is out, presented in every wrong way. */
export function probesAt(system: System, world: World): Probe[] {
  const places: readonly (readonly [Credential, TokenPlace | null])[] = [
    ['code', null],
    ...world.tokens.map((one, index) => [index, placeOf(one)] as const),
  ];
  return places.flatMap(([credential, place]) => {
    const [wrong, tooMuch] = place ? [WITH_TOKEN, TOO_MUCH_WITH_TOKEN] : [WITH_CODE, TOO_MUCH_WITH_CODE];
    return [
      ...wrong.map((one) => probe(system, world, credential, place, one, 'wrong')),
      ...tooMuch.map((one) => probe(system, world, credential, place, one, 'tooMuch')),
    ];
  });
}

function probe(
  system: System,
  world: World,
  credential: Credential,
  place: TokenPlace | null,
  { what, presentation, by = CLIENT }: Wrong,
  of: Probe['of'],
): Probe {
  const said = { credential, what, of };
  try {
    const loaded: Present = system.loadPresentation(world.stored, by, new Date(world.now));
    const steps = system.presenting(
      { lifetimesOf: () => system.lifetimes },
      loaded,
      presentation(system, place),
      nonceBytes(31),
    );
    const { done, value } = steps.next();
    if (done) return { ...said, issues: value.kind === 'issued', writes: false, broken: null };
    return { ...said, issues: value.kind === 'commit' && value.commit.kind === 'moveHead', writes: true, broken: null };
  } catch (error) {
    return { ...said, issues: false, writes: false, broken: error instanceof Error ? error.message : String(error) };
  }
}
