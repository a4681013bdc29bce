/** Presets of upstreams.yaml: two keys are enough, and the keys beside them come first. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PRESET_NAMES, PRESETS } from '../../../policies/upstream-presets.ts';
import { upstreamsSchema } from '../../../policies/upstreams-schema.ts';

const parsed = (said: Readonly<Record<string, unknown>>) => upstreamsSchema.safeParse({ upstreams: [said] });
const upstream = (said: Readonly<Record<string, unknown>>) => parsed(said).data?.upstreams[0];
const problems = (said: Readonly<Record<string, unknown>>) =>
  parsed(said).error?.issues.map(({ path }) => path.slice(2).join('.')) ?? [];
const WITHOUT_ISSUER = PRESET_NAMES.filter((name) => PRESETS[name].issuer === undefined);

describe('a preset', () => {
  it.each(PRESET_NAMES.filter((name) => !WITHOUT_ISSUER.includes(name)))('%s needs a client_id alone', (preset) => {
    const { label, issuer } = PRESETS[preset];
    expect(upstream({ preset, client_id: 'a-client' })).toMatchObject({
      name: preset,
      label,
      issuer,
      client_secret_environment: `${preset.toUpperCase()}_CLIENT_SECRET`,
      createUsers: false,
      admit: {},
    });
  });

  it.each(WITHOUT_ISSUER)('%s needs the issuer of the customer', (preset) => {
    expect(problems({ preset, client_id: 'a-client' })).toEqual(['issuer']);
    const issuer = 'https://login.customer.example';
    expect(upstream({ preset, client_id: 'a-client', issuer })).toMatchObject({ issuer, name: preset });
  });

  it('gives way to each key beside it', () => {
    const said = {
      name: 'work',
      label: 'Work',
      issuer: 'https://github.work.example',
      client_secret_environment: 'WORK_SECRET',
      token_endpoint_auth_method: 'client_secret_basic',
      usernameClaim: 'email',
      authTime: 'required',
    };
    expect(upstream({ preset: 'github', client_id: 'a-client', ...said })).toMatchObject(said);
  });

  it('has no secret where the client has no authentication', () => {
    const none = { preset: 'google', client_id: 'a-client', token_endpoint_auth_method: 'none' };
    expect(upstream(none)).not.toHaveProperty('client_secret_environment');
    expect(problems({ ...none, client_secret_environment: 'A_SECRET' })).toEqual(['client_secret_environment']);
  });

  it.each(['Google', 'goog', 'google ', '', 'facebook'])('is not found under the name %j', (preset) => {
    expect(problems({ preset, client_id: 'a-client' })).toContain('preset');
  });
});

describe('an upstream without a preset', () => {
  const WHOLE = {
    name: 'company',
    label: 'Company',
    issuer: 'https://login.example.com',
    client_id: 'statehouse',
    client_secret_environment: 'COMPANY_SECRET',
  };

  it('has the defaults of the file', () => {
    expect(upstream(WHOLE)).toMatchObject({
      token_endpoint_auth_method: 'client_secret_basic',
      scope: ['openid', 'profile', 'email'],
      usernameClaim: 'preferred_username',
      authTime: 'required',
    });
  });

  it.each(['name', 'label', 'issuer', 'client_id', 'client_secret_environment'])('needs %s', (key) => {
    expect(problems({ ...WHOLE, [key]: undefined })).toEqual([key]);
  });

  it.each([
    ['profile', ['scope']],
    ['openid2 profile', ['scope']],
    ['openid', []],
    ['profile openid', []],
  ])('asks for the scope %j: %j', (scope, expected) => {
    expect(problems({ ...WHOLE, scope })).toEqual(expected);
  });
});

it('GitHub may be asked without openid, and Google may not', () => {
  expect(problems({ preset: 'github', client_id: 'a-client', scope: 'read:user' })).toEqual([]);
  expect(problems({ preset: 'google', client_id: 'a-client', scope: 'profile' })).toEqual(['scope']);
});

it('the guide names each preset, and which of them need an issuer', () => {
  const guide = readFileSync(new URL('../../../docs/upstream-sign-in.md', import.meta.url), 'utf8');
  const [, section = ''] = /## Common providers\n([\s\S]*?)\n## /.exec(guide) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` \| ([^|]*)\|/gm)].map(([, name, needs = '']) => [name, needs]);
  expect(rows.map(([name]) => name)).toEqual(['preset', ...PRESET_NAMES]);
  const needIssuer = rows.filter(([, needs]) => needs?.startsWith('`issuer: ')).map(([name]) => name);
  expect(needIssuer).toEqual(WITHOUT_ISSUER);
});
