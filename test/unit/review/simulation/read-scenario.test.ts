/** The errors of a scenario file, all together, each with its line and the nearest known word. */
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
    /a\.yaml:5: steps\.1\.present: Expected .*, found an unknown key\. Did you mean "presents"\?/,
  ],
  'an unknown word': [
    '  - { who: cleint, presents: code }',
    /a\.yaml:5: steps\.1\.who: Expected "client", "thief", .*, found "cleint"\. Did you mean "client"\?/,
  ],
  'an unknown reason': [
    '  - { who: client, presents: code, refused: refresh_token_reuse }',
    /:5: steps\.1\.refused: Expected .*, found "refresh_token_reuse"\. Did you mean "refresh_token_reused"\?/,
  ],
  'an unknown name': [
    '  - { who: client, presents: code, gets: Aa }\n  - { who: client, presents: Ab }',
    /:6: steps\.2\.presents: Expected code, password, Aa, found "Ab", which no step before gives\. Did you mean "Aa"\?/,
  ],
  'a name before it is given': [
    '  - { who: client, presents: A }\n  - { who: client, presents: code, gets: A }',
    /:5: steps\.1\.presents: Expected .*, found "A", which no step before gives/,
  ],
  'a name twice': [
    '  - { who: client, presents: code, gets: A }\n  - { who: client, presents: A, gets: A }',
    /:6: steps\.2\.gets: Expected .*, found "A" a second time/,
  ],
  'the name of the code': [
    '  - { who: client, presents: code, gets: code }',
    /gets: Expected .*, found "code" a second time/,
  ],
  'an action of another actor': [
    '  - { who: client, does: recover }',
    /:5: steps\.1: Expected one of: presents, revokes.*, found "recover" by "client"/,
  ],
  'a missing actor': ['  - { presents: code }', /:5: steps\.1: Expected .*, found "presents" without an actor/],
  'nothing that is done': ['  - { who: thief }', /:5: steps\.1: Expected .*, found "thief" without an action/],
  'two actions': ['  - { who: thief, presents: code, revokes: code }', /, found "presents" and "revokes"/],
  nothing: ['  - {}', /:5: steps\.1: Expected .*, found a step in which nothing happens/],
  'two answers': [
    '  - { who: client, presents: code, gets: A, refused: grant_revoked }',
    /steps\.1\.refused: Expected one answer.*, found "gets" and "refused"/,
  ],
  'an answer without a receiver': [
    '  - { who: client, presents: code, but: response lost, gets: A }',
    /steps\.1\.gets: Expected .*, found an answer, although "response lost"/,
  ],
  'a fate of no request': ['  - { who: operator, does: recover, but: response lost }', /steps\.1\.but: Expected/],
  'an answer to no request': [
    '  - { who: operator, does: recover, refused: grant_revoked }',
    /, found an answer to nothing/,
  ],
  'tokens for a revocation': [
    '  - { who: client, revokes: code, gets: A }',
    /steps\.1\.gets: Expected .*, found a name for nothing/,
  ],
  'what is not sent with a token': [
    '  - { who: client, presents: code, gets: A }\n  - { who: client, presents: A, with: { verifier: wrong } }',
    /:6: steps\.2\.with\.verifier: Expected key, scope, resources.*, found "verifier" here/,
  ],
  'a time of no unit': ['  - { wait: 30 min }', /:5: steps\.1\.wait: Expected a time as 30s.*, found "30 min"/],
  'a time twice': ['  - { wait: 30s, until: the code ends }', /steps\.1\.until: Expected .*, found "wait" and "until"/],
  'a moment that there is not': ['  - { until: before the code ends }', /Did you mean "just before the code ends"\?/],
  'a cookie where tokens are due': [
    '  - { who: resource owner, in: laptop, presents: password, gets: L }\n  - { who: client, presents: L }',
    /:6: steps\.2\.presents: Expected a credential of this actor, found "L", which is of the kind "cookie"/,
  ],
  'tokens where a person acts': [
    '  - { who: client, presents: code, gets: A }\n  - { who: resource owner, in: laptop, presents: A }',
    /:6: steps\.2\.presents: Expected a credential of this actor, found "A", which is of the kind "tokens"/,
  ],
  'an app as if it were a code': [
    '  - { who: thief, does: set up an authenticator app, gets: app }\n  - { who: thief, presents: app }',
    /:6: steps\.2\.presents: Expected a credential for the server, found "app", which is of the kind "app"/,
  ],
  'a reading of what shows no code': [
    '  - { who: thief, presents: password, gets: T }\n  - { who: thief, reads: T, gets: C }',
    /:6: steps\.2\.reads: Expected an authenticator app, found "T", which is of the kind "cookie"/,
  ],
  'a removal without an actor': [
    '  - { who: thief, presents: password, gets: T }\n  - { who: thief, removes: T }',
    /:6: steps\.2\.removes: Expected a passkey, an app or a link, found "T", which is of the kind "cookie"/,
  ],
  'a name for an action without a result': [
    '  - { who: thief, does: sign out, gets: T }',
    /:5: steps\.1\.gets: Expected only where something is given, found a name for nothing/,
  ],
  'a session where no person acts': [
    '  - { who: client, presents: code, session: active }',
    /:5: steps\.1\.session: Expected .*, found an answer to nothing/,
  ],
  'a password beside a cookie': [
    '  - { who: thief, presents: password, gets: T }\n  - { who: thief, presents: T, with: { password: old } }',
    /:6: steps\.2\.with\.password: Expected nothing, found "password" here/,
  ],
  'a second approval': [
    '  - { who: resource owner, does: approve }',
    /:5: steps\.1: Expected .*, found a second approval/,
  ],
  'a name for the place that steers': [
    '  - { who: client, in: "tab;\\u001b[31m", presents: code }',
    /steps\.1\.in: Expected/,
  ],
  'an order alone': [
    '  - { wait: 1s, order: [1 loads, 1 commits] }',
    /steps\.1\.order: Expected .*, found an order without "together"/,
  ],
  'something beside together': [
    '  - { wait: 1s, together: [{ who: client, presents: code }, { who: thief, presents: code }] }',
    /steps\.1\.wait: Expected .*, found "wait" beside "together"/,
  ],
  'one together': [
    '  - { together: [{ who: client, presents: code }] }',
    /together: Expected at least 2 entries, found a list of 1/,
  ],
  'a wait inside of together': [
    '  - { together: [{ wait: 1s, who: client, presents: code }, { who: thief, presents: code }] }',
    /steps\.1\.together\.0: Expected .*, found a wait with an action/,
  ],
  'an approval inside of together': [
    '  - { together: [{ who: resource owner, does: approve }, { who: thief, presents: code }] }',
    /, found an approval together with others/,
  ],
};

const together = '  - together: [{ who: client, presents: code }, { who: operator, does: recover }]\n';
const WRONG_ORDERS: Readonly<Record<string, readonly [order: string, problem: RegExp]>> = {
  'what is no turn': ['[1 loads, 1 comits]', /:6: steps\.1\.order\.1: Expected as "1 loads".*, found "1 comits"/],
  'no actor there': ['[1 loads, 2 happens, 3 commits, 1 commits]', /order\.2: Expected 1 commits, found "3 commits"\./],
  'a load of a concurrent step': ['[1 loads, 2 loads, 1 commits]', /Expected 2 happens, 1 commits, found "2 loads"\./],
  twice: [
    '[1 loads, 1 loads, 2 happens, 1 commits]',
    /order\.1: Expected 2 happens, 1 commits, found "1 loads" again\./,
  ],
  'a commit first': ['[1 commits, 1 loads, 2 happens]', /order\.0: Expected .*, found "1 commits" before it loads/],
  'not all': [
    '[1 loads, 1 commits]',
    /:6: steps\.1\.order: Expected also 2 happens.*, found an order that leaves something out/,
  ],
};

describe('a scenario file is rejected for', () => {
  it.each(Object.entries(WRONG))('%s', (_, [steps, ...problems]) => {
    const found = inSteps(steps);
    expect(found).toHaveLength(problems.length);
    for (const [index, problem] of problems.entries()) expect(found[index]).toMatch(problem);
  });

  it.each(Object.entries(WRONG_ORDERS))('an order with %s', (_, [order, problem]) => {
    expect(inSteps(`${together}    order: ${order}`).join('\n')).toMatch(problem);
  });

  it('another first step, or none', () => {
    const steps = (text: string) => problemsOf(() => readText(`title: a\nsays: b\nsteps: ${text}`));
    expect(steps('[{ wait: 1s }]')).toEqual([
      '  a.yaml:3: steps.0: Expected { who: resource owner, does: approve }, or a sign-in, as the first step, found another beginning.',
    ]);
    expect(steps('[{ wait: 1s, who: resource owner, does: approve }]').join()).toContain('a wait before the beginning');
    expect(steps('[]').join()).toContain('at least 1 entry');
  });

  it('a title that controls the terminal, and a missing one', () => {
    const [title, ...more] = problemsOf(() =>
      readText('title: "a\\u001b[31m\\u202e"\nsays: b\nsteps: [{ who: resource owner, does: approve }]'),
    );
    expect(title).toMatch(
      /^ {2}a\.yaml:1: title: Expected a text of one line, without control characters, found .*\.$/,
    );
    expect(title).not.toMatch(/\p{C}/u);
    expect(more).toEqual([]);
    expect(problemsOf(() => readText('says: b\nsteps: [{ who: resource owner, does: approve }]'))).toEqual([
      '  a.yaml:1: title: Expected a text, found nothing.',
    ]);
  });

  it('invalid YAML, a document without a mapping, or a bomb', () => {
    expect(problemsOf(() => readText('title: "a'))[0]).toMatch(
      /a\.yaml:1: Expected valid YAML, found missing closing "quote/,
    );
    expect(problemsOf(() => readText('- a'))[0]).toMatch(/Expected an object, found a list of 1/);
    expect(problemsOf(() => readText(''))[0]).toMatch(/Expected an object/);
    const rows = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n < 9; n++) rows.push(`a${n}: &a${n} [${Array(9).fill(`*a${n - 1}`)}]`);
    expect(problemsOf(() => readText(rows.join('\n')))).toEqual([
      '  a.yaml: Expected fewer aliases, found aliases upon aliases.',
    ]);
  });

  it('a policy that contradicts itself, is out of bounds, or is missing', () => {
    const withPolicy = (policy: string) =>
      problemsOf(() => readText(`title: a\nsays: b\n${policy}\nsteps: [{ who: resource owner, does: approve }]`));
    expect(withPolicy('policy: { refreshAbsoluteLifetimeSeconds: 600 }')).toEqual([
      '  a.yaml:3: policy.refreshIdleLifetimeSeconds: Expected at most refreshAbsoluteLifetimeSeconds, found 2592000.',
    ]);
    expect(withPolicy('policy: { authorizationCodeLifetimeSeconds: 9999 }')[0]).toMatch(
      /a\.yaml:3: policy\.authorizationCodeLifetimeSeconds: Expected 600 or less, found 9999\./,
    );
    expect(withPolicy('policy: { codeLifetimeSeconds: 30 }')[0]).toMatch(/, found an unknown key/);
    expect(withPolicy('policyFile: nowhere.policy.yaml')[0]).toMatch(
      /a\.yaml:3: policyFile: Expected nowhere\.policy\.yaml: .*found no such file.*, found a policy that is refused/,
    );
  });

  it('a policy of sign-ins out of bounds', () => {
    const initialState = 'steps: [{ who: resource owner, presents: password }]';
    expect(
      problemsOf(() => readText(`title: a\nsays: b\nsignIn: { secondFactor: operators }\n${initialState}`))[0],
    ).toMatch(/a\.yaml:3: signIn\.secondFactor: Expected "nobody" or "everyone", found "operators"/);
    expect(
      problemsOf(() => readText(`title: a\nsays: b\nsignIn: { recentSignInSeconds: 1 }\n${initialState}`))[0],
    ).toMatch(/a\.yaml:3: signIn\.recentSignInSeconds: Expected 60 or more, found 1/);
  });

  it('several errors, which are all reported', () => {
    expect(inSteps('  - { who: client, presents: A }\n  - { who: thief }\n  - {}')).toHaveLength(3);
  });
});
