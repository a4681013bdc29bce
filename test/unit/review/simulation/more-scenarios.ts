/** Scenarios that teach little, and on which memory and server must still agree. */

import { readScenario } from '../../../../src/review/simulation/read-scenario.ts';
import type { Scenario } from '../../../../src/review/simulation/scenario.ts';
import { shippedConfiguration } from '../../../support/app.ts';

const standard = () => {
  const policy = shippedConfiguration.policies.get('default');
  if (!policy) throw new Error('no policy');
  return { name: 'default', ...policy };
};

export const readText = (text: string, path = 'a.yaml'): Scenario =>
  readScenario(path, text, { standard, instead: null, signIn: () => shippedConfiguration.signIn });

export const scenarioOf = (title: string, steps: string): Scenario =>
  readText(`title: ${title}\nsays: For the tests.\nsteps:\n  - { who: resource owner, does: approve }\n${steps}`);

export const MORE_SCENARIOS: readonly Scenario[] = [
  scenarioOf(
    'what is sent along with a code',
    `  - { who: client, presents: code, with: { redirectUri: wrong }, refused: redirect_uri_mismatch, chain: alive }
  - { who: client, presents: code, with: { resources: [files] }, refused: resource_exceeds_grant, chain: alive }
  - { who: client, presents: code, with: { redirectUri: right, resources: [api] }, gets: A }`,
  ),
  readText(`title: what is sent along with a refresh token
says: For the tests.
steps:
  - { who: resource owner, does: approve, with: { scope: [read], resources: [api, files] } }
  - { who: client, presents: code, gets: A }
  - { who: client, presents: A, with: { scope: [read, write] }, refused: scope_exceeds_grant, chain: alive }
  - { who: another client, presents: A, refused: client_mismatch, chain: alive }
  - { who: client, presents: A, with: { scope: [read], resources: [files] }, gets: B }
  - { who: client, presents: B, gets: C, chain: alive }`),
  scenarioOf(
    'tokens are given back',
    `  - { who: client, presents: code, gets: A }
  - { who: another client, revokes: A, chain: alive }
  - { who: client, revokes: code, chain: alive }
  - { who: client, revokes: A, chain: dead }
  - { who: client, revokes: A, chain: dead }
  - { who: client, presents: A, refused: grant_revoked }`,
  ),
  scenarioOf(
    'the resource owner ends it, twice',
    `  - { who: client, presents: code, gets: A }
  - { who: resource owner, does: revoke, chain: dead }
  - { who: resource owner, does: revoke, chain: dead }
  - { who: client, presents: code, refused: grant_revoked }`,
  ),
  scenarioOf(
    'the client is deleted, and registered again',
    `  - { who: client, presents: code, gets: A }
  - together:
      - { who: client, presents: A, refused: client_ended }
      - { who: operator, does: delete the client, chain: dead }
  - { who: client, presents: A, refused: client_unknown }
  - { who: client, revokes: A, refused: client_unknown }
  - { who: operator, does: register the client again, chain: dead }
  - { who: client, presents: A, refused: client_ended }`,
  ),
  scenarioOf(
    'the server is recovered',
    `  - { who: client, presents: code, gets: A }
  - { who: operator, does: recover, chain: dead }
  - { who: client, presents: A, refused: server_epoch_raised }
  - { who: resource owner, does: revoke }`,
  ),
  scenarioOf(
    'the resource owner is disabled, and cannot end anything',
    `  - { who: client, presents: code, gets: A }
  - { who: operator, does: disable the resource owner, chain: dead }
  - { who: resource owner, does: revoke, chain: dead }
  - { who: client, presents: code, refused: user_ended }`,
  ),
  scenarioOf(
    'a code is exchanged twice, concurrently',
    `  - together:
      - { who: client, presents: code, refused: authorization_code_reused }
      - { who: thief, presents: code, gets: B, chain: dead }
    order: [1 loads, 2 loads, 2 commits, 1 commits]
  - { who: thief, presents: B, refused: grant_revoked }`,
  ),
  scenarioOf(
    'one loads after the other has committed',
    `  - together:
      - { who: client, presents: code, gets: A }
      - { who: client, presents: A, gets: B, chain: alive }
    order: [1 loads, 1 commits, 2 loads, 2 commits]`,
  ),
  scenarioOf(
    'commits and their answers get lost',
    `  - { who: client, presents: code, but: commit lost, gets: A }
  - { who: client, presents: A, but: commit unknown, unavailable: commit_unknown, chain: alive }
  - { who: client, presents: A, but: commit answer lost, refused: grant_revoked, chain: dead }`,
  ),
  scenarioOf(
    'a crash after the commit',
    `  - { who: client, presents: code, gets: A }
  - { who: client, presents: A, but: crash after commit, chain: alive }
  - { who: client, presents: A, but: crash before commit, chain: alive }
  - { who: client, presents: A, but: crash after commit, chain: dead }`,
  ),
  scenarioOf(
    'a revocation whose commit gets lost',
    `  - { who: client, presents: code, gets: A }
  - { who: client, revokes: A, but: database away, unavailable: store_unavailable, chain: alive }
  - { who: client, revokes: A, but: commit lost, chain: dead }
  - { who: resource owner, does: revoke, but: commit lost, chain: dead }
  - { who: client, revokes: A, but: commit answer lost, chain: dead }`,
  ),
  scenarioOf(
    'a chain whose tokens were never used idles out',
    `  - { who: client, presents: code, gets: A }
  - { until: just before the idle end, chain: alive }
  - { until: the idle end, chain: dead }
  - { until: just after the idle end, who: client, presents: A, refused: refresh_token_expired }`,
  ),
];
