/**
 * The effect of sign-ins on the token endpoint: so many rotations a second, at an even pace, alone, beside sign-ins and beside wrong
 * passwords. Passwords are hashed as in production; each sign-in comes from an address of its own, so that no throttle holds it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { hashPassword } from '../../src/crypto/password.ts';
import { rawSecret } from '../../src/crypto/secret-types.ts';
import { Browser } from './browser.ts';
import { openConnections, type Send } from './http.ts';
import { load } from './load.ts';
import { authorizeUrl, expected } from './requests.ts';
import { holdNothing } from './scenarios/scenario.ts';
import { codeExchange, rotation } from './scenarios/token-requests.ts';
import { PASSWORD } from './setting.ts';
import { median, quantile } from './statistics.ts';
import type { Target } from './targets/target.ts';

/** p99 of a rotation in milliseconds, counted from when it was due: medians of the rounds. */
export type BesideSignIns = {
  readonly alone: number;
  /** `hashed`: the share whose password was checked; the others were turned away, since too many waited. */
  readonly others: readonly { readonly beside: string; readonly p99: number; readonly hashed: number }[];
};

export const ROTATIONS_PER_SECOND = 200;

type Others = {
  readonly name: string;
  readonly perSecond: number;
  readonly password: string;
  /** Once the password is checked. */
  readonly status: number;
};

const OTHERS: readonly Others[] = [
  { name: '20 sign-ins a second', perSecond: 20, password: PASSWORD, status: 303 },
  { name: '40 wrong passwords a second', perSecond: 40, password: `not ${PASSWORD}`, status: 400 },
];
const TURNED_AWAY = 503;

export async function besideSignIns(
  target: Target,
  { pacedRounds, pacedSeconds: seconds }: { readonly pacedRounds: number; readonly pacedSeconds: number },
): Promise<BesideSignIns> {
  const passwordHash = await hashPassword(rawSecret(PASSWORD));
  const held = holdNothing();
  const chains = ROTATIONS_PER_SECOND * seconds;
  await codeExchange.prepare(target, held, chains);
  await load(chains, 8, (send, index) => codeExchange.operate({ target, held, send, index }));
  const { send, close } = openConnections(Number.POSITIVE_INFINITY);

  const rotate = async () => {
    const milliseconds = await paced(ROTATIONS_PER_SECOND, seconds, async (index, due) => {
      await rotation.operate({ target, held, send, index });
      return performance.now() - due;
    });
    return quantile(milliseconds, 0.99);
  };
  const rotateBeside = async (others: Others) => {
    const usernames = (await target.seedNewUsers?.(others.perSecond * seconds, passwordHash)) ?? [];
    const signingIn = paced(others.perSecond, seconds, (index) => signIn(target, send, usernames[index] ?? '', others));
    const [p99, hashed] = await Promise.all([rotate(), signingIn]);
    return { p99, hashed: hashed.filter(Boolean).length / hashed.length };
  };

  try {
    // The first turn warms up.
    await rotate();
    const alone: number[] = [];
    const beside = OTHERS.map((): Awaited<ReturnType<typeof rotateBeside>>[] => []);
    for (let round = 0; round < pacedRounds; round++) {
      alone.push(await rotate());
      for (const [index, others] of OTHERS.entries()) beside[index]?.push(await rotateBeside(others));
    }
    return {
      alone: median(alone),
      others: OTHERS.map(({ name }, index) => {
        const rounds = beside[index] ?? [];
        const of = (figure: 'p99' | 'hashed') => median(rounds.map((round) => round[figure]));
        return { beside: name, p99: of('p99'), hashed: of('hashed') };
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

/** Each begins when it is due, whatever the state of those before. @param operate receives the time when it was due. */
async function paced<T>(perSecond: number, seconds: number, operate: (index: number, due: number) => Promise<T>) {
  const began = performance.now();
  const all: Promise<T>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = began + (index * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    const one = operate(index, due);
    // A failure is met at the end.
    one.catch(() => {});
    all.push(one);
  }
  return Promise.all(all);
}

let addresses = 0;
/** On Linux all of 127.0.0.0/8 is this machine. */
function newAddress(): string {
  addresses++;
  return `127.1.${(addresses >> 8) & 255}.${addresses & 255}`;
}
