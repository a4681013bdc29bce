/** What is wrong with a scenario file is said with its line and the nearest right word, all of it at once. */
import { describe, expect, it } from 'vitest';
import { ScenarioError } from '../../../../src/review/simulation/read-scenario.ts';
import { readText, scenarioOf } from './more-scenarios.ts';

const problemsOf = (read: () => unknown): string[] => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    return error.message.split('\n').slice(1);
  }
  return [];
};
const inSteps = (steps: string) => problemsOf(() => scenarioOf('a', steps));

/** The approval stands in line 4, so the first step of these is line 5. */
const WRONG: Readonly<Record<string, readonly [steps: string, ...problems: RegExp[]]>> = {
  'an unknown key': [
    '  - { who: client, present: code }',
    /a\.yaml:5: steps\.1\.present: found an unknown key; allowed: .*\. Did you mean "presents"\?/,
  ],
  'an unknown word': [
    '  - { who: cleint, presents: code }',
    /a\.yaml:5: steps\.1\.who: found "cleint"; allowed: client, thief, .*\. Did you mean "client"\?/,
  ],
  'an unknown reason': [
    '  - { who: client, presents: code, refused: refresh_token_reuse }',
    /:5: steps\.1\.refused: found "refresh_token_reuse"; allowed: .* Did you mean "refresh_token_reused"\?/,
  ],
  'a name that nobody got': [
    '  - { who: client, presents: code, gets: Aa }\n  - { who: client, presents: Ab }',
    /:6: steps\.2\.presents: found "Ab", which nobody got before; allowed: code, Aa\. Did you mean "Aa"\?/,
  ],
  'a name before it is given': [
    '  - { who: client, presents: A }\n  - { who: client, presents: code, gets: A }',
    /:5: steps\.1\.presents: found "A", which nobody got before/,
  ],
  'a name twice': [
    '  - { who: client, presents: code, gets: A }\n  - { who: client, presents: A, gets: A }',
    /:6: steps\.2\.gets: found "A" a second time/,
  ],
  'the name of the code': ['  - { who: client, presents: code, gets: code }', /gets: found "code" a second time/],
  'a deed of somebody else': [
    '  - { who: client, does: recover }',
    /:5: steps\.1: found "recover" by "client"; allowed: one of: presents, revokes/,
  ],
  'nobody who does it': ['  - { presents: code }', /:5: steps\.1: found "presents" by nobody/],
  'nothing that is done': ['  - { who: thief }', /:5: steps\.1: found "thief" without a deed/],
  'two deeds': ['  - { who: thief, presents: code, revokes: code }', /found "presents" and "revokes"/],
  nothing: ['  - {}', /:5: steps\.1: found a step in which nothing happens/],
  'two answers': [
    '  - { who: client, presents: code, gets: A, refused: grant_revoked }',
    /steps\.1\.refused: found "gets" and "refused"; allowed: one answer/,
  ],
  'an answer that nobody hears': [
    '  - { who: client, presents: code, but: response lost, gets: A }',
    /steps\.1\.gets: found an answer, although "response lost"/,
  ],
  'a fate of no request': ['  - { who: operator, does: recover, but: response lost }', /steps\.1\.but: found/],
  'an answer to no request': [
    '  - { who: operator, does: recover, refused: grant_revoked }',
    /found an answer to nothing/,
  ],
  'tokens for a revocation': ['  - { who: client, revokes: code, gets: A }', /steps\.1\.gets: found tokens of nothing/],
  'what is not sent with a token': [
    '  - { who: client, presents: code, gets: A }\n  - { who: client, presents: A, with: { verifier: wrong } }',
    /:6: steps\.2\.with\.verifier: found "verifier" here; allowed: scope, resources/,
  ],
  'a time of no unit': ['  - { wait: 30 min }', /:5: steps\.1\.wait: found "30 min"; allowed: a time as 30s/],
  'a time twice': ['  - { wait: 30s, until: the code ends }', /steps\.1\.until: found "wait" and "until"/],
  'a moment that there is not': ['  - { until: before the code ends }', /Did you mean "just before the code ends"\?/],
  'a second approval': ['  - { who: resource owner, does: approve }', /:5: steps\.1: found a second approval/],
  'a name for the place that steers': [
    '  - { who: client, in: "tab;\\u001b[31m", presents: code }',
    /steps\.1\.in: found/,
  ],
  'an order alone': [
    '  - { wait: 1s, order: [1 loads, 1 commits] }',
    /steps\.1\.order: found an order without "together"/,
  ],
  'something beside together': [
    '  - { wait: 1s, together: [{ who: client, presents: code }, { who: thief, presents: code }] }',
    /steps\.1\.wait: found "wait" beside "together"/,
  ],
  'one together': [
    '  - { together: [{ who: client, presents: code }] }',
    /together: found a sequence; allowed: at least 2/,
  ],
  'a wait inside of together': [
    '  - { together: [{ wait: 1s, who: client, presents: code }, { who: thief, presents: code }] }',
    /steps\.1\.together\.0: found a wait with a deed/,
  ],
  'an approval inside of together': [
    '  - { together: [{ who: resource owner, does: approve }, { who: thief, presents: code }] }',
    /found an approval at once with others/,
  ],
};

const together = '  - together: [{ who: client, presents: code }, { who: operator, does: recover }]\n';
const WRONG_ORDERS: Readonly<Record<string, readonly [order: string, problem: RegExp]>> = {
  'what is no turn': ['[1 loads, 1 comits]', /:6: steps\.1\.order\.1: found "1 comits"; allowed: as "1 loads"/],
  'nobody there': ['[1 loads, 2 happens, 3 commits, 1 commits]', /order\.2: found "3 commits"; allowed: 1 commits\./],
  'a load of what happens at once': [
    '[1 loads, 2 loads, 1 commits]',
    /found "2 loads"; allowed: 2 happens, 1 commits\./,
  ],
  twice: [
    '[1 loads, 1 loads, 2 happens, 1 commits]',
    /order\.1: found "1 loads" again; allowed: 2 happens, 1 commits\./,
  ],
  'a commit first': ['[1 commits, 1 loads, 2 happens]', /order\.0: found "1 commits" before it loads/],
  'not all': [
    '[1 loads, 1 commits]',
    /:6: steps\.1\.order: found an order that leaves something out; allowed: also 2 happens/,
  ],
};

describe('a scenario file is refused for', () => {
  it.each(Object.entries(WRONG))('%s', (_, [steps, ...problems]) => {
    const found = inSteps(steps);
    expect(found).toHaveLength(problems.length);
    for (const [index, problem] of problems.entries()) expect(found[index]).toMatch(problem);
  });

  it.each(Object.entries(WRONG_ORDERS))('an order with %s', (_, [order, problem]) => {
    expect(inSteps(`${together}    order: ${order}`).join('\n')).toMatch(problem);
  });

  it('another beginning, or none', () => {
    const steps = (text: string) => problemsOf(() => readText(`title: a\nsays: b\nsteps: ${text}`));
    expect(steps('[{ wait: 1s }]')).toEqual([
      '  a.yaml:3: steps.0: found another beginning; allowed: { who: resource owner, does: approve } as the first step.',
    ]);
    expect(steps('[{ wait: 1s, who: resource owner, does: approve }]').join()).toContain('a wait before the approval');
    expect(steps('[]').join()).toContain('at least 1 entries');
  });

  it('a title that steers the terminal, and one that is missing', () => {
    const [title, ...more] = problemsOf(() =>
      readText('title: "a\\u001b[31m\\u202e"\nsays: b\nsteps: [{ who: resource owner, does: approve }]'),
    );
    expect(title).toMatch(
      /^ {2}a\.yaml:1: title: found .*; allowed: a text of one line, without control characters\.$/,
    );
    expect(title).not.toMatch(/\p{C}/u);
    expect(more).toEqual([]);
    expect(problemsOf(() => readText('says: b\nsteps: [{ who: resource owner, does: approve }]'))).toEqual([
      '  a.yaml:1: title: found nothing; allowed: a text.',
    ]);
  });

  it('what is no YAML, no mapping, or a bomb', () => {
    expect(problemsOf(() => readText('title: "a'))[0]).toMatch(
      /a\.yaml:1: found Missing closing "quote; allowed: YAML/,
    );
    expect(problemsOf(() => readText('- a'))[0]).toMatch(/found .*; allowed: a mapping/);
    expect(problemsOf(() => readText(''))[0]).toMatch(/allowed: a mapping/);
    const rows = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n < 9; n++) rows.push(`a${n}: &a${n} [${Array(9).fill(`*a${n - 1}`)}]`);
    expect(problemsOf(() => readText(rows.join('\n')))).toEqual([
      '  a.yaml: found aliases upon aliases; allowed: less of them.',
    ]);
  });

  it('a policy that contradicts itself, is out of bounds, or is not there', () => {
    const withPolicy = (policy: string) =>
      problemsOf(() => readText(`title: a\nsays: b\n${policy}\nsteps: [{ who: resource owner, does: approve }]`));
    expect(withPolicy('policy: { refreshAbsoluteLifetimeSeconds: 600 }')).toEqual([
      '  a.yaml:3: policy.refreshIdleLifetimeSeconds: found 2592000; allowed: at most refreshAbsoluteLifetimeSeconds.',
    ]);
    expect(withPolicy('policy: { authorizationCodeLifetimeSeconds: 9999 }')[0]).toMatch(
      /a\.yaml:3: policy\.authorizationCodeLifetimeSeconds: found 9999; allowed: 600 or less\./,
    );
    expect(withPolicy('policy: { codeLifetimeSeconds: 30 }')[0]).toMatch(/found an unknown key/);
    expect(withPolicy('policyFile: nowhere.policy.yaml')[0]).toMatch(
      /a\.yaml:3: policyFile: found a policy that is refused; allowed: nowhere\.policy\.yaml: found no such file/,
    );
  });

  it('several things, which are all said', () => {
    expect(inSteps('  - { who: client, presents: A }\n  - { who: thief }\n  - {}')).toHaveLength(3);
  });
});
