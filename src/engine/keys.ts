/**
 * The signing keys: load → decide → commit. Time passes for each of them; operators ask for a rotation or a revocation. What
 * stops a signer starts its successor in the same statement, with the lines of the ledger, so that one signs at any time.
 */
import { signingKeyMachine } from '../../machines/signing-key.machine.ts';
import type { SigningKeyEvent } from '../../machines/vocabulary.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import type { NewSigningKey, SigningAlgorithm, SigningKeyRow } from '../model/signing-key.ts';
import { type KeyLifetimes, keyTimes, signerAmong, signingKeyState, waitingKey } from '../model/signing-key.ts';
import { type Decision, decideSigningKey, type Effect, effectOf } from './decide.ts';
import { InvariantViolation, Unavailable } from './errors.ts';
import type { SigningKeyCommit, SigningKeyStore } from './ports.ts';

export type KeyDeps = {
  readonly store: SigningKeyStore;
  readonly makeKey: (alg: SigningAlgorithm) => Promise<NewSigningKey>;
  /** Of today. */
  readonly policy: () => { readonly algorithms: readonly SigningAlgorithm[]; readonly lifetimes: KeyLifetimes };
};

/** What was committed about a key, for log and command line: a line of the ledger. */
export type KeyChange = LedgerEntry & { readonly kid: string; readonly alg: SigningAlgorithm };

/** A key's birth in the ledger: no machine was in a state before. */
const UNBORN = 'none';

/**
 * A tick: makes the first key of each algorithm, and whatever else is due.
 * @throws Unavailable when the keys do not settle, StoreUnavailable; the next tick finds out what became of it.
 */
export async function passTime(deps: KeyDeps): Promise<readonly KeyChange[]> {
  const all: KeyChange[] = [];
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const changes = await once(() => nextStep(deps));
    if (changes.length === 0) return all;
    all.push(...changes);
  }
  throw new Unavailable('too_many_conflicts');
}

/** Far more than there ever is to do at once. */
const MAX_STEPS = 100;

async function nextStep(deps: KeyDeps): Promise<readonly KeyChange[] | null> {
  const loaded = await load(deps);
  const { keys } = loaded;
  const first = deps.policy().algorithms.find((alg) => !signerAmong(keys, alg) && !waitingKey(keys, alg));
  if (first !== undefined) return commit(deps, loaded, await planFirst(deps, loaded, first));
  for (const key of keys) {
    const plan = await planOf(deps, loaded, key, { type: 'timePassed', atOnce: false });
    if (plan) return commit(deps, loaded, plan);
  }
  return [];
}

/** @param atOnce the successor signs now, whatever caches hold. @returns what it changed; nothing when a successor waits already. */
export async function requestRotation(
  deps: KeyDeps,
  alg: SigningAlgorithm,
  atOnce: boolean,
): Promise<readonly KeyChange[]> {
  return once(async () => {
    const loaded = await load(deps);
    const signer = signerAmong(loaded.keys, alg);
    // Nothing signs yet, so there is nothing to hand over: a first key it is.
    if (!signer) return commit(deps, loaded, await planFirst(deps, loaded, alg));
    const plan = await planOf(deps, loaded, signer, { type: 'rotationRequested', atOnce });
    return plan ? commit(deps, loaded, plan) : [];
  });
}

/** @returns what it changed; nothing when the key had retired before. Null: no such key. */
export async function requestRevocation(deps: KeyDeps, kid: string): Promise<readonly KeyChange[] | null> {
  let known = true;
  const changes = await once(async () => {
    const loaded = await load(deps);
    const key = loaded.keys.find((one) => one.kid === kid);
    known = key !== undefined;
    const plan = key && (await planOf(deps, loaded, key, { type: 'revocationRequested', atOnce: true }));
    return plan ? commit(deps, loaded, plan) : [];
  });
  return known ? changes : null;
}

// Load.
type Loaded = { readonly now: Date; readonly keys: readonly SigningKeyRow[] };

async function load({ store }: KeyDeps): Promise<Loaded> {
  const loaded = await store.loadSigningKeys();
  for (const key of loaded.keys) {
    if (key.state !== signingKeyState(key)) throw new InvariantViolation(`signing key ${key.kid} is not ${key.state}`);
  }
  return loaded;
}

// Decide.
type Request = Pick<SigningKeyEvent, 'type' | 'atOnce'>;
type Step = { readonly before: SigningKeyRow; readonly after: SigningKeyRow; readonly decision: Decision };
type Plan = { readonly steps: readonly Step[]; readonly born: Born | null };
type Born = { readonly key: NewSigningKey; readonly row: SigningKeyRow; readonly event: string };

/** @returns null when there is nothing to do. */
async function planOf(deps: KeyDeps, loaded: Loaded, key: SigningKeyRow, request: Request): Promise<Plan | null> {
  const step = stepOf(deps, loaded, key, request);
  if (step.decision.effects.length === 0) return null;
  const born = effectOf(step.decision, 'publishSuccessor') ? await bear(deps, loaded, key.alg, request.type) : null;
  if (!effectOf(step.decision, 'startSuccessor')) return { steps: [step], born };
  const successor = born?.row ?? waitingKey(loaded.keys, key.alg);
  if (!successor) throw new InvariantViolation(`signing key ${key.kid} has no successor to start`);
  return { steps: [step, stepOf(deps, loaded, successor, { type: 'signerStopped', atOnce: request.atOnce })], born };
}

/** Nothing signs with this algorithm: what begins as `published` is asked at once whether it may sign. */
async function planFirst(deps: KeyDeps, loaded: Loaded, alg: SigningAlgorithm): Promise<Plan> {
  const waiting = waitingKey(loaded.keys, alg);
  const born = waiting ? null : await bear(deps, loaded, alg, 'timePassed');
  const key = waiting ?? born?.row;
  if (!key) throw new InvariantViolation(`no key of ${alg} to begin with`);
  return { steps: [stepOf(deps, loaded, key, { type: 'timePassed', atOnce: false })], born };
}

function stepOf(deps: KeyDeps, { now, keys }: Loaded, before: SigningKeyRow, request: Request): Step {
  const { algorithms, lifetimes } = deps.policy();
  const waiting = waitingKey(keys, before.alg);
  const decision = decideSigningKey(signingKeyMachine, before.state, keyTimes(before, lifetimes), {
    ...request,
    now: now.getTime(),
    anotherSigns: keys.some((one) => one.alg === before.alg && one.state === 'signing' && one.kid !== before.kid),
    successor: waiting === undefined ? 'none' : now >= waiting.maySignAt ? 'ready' : 'published',
    algorithmIsWanted: algorithms.includes(before.alg),
  });
  const after = applyToKey(before, decision.effects, now);
  if (after.state !== decision.to) {
    throw new InvariantViolation(`signingKey: the machine says ${decision.to}, its effects make ${after.state}`);
  }
  return { before, after, decision };
}

async function bear(deps: KeyDeps, { now }: Loaded, alg: SigningAlgorithm, event: string): Promise<Born> {
  const key = await deps.makeKey(alg);
  const waitsSeconds = deps.policy().lifetimes.publishedBeforeSigningSeconds;
  const row: SigningKeyRow = {
    kid: key.kid,
    alg,
    state: 'published',
    createdAt: now,
    maySignAt: new Date(now.getTime() + waitsSeconds * 1000),
    beganSigningAt: null,
    rotationAskedAt: null,
    stoppedSigningAt: null,
    retiredAt: null,
    retiredReason: null,
  };
  return { key, row, event };
}

/** What the effects make of the row: pure, so that it can be checked before it is committed. */
function applyToKey(key: SigningKeyRow, effects: readonly Effect[], now: Date): SigningKeyRow {
  const applied = effects.reduce((row, effect) => Object.assign(row, changeOf(effect, row, now)), { ...key });
  return { ...applied, state: signingKeyState(applied) };
}

function changeOf(effect: Effect, key: SigningKeyRow, now: Date): Partial<SigningKeyRow> {
  switch (effect.type) {
    case 'beginSigning':
      return { beganSigningAt: now };
    case 'hastenHandover':
      return { rotationAskedAt: key.rotationAskedAt ?? now };
    case 'stopSigning':
      return { stoppedSigningAt: now };
    case 'retire':
      return { retiredAt: now, retiredReason: effect.params.reason };
    default:
      return {};
  }
}

// Commit.
/** @returns what was changed; null when a loaded fact no longer held, and nothing was. */
async function commit(deps: KeyDeps, { now, keys }: Loaded, plan: Plan): Promise<readonly KeyChange[] | null> {
  requireSigners(deps, keys, plan);
  const changes = changesOf(plan);
  const afterOf = (row: SigningKeyRow) => plan.steps.find((one) => one.before.kid === row.kid)?.after ?? row;
  const done: SigningKeyCommit = {
    now,
    moves: plan.steps
      .filter(({ before }) => before.kid !== plan.born?.row.kid)
      .map(({ before, after }) => ({ from: before.state, after })),
    added: plan.born && { key: plan.born.key, after: afterOf(plan.born.row) },
    entries: changes,
  };
  return (await deps.store.commitSigningKeys(done)) ? changes : null;
}

/** Never none, whatever the machine says: only an algorithm that is not wanted any more may be left without a signer. */
function requireSigners(deps: KeyDeps, keys: readonly SigningKeyRow[], { steps, born }: Plan): void {
  const rows = new Map([...keys, ...(born ? [born.row] : [])].map((one) => [one.kid, one]));
  for (const { after } of steps) rows.set(after.kid, after);
  for (const { before } of steps) {
    const signers = [...rows.values()].filter((one) => one.alg === before.alg && one.state === 'signing').length;
    const mayBeNone =
      before.state !== 'signing' ? !signerAmong(keys, before.alg) : !deps.policy().algorithms.includes(before.alg);
    if (signers > 1 || (signers === 0 && !mayBeNone)) {
      throw new InvariantViolation(`signingKey: ${signers} keys would sign with ${before.alg}`);
    }
  }
}

/** A key that is born, then each key that changes its state. A signer that only makes way later stays what it is. */
function changesOf({ steps, born }: Plan): readonly KeyChange[] {
  const birth = born && {
    kid: born.row.kid,
    alg: born.row.alg,
    machine: signingKeyMachine.id,
    event: born.event,
    from: UNBORN,
    to: born.row.state,
    reason: null,
    generation: null,
  };
  const moved = steps
    .filter(({ decision }) => decision.from !== decision.to || effectOf(decision, 'hastenHandover'))
    .map(({ before: { kid, alg }, decision }) => {
      const { machine, event, from, to } = decision;
      const reason = effectOf(decision, 'retire')?.params.reason ?? null;
      return { kid, alg, machine, event, from, to, reason, generation: null };
    });
  return birth ? [birth, ...moved] : moved;
}

// Again.
const MAX_ATTEMPTS = 8;

/** Null: something else happened first, so load and decide again. */
async function once(work: () => Promise<readonly KeyChange[] | null>): Promise<readonly KeyChange[]> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const changes = await work();
    if (changes !== null) return changes;
  }
  throw new Unavailable('too_many_conflicts');
}
