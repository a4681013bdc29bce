/**
 * The effect of sign-ins on the token endpoint: so many rotations a second, at an even pace, alone, beside sign-ins and beside wrong
 * passwords. Passwords are hashed as in production; each sign-in comes from an address of its own, so that no throttle holds it.
 */
import { hashPassword } from '../../src/crypto/password.ts';
import { rawSecret } from '../../src/crypto/secret-types.ts';
import { BESIDE_SIGN_INS_AT_MOST, BESIDE_WRONG_PASSWORDS_AT_MOST } from './aims.ts';
import { Browser } from './browser.ts';
import type { Send } from './http.ts';
import { paced } from './paced.ts';
import { pacedRotations } from './paced-rotations.ts';
import { authorizeUrl, expected } from './requests.ts';
import { PASSWORD } from './setting.ts';
import { median } from './statistics.ts';
import type { Target } from './targets/target.ts';

/** p99 of a rotation in milliseconds, counted from when it was due: medians of the rounds. */
export type BesideSignIns = {
  readonly alone: number;
  /** `hashed`: the share whose password was checked; the others were turned away, since too many waited. */
  readonly others: readonly {
    readonly beside: string;
    readonly p99: number;
    readonly hashed: number;
    /** The aim for the p99, divided by that of rotations alone. */
    readonly atMost: number;
  }[];
};

type Others = {
  readonly name: string;
  readonly perSecond: number;
  readonly password: string;
  /** Once the password is checked. */
  readonly status: number;
  readonly atMost: number;
};

const OTHERS: readonly Others[] = [
  { name: '20 sign-ins a second', perSecond: 20, password: PASSWORD, status: 303, atMost: BESIDE_SIGN_INS_AT_MOST },
  {
    name: '40 wrong passwords a second',
    perSecond: 40,
    password: `not ${PASSWORD}`,
    status: 400,
    atMost: BESIDE_WRONG_PASSWORDS_AT_MOST,
  },
];
const TURNED_AWAY = 503;

export async function besideSignIns(
  target: Target,
  { pacedRounds, pacedSeconds: seconds }: { readonly pacedRounds: number; readonly pacedSeconds: number },
): Promise<BesideSignIns> {
  const passwordHash = await hashPassword(rawSecret(PASSWORD));
  const { send, p99: rotate, close } = await pacedRotations(target, seconds);

  const rotateBeside = async (others: Others) => {
    const usernames = (await target.seedNewUsers?.(others.perSecond * seconds, passwordHash)) ?? [];
    const signingIn = paced(others.perSecond, seconds, (index) => signIn(target, send, usernames[index] ?? '', others));
    const [p99, hashed] = await Promise.all([rotate(), signingIn]);
    return { p99, hashed: hashed.filter(Boolean).length / hashed.length };
  };

  try {
    const alone: number[] = [];
    const beside = OTHERS.map((): Awaited<ReturnType<typeof rotateBeside>>[] => []);
    for (let round = 0; round < pacedRounds; round++) {
      alone.push(await rotate());
      for (const [index, others] of OTHERS.entries()) beside[index]?.push(await rotateBeside(others));
    }
    return {
      alone: median(alone),
      others: OTHERS.map(({ name, atMost }, index) => {
        const rounds = beside[index] ?? [];
        const of = (figure: 'p99' | 'hashed') => median(rounds.map((round) => round[figure]));
        return { beside: name, p99: of('p99'), hashed: of('hashed'), atMost };
      }),
    };
  } finally {
    close();
  }
}

/** From the authorization request to the form. @returns false: it was turned away. */
async function signIn(
  { authorizeUrl: endpoint = '' }: Target,
  send: Send,
  username: string,
  { password, status }: Others,
): Promise<boolean> {
  const from = newAddress();
  const browser = new Browser((sent) => send({ ...sent, from }), endpoint);
  const page = expected(await browser.follow(expected(await browser.get(authorizeUrl(endpoint)), 303)), 200);
  const reply = await browser.submit(page, { username, password });
  return reply.status !== TURNED_AWAY && expected(reply, status) === reply;
}

let addresses = 0;
/** On Linux all of 127.0.0.0/8 is this machine. */
function newAddress(): string {
  addresses++;
  return `127.1.${(addresses >> 8) & 255}.${addresses & 255}`;
}
