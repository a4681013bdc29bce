/** Reads a scenario from a file, or reports all problems with file, line and nearest known word. */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Policy, policySchema, type SignInPolicy, signInSchema } from '../../../policies/schema.ts';
import type { NamedPolicy } from '../../config/configuration.ts';
import { loadPolicy } from '../../config/load.ts';
import { nearestOf } from '../../config/nearest.ts';
import { ConfigurationError, describeProblem, type Problem } from '../../config/problem.ts';
import { printable } from '../../config/shown.ts';
import { readYaml } from '../../config/yaml-file.ts';
import type { Lifetimes } from '../../model/lifetimes.ts';
import { ReportedError } from '../../system/reported-error.ts';
import { actOf, givenBy } from './read-act.ts';
import type { Kinds, Path, Reading, Report } from './reading.ts';
import {
  type Beat,
  type Expected,
  isRequest,
  type Round,
  type Scenario,
  type SignInTerms,
  type Turn,
  type Wait,
} from './scenario.ts';
import { type ScenarioRecord, SIGN_IN_KEYS, type StepRecord, scenarioSchema } from './scenario-file.ts';
import { ACTION_KEYS, CODE, isUnanswered, MOMENTS, PASSWORD } from './vocabulary.ts';

/** The scenario is refused; the message has all problems with their lines. */
export class ScenarioError extends ReportedError {
  readonly problems: readonly Problem[];
  constructor(file: string, problems: readonly Problem[]) {
    const words = problems.map((problem) => `  ${printable(describeProblem(problem))}`).join('\n');
    super(`The scenario ${printable(file)} is refused:\n${words}`);
    this.problems = problems;
  }
}

export type Policies = {
  /** For files that name no policy. */
  readonly standard: () => NamedPolicy;
  /** Replaces the policy of the file. */
  readonly instead: NamedPolicy | null;
  readonly signIn: () => SignInPolicy;
};

const MAX_BYTES = 64 * 1024;

/** @throws ScenarioError, ConfigurationError (for a policy file that is refused) */
export function loadScenario(path: string, policies: Policies): Scenario {
  return readScenario(path, textOf(path), policies);
}

/** @param path policy files are looked for beside it. @throws as `loadScenario`. */
export function readScenario(path: string, text: string | null, policies: Policies): Scenario {
  const file = basename(path);
  const source = text === null ? NO_SUCH_FILE : ({ ok: true, text } as const);
  const reading = readYaml(file, source, scenarioSchema);
  if (!reading.ok) throw new ScenarioError(path, reading.problems);
  const { value: record, lineOf } = reading;
  const problems: Problem[] = [];
  const report: Report = (at, found, allowed, nearest = null) => {
    problems.push({ file, line: lineOf(at), key: at.join('.') || null, found, allowed, nearest });
  };
  const kinds: Kinds = new Map([
    [CODE, 'code'],
    [PASSWORD, 'password'],
  ]);
  const rounds = record.steps.map((step, index) => roundOf(step, index, { lineOf, report, kinds }));
  requireBeginning(rounds, report);
  requireKnownNames(record, report);
  const lifetimes = lifetimesOf(path, record, policies, report);
  const signIn = signInOf(record, policies, report);
  if (problems.length > 0) throw new ScenarioError(path, problems);
  return { file: path, title: record.title, says: record.says, lifetimes, signIn, rounds };
}

const NO_SUCH_FILE = { ok: false, line: null, found: 'no such file', allowed: 'a file of this name' } as const;

/** @throws ScenarioError */
function textOf(path: string): string | null {
  const refused = (found: string, allowed: string) =>
    new ScenarioError(path, [{ file: basename(path), line: null, key: null, found, allowed, nearest: null }]);
  try {
    const facts = statSync(path);
    if (!facts.isFile()) throw refused('a path that is no file', 'a scenario file (YAML)');
    if (facts.size > MAX_BYTES) throw refused(`${facts.size} bytes`, `at most ${MAX_BYTES}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof ScenarioError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    throw refused(
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'bytes that are not UTF-8 text' : (code ?? 'unreadable'),
      'UTF-8',
    );
  }
}

/** The policy of `--policy`; else that of the file, or the default policy, with the scenario's changes. */
function lifetimesOf(
  path: string,
  { policyFile, policy }: ScenarioRecord,
  { standard, instead }: Policies,
  report: Report,
): Lifetimes {
  if (instead) return instead;
  const base = policyFile === undefined ? standard() : ownPolicy(join(dirname(path), policyFile), standard, report);
  if (policy === undefined) return base;
  const { name, ...before } = base;
  const changed: Policy = { ...before, ...(policy as Partial<Policy>) };
  const result = policySchema.safeParse(changed);
  for (const issue of result.error?.issues ?? []) {
    const key = String(issue.path[0]);
    report(['policy', key], String(changed[key as keyof Policy]), issue.message);
  }
  return { ...changed, name: `${name}, changed` };
}

function signInOf({ signIn = {} }: ScenarioRecord, policies: Policies, report: Report): SignInTerms {
  const changed = { ...policies.signIn(), ...signIn };
  const result = signInSchema.safeParse(changed);
  for (const issue of result.error?.issues ?? []) report(['signIn', String(issue.path[0])], 'a value', issue.message);
  return Object.fromEntries(SIGN_IN_KEYS.map((key) => [key, changed[key]])) as SignInTerms;
}

function ownPolicy(path: string, standard: () => NamedPolicy, report: Report): NamedPolicy {
  try {
    return loadPolicy(path);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const problem of error.problems)
      report(['policyFile'], 'a policy that is refused', describeProblem(problem).replace(/\.$/, ''));
    return standard();
  }
}

type RoundRecord = ScenarioRecord['steps'][number];

function roundOf({ together, order, ...step }: RoundRecord, index: number, reading: Reading): Round {
  const { report } = reading;
  const at = ['steps', index];
  const number = String(index + 1);
  if (together === undefined) {
    if (order) report([...at, 'order'], 'an order without "together"', 'the order of steps that are together');
    const beat = beatOf(step, at, number, reading);
    return { beats: [beat], order: turnsOf([beat]) };
  }
  const besides = Object.keys(step);
  if (besides.length > 0)
    report([...at, besides[0] ?? ''], `"${besides.join('", "')}" beside "together"`, 'only "order" beside it');
  const beats = together.map((part, place) => {
    const where = [...at, 'together', place];
    if (part.does === 'approve') report(where, 'an approval together with others', 'the approval as the first step');
    const beat = beatOf(part, where, `${number}.${place + 1}`, reading);
    if (beat.wait && beat.act)
      report(where, 'a wait with an action', 'under "together", time passes in a step of its own');
    return beat;
  });
  return { beats, order: order ? readOrder(order, beats, at, report) : turnsOf(beats) };
}

/** All requests load, then all commit; other beats happen in between. */
function turnsOf(beats: readonly Beat[]): Turn[] {
  const requests = beats.flatMap((beat, index) => (isRequest(beat) ? [index] : []));
  const others = beats.flatMap((beat, index) => (isRequest(beat) ? [] : [index]));
  return [
    ...requests.map((beat) => ({ beat, does: 'loads' }) as const),
    ...others.map((beat) => ({ beat, does: 'happens' }) as const),
    ...requests.map((beat) => ({ beat, does: 'commits' }) as const),
  ];
}

function readOrder(order: readonly string[], beats: readonly Beat[], at: Path, report: Report): Turn[] {
  const turns = order.map((text) => ({ beat: Number(text[0]) - 1, does: text.slice(2) as Turn['does'] }));
  const wanted = new Map(turnsOf(beats).map((turn) => [turnWordsOf(turn), turn]));
  const seen = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    const words = turnWordsOf(turn);
    const where = [...at, 'order', index];
    const left = [...wanted.keys()].filter((turnWords) => !seen.has(turnWords));
    if (!wanted.has(words)) report(where, `"${words}"`, left.join(', ') || 'nothing more');
    else if (seen.has(words)) report(where, `"${words}" again`, left.join(', ') || 'nothing more');
    else if (turn.does === 'commits' && !seen.has(turnWordsOf({ ...turn, does: 'loads' })))
      report(where, `"${words}" before it loads`, `"${turn.beat + 1} loads" first`);
    seen.add(words);
  }
  const missing = [...wanted.keys()].filter((words) => !seen.has(words));
  if (missing.length > 0) report([...at, 'order'], 'an order that leaves something out', `also ${missing.join(', ')}`);
  return turns;
}

const turnWordsOf = ({ beat, does }: Turn) => `${beat + 1} ${does}`;

function beatOf(step: StepRecord, at: Path, number: string, reading: Reading): Beat {
  const { lineOf, report, kinds } = reading;
  const act = actOf(step, at, reading);
  const given = act && givenBy(act.action);
  const beat: Beat = {
    number,
    line: lineOf(at),
    wait: waitOf(step, at, report),
    act,
    fate: step.but ?? null,
    expected: expectedOf(step, given, at, report),
  };
  if (!ACTION_KEYS.some((key) => step[key]) && !step.who && beat.wait === null && step.chain === undefined)
    report(at, 'a step in which nothing happens', 'an actor with an action, or a wait');
  const isSent = isRequest(beat);
  const kind = act?.action.kind;
  if (step.but && !isSent) report([...at, 'but'], `"${step.but}"`, 'only with codes and tokens');
  if (step.gets !== undefined && act !== null && !given)
    report(
      [...at, 'gets'],
      kind === 'approve' ? `a name for the code, which is "${CODE}"` : 'a name for nothing',
      'only where something is given',
    );
  if (step.gets !== undefined && given && !kinds.has(step.gets)) kinds.set(step.gets, given);
  for (const [key, isAnswered] of [
    ['refused', isSent || kind === 'act' || kind === 'approve'],
    ['unavailable', isSent],
    ['session', kind === 'act'],
  ] as const) {
    if (step[key] !== undefined && !isAnswered)
      report([...at, key], 'an answer to nothing', 'only where an actor presents or asks for something');
  }
  return beat;
}

const UNIT_MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function waitOf({ wait, until }: StepRecord, at: Path, report: Report): Wait | null {
  if (wait !== undefined && until !== undefined) report([...at, 'until'], '"wait" and "until"', 'one of the two');
  if (until !== undefined) return { kind: 'until', ...MOMENTS[until] };
  const [, count, unit] = /^(\d+) ?(\w+)$/.exec(wait ?? '') ?? [];
  if (count === undefined) return null;
  return { kind: 'for', milliseconds: Number(count) * UNIT_MILLISECONDS[unit as keyof typeof UNIT_MILLISECONDS] };
}

function expectedOf(step: StepRecord, given: ReturnType<typeof givenBy>, at: Path, report: Report): Expected {
  const { chain = null, session = null, but } = step;
  const keys = (['gets', 'refused', 'unavailable'] as const).filter((key) => step[key] !== undefined);
  if (keys.length > 1) report([...at, keys[1] ?? ''], `"${keys.join('" and "')}"`, 'one answer');
  if (keys[0] !== undefined && isUnanswered(but))
    report([...at, keys[0]], `an answer, although "${but}"`, 'nothing, or "chain"');
  return { answer: answerOf(step, given), chain, session };
}

/** Another check reports a name for nothing. */
function answerOf({ gets, refused, unavailable }: StepRecord, given: ReturnType<typeof givenBy>): Expected['answer'] {
  if (gets !== undefined) return { kind: 'gives', what: given ?? 'tokens', name: gets };
  if (refused !== undefined) return { kind: 'refused', reason: refused };
  return unavailable === undefined ? null : { kind: 'unavailable', reason: unavailable };
}

const BEGINNINGS = '{ who: resource owner, does: approve }, or a sign-in, as the first step';

/** Time begins with the first step, and there is one authorization. */
function requireBeginning(rounds: readonly Round[], report: Report): void {
  const [first] = rounds;
  const beginning = first?.beats.length === 1 ? first.beats[0]?.act?.action : undefined;
  const isSignIn = beginning?.kind === 'act' && (beginning.act === 'shows' || beginning.act.startsWith('go elsewhere'));
  if (beginning?.kind !== 'approve' && !isSignIn) report(['steps', 0], 'another beginning', BEGINNINGS);
  else if (first?.beats[0]?.wait)
    report(['steps', 0], 'a wait before the beginning', 'time begins with the first step');
  let isApproved = false;
  for (const [index, { beats }] of rounds.entries()) {
    const [beat] = beats;
    if (beats.length > 1 || beat?.act?.action.kind !== 'approve' || beat.expected.answer?.kind === 'refused') continue;
    if (isApproved) report(['steps', index], 'a second approval', 'one authorization for each scenario');
    isApproved = true;
  }
}

/** Each name is given once, before it is used. */
function requireKnownNames({ steps }: ScenarioRecord, report: Report): void {
  const known = new Set<string>([CODE, PASSWORD]);
  for (const [index, step] of steps.entries()) {
    const all = step.together ?? [step];
    const pathOf = (place: number) => (step.together ? ['steps', index, 'together', place] : ['steps', index]);
    const given = new Set<string>();
    for (const [place, { gets }] of all.entries()) {
      if (gets === undefined) continue;
      if (known.has(gets) || given.has(gets))
        report([...pathOf(place), 'gets'], `"${gets}" a second time`, 'a name that nothing else has');
      given.add(gets);
    }
    // A concurrent step may present a credential that another has just received.
    const usable = [...known, ...(step.together ? given : [])];
    for (const [place, { presents, revokes, reads, removes }] of all.entries()) {
      for (const [key, used] of Object.entries({ presents, revokes, reads, removes })) {
        if (used === undefined || usable.includes(used)) continue;
        const near = nearestOf(used, usable, (length) => Math.min(3, length / 2));
        report([...pathOf(place), key], `"${used}", which no step before gives`, usable.join(', '), near);
      }
    }
    for (const name of given) known.add(name);
  }
}
