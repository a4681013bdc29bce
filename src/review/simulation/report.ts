/** A performance as text, as JSON, and for the page of the shipped scenarios. */

import { printable } from '../../config/shown.ts';
import { spanWords } from '../../system/durations.ts';
import { mermaidOf } from './diagram.ts';
import { holds, type Performance, type Played, wordsOfHeard } from './play.ts';
import type { Scenario } from './scenario.ts';
import { beatWords } from './words.ts';

export function performanceText(performance: Performance): string {
  const { scenario, played } = performance;
  const diagram = mermaidOf(performance).replaceAll(/^/gm, '    ');
  return `${scenario.title}\n${scenario.says}\n${policyWords(scenario)}\n\n${played.map(playedText).join('')}\n${diagram}\n\n${summary(performance)}\n`;
}

export function summary(performance: Performance): string {
  const verdicts = performance.played.flatMap((step) => step.verdicts);
  const held = verdicts.filter((verdict) => verdict.holds).length;
  if (verdicts.length === 0) return 'Nothing was expected.';
  return `${holds(performance) ? 'As expected' : 'NOT as expected'}: ${held} of ${verdicts.length} expectations hold.`;
}

/** The policies under which it was played, as far as they bound its steps. */
export const policyWords = (scenario: Scenario): string =>
  [
    ...(isAboutChains(scenario) ? [chainWords(scenario)] : []),
    ...(isAboutPeople(scenario) ? [signInWords(scenario)] : []),
  ].join(' ');

const actionsOf = ({ rounds }: Scenario) =>
  rounds.flatMap(({ beats }) => beats.flatMap(({ act }) => (act === null ? [] : [act.action.kind])));
const isAboutChains = (scenario: Scenario) => actionsOf(scenario).includes('approve');
const isAboutPeople = (scenario: Scenario) => actionsOf(scenario).includes('act');

const chainWords = ({ lifetimes }: Scenario): string =>
  `Policy ${printable(lifetimes.name)}: code ${span(lifetimes.authorizationCodeLifetimeSeconds)}, ` +
  `chain ${span(lifetimes.refreshIdleLifetimeSeconds)} idle, ${span(lifetimes.refreshAbsoluteLifetimeSeconds)} in any case.`;

const signInWords = ({ signIn }: Scenario): string => {
  const { sessionLifetimeSeconds: lifetime, sessionIdleLifetimeSeconds: idle = lifetime } = signIn;
  const demanded = {
    nobody: 'from no end-user',
    // A resource owner has no role.
    operatorsInProduction: 'from no end-user',
    operators: 'from operators',
    everyone: 'from everybody',
  }[signIn.secondFactor];
  return `Sign-ins: session ${span(idle)} idle, ${span(lifetime)} in any case; a second factor is demanded ${demanded}.`;
};

const span = (seconds: number) => spanWords(seconds * 1000);

function playedText({ beat, heard, verdicts }: Played): string {
  const head = `${beat.number}. ${beatWords(beat)}`;
  const open = heard && verdicts.length === 0 ? `: ${wordsOfHeard(heard)}` : '';
  const lines = verdicts.map(({ expected, found, holds }) =>
    holds ? `     ok      ${found}\n` : `     FAILED  expected ${expected}; found ${found}\n`,
  );
  return `${head}${open}\n${lines.join('')}`;
}

/** One line per expectation that does not hold. */
export const failuresOf = ({ scenario, played }: Performance): string[] =>
  played.flatMap(({ beat, verdicts }) =>
    verdicts
      .filter((verdict) => !verdict.holds)
      .map(
        ({ expected, found }) =>
          `${printable(scenario.file)}${beat.line === null ? '' : `:${beat.line}`}: step ${beat.number}: expected ${expected}; found ${found}`,
      ),
  );

export const performanceDocument = (performance: Performance) => ({
  file: performance.scenario.file,
  title: performance.scenario.title,
  says: performance.scenario.says,
  ok: holds(performance),
  policy: performance.scenario.lifetimes.name,
  steps: performance.played.map(({ beat, at, heard, chain, session, verdicts }) => ({
    step: beat.number,
    line: beat.line,
    says: beatWords(beat),
    seconds_after_approval: at / 1000,
    answer: heard && {
      kind: heard.kind === 'gives' && heard.what === 'tokens' ? 'tokens' : heard.kind,
      ...('reason' in heard && { reason: heard.reason }),
      ...('what' in heard && heard.what !== 'tokens' && { what: heard.what }),
    },
    chain: chain && { alive: chain.alive, reason: chain.reason },
    session: session && { state: session.state, reason: session.reason },
    expectations: verdicts,
  })),
  mermaid: mermaidOf(performance),
});
