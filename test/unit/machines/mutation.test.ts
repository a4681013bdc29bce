/**
 * Are the nets tight? Each mutant of each machine must be detected by the transition table or rejected by a law. Those
 * that issue more or revoke less must be rejected by a law, however carelessly the table's difference is read.
 */
import { describe, expect, test } from 'vitest';
import { readMachine } from '../../../src/catalogue/read.ts';
import { type Answer, type Answers, foundOnce, guardsAsked } from './answers.ts';
import { type Subject, subjects } from './catalogue.ts';
import { caseOf, lawsOf, lawsOfEveryMachine } from './laws.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { sectionOf } from './transition-table.ts';

/** The configuration is left out: thousands of them would have to be kept. */
type Tried = Omit<Mutant, 'config'> & {
  readonly laws: readonly string[];
  readonly changesTable: boolean;
  readonly dangerous: boolean;
};

const MORE = [
  'issueTokens',
  'beginChain',
  'rotate',
  'issueCode',
  'rememberConsent',
  'repeatAnswer',
  'beginSigning',
  'publish',
  'admit',
  'recordUse',
  'useLink',
  'changeUser',
  'accept',
  'beginSession',
  'addFactor',
  'activateFactor',
  'registerPasskey',
];
const LESS = [
  'revokeGrant',
  'writeRevoked',
  'raiseEpoch',
  'endSession',
  'reject',
  'refuseAuthorization',
  'refuseSilently',
  'relyOnConsent',
  'relyOnRegistration',
  'stopSigning',
  'startSuccessor',
  'retire',
  'supersedeOthers',
  'supersedeLater',
  'supersedeLink',
  'offerUndo',
  'removeFactor',
  'recordStep',
  'recordSignature',
  'spendCode',
  'replaceCode',
];
/** Nothing leads out of these. */
const FOR_GOOD = ['revoked', 'retired', 'ended', 'denied', 'removed', 'used', 'replaced', 'superseded'];
const kinds = ({ effects }: Answer) => effects.map((effect) => effect.replace(/\(.*/, ''));

const CHANGE_AN_ANSWER = [
  'arm deleted',
  'guard dropped',
  'target redirected',
  'action dropped',
  'parameter changed',
  'arms swapped',
  'description or reference dropped',
];

const tried = new Map(subjects.map((subject) => [subject, triedOut(subject)]));

describe.each(subjects)('mutants of $name', (subject) => {
  const mutants = tried.get(subject) ?? [];

  test('exist', () => {
    expect(mutants.length).toBeGreaterThan(50);
  });
  test('are detected, each by a law or in the table', () => {
    const unseen = mutants.filter((one) => one.laws.length === 0 && !one.changesTable);
    expect(unseen.map(({ what }) => what)).toEqual([]);
  });
  test('are each visible in the table when they change an answer, whatever the laws say', () => {
    const unseen = mutants.filter((one) => CHANGE_AN_ANSWER.includes(one.kind) && !one.changesTable);
    expect(unseen.map(({ what }) => what)).toEqual([]);
  });
  test('break a law when they issue more or revoke less', () => {
    expect(mutants.some((one) => one.dangerous)).toBe(true);
    expect(mutants.filter((one) => one.dangerous && one.laws.length === 0).map(({ what }) => what)).toEqual([]);
  });
  test.each(lawsOf(subject))('some mutant breaks the law: $name', (law) => {
    const all = lawsOfEveryMachine.includes(law) ? [...tried.values()].flat() : mutants;
    expect(all.some((one) => one.laws.includes(law.name))).toBe(true);
  });
});

test('the report is the one that was reviewed', async () => {
  await expect(report()).toMatchFileSnapshot('./mutation-report.md');
});

function triedOut(subject: Subject): readonly Tried[] {
  const table = sectionOf(subject);
  const isDangerous = foundOnce(dangersBeside(subject));
  return mutantsOf(subject).map(({ kind, what, config }) => {
    const tested = caseOf(subject, config);
    return {
      kind,
      what,
      laws: lawsOf(subject).flatMap((law) => (law.broken(tested).length > 0 ? law.name : [])),
      changesTable: sectionOf({ ...subject, machine: readMachine(config) }, false) !== table,
      dangerous: tested.answers.some(isDangerous),
    };
  });
}

/** Beside the machine as it is: something is issued, or a state is left, that was not; or no longer revoked. */
function dangersBeside(subject: Subject): (answers: Answers) => boolean {
  const asReviewed = new Map(caseOf(subject, subject.config).answers.flatMap((here) => keyed(subject, here)));
  return (answers) =>
    keyed(subject, answers).some(([key, answer]) => {
      const before = asReviewed.get(key);
      if (!before) return false;
      const [was, is] = [kinds(before), kinds(answer)];
      const issuesMore = MORE.some((effect) => is.includes(effect) && !was.includes(effect));
      const revokesLess = LESS.some((effect) => was.includes(effect) && !is.includes(effect));
      const revives = FOR_GOOD.includes(before.next) && answer.next !== before.next;
      return issuesMore || revokesLess || revives;
    });
}

/** A mutant may ask a guard that was not asked here; the machine as it is answers the same whatever that says. */
function keyed({ machine }: Subject, answers: Answers): readonly (readonly [key: string, answer: Answer])[] {
  const [{ state = '', event = '' } = {}] = answers;
  const asked = [...guardsAsked(machine, state, event)].sort();
  return answers.map((answer) => [
    [state, event, ...asked.map((guard) => `${guard}=${answer.outcomes[guard]}`)].join(),
    answer,
  ]);
}

function report(): string {
  const all = [...tried].flatMap(([subject, mutants]) => mutants.map((one) => ({ ...one, machine: subject.name })));
  const refused = (some: readonly Tried[]) => some.filter((one) => one.laws.length > 0).length;
  const lines = [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, here]) => {
    const dangerous = here.filter((one) => one.dangerous);
    return `| ${[kind, here.length, refused(here), dangerous.length, refused(dangerous)].join(' | ')} |`;
  });
  const tableOnly = all.filter((one) => one.laws.length === 0).map(({ machine, what }) => `- ${machine}, ${what}`);
  return [
    '# Mutants of the machines\n',
    'The machines with one thing changed, as test/unit/machines/mutants.ts makes them. "Refused" counts those that break a law of',
    'test/unit/machines/laws.ts; every other one changes the transition table, so that a reviewer sees it. "Dangerous" ones issue,',
    'sign or admit more, revoke or reject less, or leave a state that nothing leads out of.\n',
    'Generated by test/unit/machines/mutation.test.ts. To accept a change: `npx vitest run test/unit/machines --update`.\n',
    '| what was changed | mutants | refused | dangerous | of these refused |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '\n## Seen in the table only\n',
    ...(tableOnly.length > 0 ? tableOnly : ['None.']),
    '',
  ].join('\n');
}
