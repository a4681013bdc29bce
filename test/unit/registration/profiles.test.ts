/** The rules of the profiles (policies/profiles.ts), where a policy is loaded and where a client is registered. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CLIENT_RULES,
  expectedByPolicyRule,
  POLICY_RULES,
  PROFILES,
  type Profile,
} from '../../../policies/profiles.ts';
import { policySchema } from '../../../policies/schema.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { readClientMetadata } from '../../../src/registration/client-metadata.ts';
import { testKey } from '../../support/client-keys.ts';

const POLICIES = new URL('../../../policies', import.meta.url).pathname;
const shipped = loadConfiguration(POLICIES, 'https://as.test');
const lifetimes = { ...shipped.policies.get('default'), authorizationCodeLifetimeSeconds: 60 };
const policyOf = (profile: Profile) => policySchema.parse({ ...lifetimes, profile });
const configuration = {
  ...shipped,
  policies: new Map([...shipped.policies, ...PROFILES.map((profile) => [profile, policyOf(profile)] as const)]),
};

const key = testKey();
const GOOD = {
  ...{ client_id: 'bank', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } },
  ...{ dpop_bound_access_tokens: true, id_token_signed_response_alg: 'ES256' },
  redirect_uris: ['https://bank.example/callback'],
};
function registered(policy: string, change: object = {}): string {
  const reading = readClientMetadata({ ...GOOD, policy, ...change }, configuration, false);
  return reading.ok
    ? 'ok'
    : reading.problems.map(({ key: at, found, allowed }) => `${at}: ${found} / ${allowed}`).join('\n');
}

describe.each(PROFILES)('the profile %s', (profile) => {
  it('accepts a client that keeps it, and a native one with a loopback address', () => {
    expect(registered(profile)).toBe('ok');
    const native = { application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'] };
    expect(registered(profile, native)).toBe('ok');
    expect(registered(profile, { authorization_signed_response_alg: 'ES256' })).toBe('ok');
  });

  it('accepts a client with tokens that are bound to its certificate', () => {
    const bound = { dpop_bound_access_tokens: false, tls_client_certificate_bound_access_tokens: true };
    expect(registered(profile, { ...bound, token_endpoint_auth_method: 'self_signed_tls_client_auth' })).toBe('ok');
  });

  const BROKEN: readonly (readonly [field: string, change: object])[] = [
    ['token_endpoint_auth_method', { token_endpoint_auth_method: 'none' }],
    ['token_endpoint_auth_method', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['token_endpoint_auth_method', { token_endpoint_auth_method: 'client_secret_post' }],
    ['dpop_bound_access_tokens', { dpop_bound_access_tokens: false }],
    ['id_token_signed_response_alg', { id_token_signed_response_alg: 'RS256' }],
    [
      'token_endpoint_auth_signing_alg',
      { jwks: { keys: [testKey('RS256').jwk] }, token_endpoint_auth_signing_alg: 'RS256' },
    ],
    ['request_object_signing_alg', { jwks: { keys: [testKey('RS256').jwk] }, request_object_signing_alg: 'RS256' }],
    ['authorization_signed_response_alg', { authorization_signed_response_alg: 'RS256' }],
    ['redirect_uris', { redirect_uris: ['https://bank.example/callback', 'http://127.0.0.1/callback'] }],
  ];

  it.each(BROKEN)('refuses %s: %j, and names the rule', (field, change) => {
    const rule = CLIENT_RULES.find((one) => one.field === field);
    const problems = registered(profile, change).split('\n');
    expect(problems.filter((line) => line.startsWith(`${field}: `))).toEqual([
      expect.stringContaining(`/ ${rule?.expected} (${rule?.spec}), under the policy "${profile}"`),
    ]);
    expect(registered('default', change)).toBe('ok');
  });

  it('has a case above for each rule that a client with keys can break', () => {
    const tried = new Set(BROKEN.map(([field]) => field));
    expect(CLIENT_RULES.map(({ field }) => field).filter((field) => !tried.has(field))).toEqual(['jwks']);
  });

  it.each(POLICY_RULES)('bounds $field at $most', (rule) => {
    const { field, most, spec } = rule;
    const more = most === false ? true : most + 1;
    const load = (value: number | boolean) => policySchema.safeParse({ ...lifetimes, profile, [field]: value });
    expect(load(most).success).toBe(true);
    const expected = most === false ? 'false' : `at most ${most}`;
    expect(JSON.stringify(load(more).error?.issues)).toContain(`${expected} (${spec})`);
    expect(policySchema.safeParse({ ...lifetimes, [field]: more }).success).toBe(true);
  });
});

describe('a policy file', () => {
  it('is refused with the line of the lifetime that its profile forbids', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-profile-'));
    await cp(POLICIES, folder, { recursive: true, filter: (path) => !/\.(ts|md|json)$|json-schema/.test(path) });
    const text = readFileSync(join(folder, 'default.policy.yaml'), 'utf8');
    const longer = text.replace(/authorizationCodeLifetimeSeconds: \d+/, 'authorizationCodeLifetimeSeconds: 61');
    writeFileSync(join(folder, 'bank.policy.yaml'), `${longer}\nprofile: fapi-2-security\n`);
    expect(() => loadConfiguration(folder, 'https://as.test')).toThrow(
      /bank\.policy\.yaml:\d+: authorizationCodeLifetimeSeconds.*at most 60 \(FAPI 2\.0 Security Profile §5\.3\.2\.1\).*found 61/s,
    );
  });
});

describe('docs/fapi.md', () => {
  it('has every rule, with its expected value and its section', () => {
    const page = readFileSync('docs/fapi.md', 'utf8');
    const rows = [
      ...POLICY_RULES.map((rule) => [rule.field, expectedByPolicyRule(rule), rule.spec]),
      ...CLIENT_RULES.map(({ field, expected, spec }) => [field, expected, spec]),
    ];
    for (const [field, expected, spec] of rows) expect(page).toContain(`| \`${field}\` | ${expected} | ${spec} |`);
  });
});

describe('the profile fapi-2-message-signing', () => {
  it('needs keys of a client that authenticates without them', () => {
    // Mutual TLS needs no jwks.
    expect(CLIENT_RULES.find(({ field }) => field === 'jwks')?.profiles).toEqual(['fapi-2-message-signing']);
  });
});
