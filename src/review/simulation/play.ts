/** Plays a scenario on a stage, step by step, and compares the outcome with the expectations. */
import { type Beat, type Expected, isRequest, type Round, type Scenario, type Wait } from './scenario.ts';
import type { Stage } from './server/server-stage.ts';
import type { Answer, Chain, Credential, SessionSeen, Statement, UnderWay } from './stage.ts';
import { CODE, type GivenKind, isCrash, isUnanswered, nounOf } from './vocabulary.ts';

/** The response as the presenter sees it; `unplayed`: the credential to present does not exist. */
export type Heard =
  | { readonly kind: 'gives'; readonly what: GivenKind }
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string }
  | { readonly kind: 'done' | 'unanswered' | 'unplayed' };

export type Happened =
  | { readonly kind: 'timePassed'; readonly beat: Beat; readonly milliseconds: number }
  | { readonly kind: 'asked' | 'operated' | 'approved' | 'crashed'; readonly beat: Beat }
  | { readonly kind: 'statement'; readonly beat: Beat; readonly statement: Statement }
  /** `awaitsFactor`: the browser has a cookie now, and is not signed in. */
  | { readonly kind: 'heard'; readonly beat: Beat; readonly heard: Heard; readonly awaitsFactor: boolean }
  | { readonly kind: 'chainEnded'; readonly reason: string | null };

export type Verdict = { readonly expected: string; readonly found: string; readonly holds: boolean };
export type Played = {
  readonly beat: Beat;
  /** Milliseconds since the first step. */
  readonly at: number;
  /** Null: nothing was asked. */
  readonly heard: Heard | null;
  /** Null: there is none yet. */
  readonly chain: Chain | null;
  /** Of the browser in which a person acted; null: of none. */
  readonly session: SessionSeen | null;
  readonly verdicts: readonly Verdict[];
};

export type Performance = {
  readonly scenario: Scenario;
  readonly happened: readonly Happened[];
  readonly played: readonly Played[];
};

export const holds = ({ played }: Performance): boolean =>
  played.every(({ verdicts }) => verdicts.every((verdict) => verdict.holds));

export async function play(scenario: Scenario, stage: Stage): Promise<Performance> {
  const happened: Happened[] = [];
  const played: Played[] = [];
  const received = new Map<string, Credential>();
  let before: Chain | null = null;
  for (const round of scenario.rounds) {
    const heard = await playRound(round, stage, received, happened);
    const chain = await stage.chain();
    if (before?.alive !== false && chain?.alive === false) happened.push({ kind: 'chainEnded', reason: chain.reason });
    before = chain;
    for (const [index, beat] of round.beats.entries()) {
      const { answer = null, at = stage.now(), late = null } = heard.get(index) ?? {};
      const { act, expected } = beat;
      const session = act?.action.kind === 'act' ? await stage.session(act.actor) : null;
      const verdicts = verdictsOf(expected, { heard: answer, chain, session, late });
      played.push({ beat, at, heard: answer, chain, session, verdicts });
    }
  }
  return { scenario, happened, played };
}

type HeardAt = { readonly answer: Heard | null; readonly at: number; readonly late: string | null };

async function playRound(
  { beats, order }: Round,
  stage: Stage,
  received: Map<string, Credential>,
  happened: Happened[],
): Promise<ReadonlyMap<number, HeardAt>> {
  const underWay = new Map<number, UnderWay | null>();
  const heard = new Map<number, HeardAt>();
  for (const { beat: index, does } of order) {
    const beat = beats[index];
    if (!beat) continue;
    const hear = (answer: Heard | null, late: string | null = null, awaitsFactor = false) => {
      heard.set(index, { answer, at: stage.now(), late });
      if (answer) happened.push({ kind: 'heard', beat, heard: answer, awaitsFactor });
    };
    const show = (statements: readonly Statement[]) =>
      happened.push(...statements.map((statement) => ({ kind: 'statement', beat, statement }) as const));

    if (does !== 'commits' && beat.wait) {
      const late = await passTime(beat, beat.wait, stage, happened);
      if (late !== null || !beat.act) {
        if (isRequest(beat)) underWay.set(index, null);
        hear(beat.act ? { kind: 'unplayed' } : null, late);
        continue;
      }
    }
    if (does === 'happens') {
      const said = await happen(beat, stage, received, happened);
      const session = beat.act?.action.kind === 'act' ? await stage.session(beat.act.actor) : null;
      hear(said, null, session?.state === 'awaitingSecondFactor');
      continue;
    }
    if (does === 'loads') {
      const sent = await send(beat, stage, received);
      underWay.set(index, sent);
      if (sent === null) {
        hear({ kind: 'unplayed' });
        continue;
      }
      happened.push({ kind: 'asked', beat });
      show(sent.statements);
      continue;
    }
    const sent = underWay.get(index);
    if (!sent) continue;
    const { statements, answer } = await sent.finish();
    show(statements);
    if (isCrash(beat.fate)) happened.push({ kind: 'crashed', beat });
    hear(heardOf(beat, answer, received));
  }
  return heard;
}

/** A credential that is heard of is received under the name that the beat expects. */
function heardOf({ fate, expected }: Beat, answer: Answer, received: Map<string, Credential>): Heard {
  if (isUnanswered(fate)) return { kind: 'unanswered' };
  if (answer.kind !== 'gives') return answer;
  if (expected.answer?.kind === 'gives') received.set(expected.answer.name, answer.credential);
  return { kind: 'gives', what: answer.what };
}

/** @returns null when the credential to present was never received. */
async function send(
  { act, fate }: Beat,
  stage: Stage,
  received: ReadonlyMap<string, Credential>,
): Promise<UnderWay | null> {
  if (act?.action.kind !== 'present' && act?.action.kind !== 'revoke') return null;
  const { actor, action } = act;
  const credential = action.credential === null ? null : received.get(action.credential);
  if (credential === undefined) return null;
  if (action.kind === 'revoke') return stage.revoke(actor, credential, fate);
  return credential === null ? null : stage.present(actor, { ...action, credential }, fate);
}

/** A beat without halves. @returns the answer to the end-user; null: nothing was asked. */
async function happen(
  beat: Beat,
  stage: Stage,
  received: Map<string, Credential>,
  happened: Happened[],
): Promise<Heard | null> {
  if (beat.act === null) return null;
  const { actor, action } = beat.act;
  if (action.kind === 'approve') {
    const approved = await stage.approve(actor, action);
    happened.push({ kind: 'code' in approved ? 'approved' : 'asked', beat });
    if (!('code' in approved)) return approved;
    received.set(CODE, approved.code);
    return null;
  }
  if (action.kind === 'operate') {
    await stage.operate(action.does);
    happened.push({ kind: 'operated', beat });
    return null;
  }
  if (action.kind !== 'act') return null;
  const { credential } = action;
  const held = credential === null || credential.kind === 'password' ? null : received.get(credential.name);
  if (held === undefined) return { kind: 'unplayed' };
  const answer = await stage.act(actor, action, held);
  happened.push({ kind: 'asked', beat });
  return heardOf(beat, answer, received);
}

/** @returns why the time cannot pass; null: it did. */
async function passTime(beat: Beat, wait: Wait, stage: Stage, happened: Happened[]): Promise<string | null> {
  const now = stage.now();
  const end = wait.kind === 'until' ? await stage.endOf(wait.end) : now;
  if (end === null) return 'there is no chain yet, so it has no end';
  const to = wait.kind === 'until' ? end + wait.offset : now + wait.milliseconds;
  if (to < now) return 'that instant has passed, and time does not go back';
  stage.setNow(to);
  happened.push({ kind: 'timePassed', beat, milliseconds: to - now });
  return null;
}

type Seen = {
  readonly heard: Heard | null;
  readonly chain: Chain | null;
  readonly session: SessionSeen | null;
  readonly late: string | null;
};

function verdictsOf(expected: Expected, { heard, chain, session, late }: Seen): Verdict[] {
  const verdicts: Verdict[] = [];
  if (late !== null) verdicts.push({ expected: 'time passes until then', found: late, holds: false });
  else if (expected.answer || heard?.kind === 'unplayed') {
    const wanted = wordsOfExpected(expected.answer);
    const found = `${wordsOfHeard(heard)}${nameOf(expected.answer, heard)}`;
    verdicts.push({ expected: wanted, found, holds: wanted === found });
  }
  if (expected.chain) {
    const found = chain === null ? 'no chain' : `chain ${chain.alive ? 'alive' : 'dead'}`;
    verdicts.push(stateVerdict(`chain ${expected.chain}`, found, chain?.reason ?? null));
  }
  if (expected.session) {
    const found = session === null ? 'no session' : `session ${session.state}`;
    verdicts.push(stateVerdict(`session ${expected.session}`, found, session?.reason ?? null));
  }
  return verdicts;
}

const stateVerdict = (expected: string, found: string, reason: string | null): Verdict => ({
  expected,
  found: reason === null ? found : `${found} (${reason})`,
  holds: found === expected,
});

/** The answer has the expected name, if it is of the right kind. */
function nameOf(expected: Expected['answer'], heard: Heard | null): string {
  return expected?.kind === 'gives' && heard?.kind === 'gives' ? ` ${expected.name}` : '';
}

function wordsOfExpected(expected: Expected['answer']): string {
  if (expected === null) return 'something to present';
  if (expected.kind === 'gives') return `${nounOf(expected.what)} ${expected.name}`;
  return `${expected.kind}: ${expected.reason}`;
}

/** As text, with the reason if there is one. */
export function wordsOfHeard(heard: Heard | null): string {
  switch (heard?.kind) {
    case 'refused':
    case 'unavailable':
      return `${heard.kind}: ${heard.reason}`;
    case 'unplayed':
      return 'nothing to present: it never came';
    case 'unanswered':
      return 'no answer';
    case 'gives':
      return nounOf(heard.what);
    case 'done':
      return heard.kind;
    default:
      return 'nothing';
  }
}
