/** claims.yaml: scopes, claims and tokens; an error gives file, line and the nearest name. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changesBetween } from '../../../src/config/changes.ts';
import { configurationWarnings } from '../../../src/config/configuration-warnings.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { RESERVED_CLAIMS } from '../../../src/oauth/claims.ts';
import { releasableClaims, releasedClaims } from '../../../src/protocol/released-claims.ts';

describe('claims.yaml', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-claims-'));
    cpSync(new URL('../../../policies', import.meta.url).pathname, folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const load = (text: string) => {
    writeFileSync(join(folder, 'claims.yaml'), text);
    return loadConfiguration(folder, 'https://as.test');
  };
  const scope = (fields: string) => `scopes:\n  - ${fields}\n`;
  const groups = (places: string, description = 'see your groups') =>
    scope(`name: groups\n    description: ${description}\n    claims:\n      - { name: groups, in: [${places}] }`);

  it('adds a scope with a text for consent, which needs openid', () => {
    const configuration = load(groups('userinfo, id_token'));
    expect(configuration.identity.scopes.at(-1)).toEqual({ name: 'groups', description: 'see your groups' });
    expect([...releasableClaims(configuration.claims, 'userinfo')]).toEqual([['groups', ['groups']]]);
    expect(releasableClaims(configuration.claims, 'access_token').size).toBe(0);
  });

  it('releases only the claims that the scope allows in the token, and that the end-user has', () => {
    const { claims } = load(
      `scopes:
  - name: read
    claims: [{ name: roles, in: [access_token] }, { name: constructor, in: [access_token] }]
`,
    );
    const known = { roles: ['buyer'], groups: ['staff'] };
    expect(releasedClaims(claims, 'access_token', ['read'], known)).toEqual({ roles: ['buyer'] });
    expect(releasedClaims(claims, 'access_token', ['write'], known)).toEqual({});
    expect(releasedClaims(claims, 'id_token', ['read'], known)).toEqual({});
    expect(releasedClaims(claims, 'access_token', ['read'], null)).toEqual({});
  });

  it('is compared key by key', () => {
    const changes = changesBetween(load(groups('userinfo')), load(groups('userinfo, id_token', 'see your teams')));
    expect(changes).toEqual([
      { key: 'claims.groups.claims.groups', from: 'userinfo', to: 'id_token userinfo' },
      { key: 'claims.groups.description', from: 'see your groups', to: 'see your teams' },
    ]);
  });

  it.each([
    [groups('access_token'), 'claims.yaml:5: scopes.0.claims.0.in.0: Expected userinfo or id_token: no resource has'],
    [scope('name: read\n    claims: [{ name: roles, in: [id_token] }]'), 'Expected access_token, or a description'],
    [
      scope('name: raed\n    claims: [{ name: roles, in: [access_token] }]'),
      'claims.yaml:2: scopes.0.name: Expected a description (for consent), or the name of a scope of resources.yaml or of OpenID Connect, found "raed" without a description. Did you mean "read"?',
    ],
    [
      scope('name: email\n    description: x\n    claims: [{ name: groups, in: [id_token] }]'),
      'scopes.0.description: Expected none: the words of this scope are fixed',
    ],
    [
      scope('name: offline_access\n    claims: [{ name: groups, in: [id_token] }]'),
      'Expected a scope that can ask for claims, found "offline_access"',
    ],
    [groups('id_tokne'), 'Did you mean "id_token"?'],
    [groups(''), 'at least 1'],
    [groups('id_token, id_token'), 'each place once'],
    [
      scope('name: groups\n    descripton: x\n    claims: [{ name: groups, in: [id_token] }]'),
      'Did you mean "description"?',
    ],
    [scope('name: profile\n    claims: [{ name: "my groups", in: [id_token] }]'), 'Expected a letter'],
    [`${groups('id_token')}${groups('userinfo').replace('scopes:\n', '')}`, 'each scope once'],
  ])('%j: %s', (text, words) => {
    expect(() => load(text)).toThrow(words);
  });

  it.each(RESERVED_CLAIMS)('cannot release %s, which has a meaning in tokens', (name) => {
    expect(() => load(scope(`name: profile\n    claims: [{ name: ${name}, in: [id_token] }]`))).toThrow(
      /scopes\.0\.claims\.0\.name: Expected/,
    );
  });

  it('may release standard claims in the ID Token', () => {
    const { claims } = load(scope('name: email\n    claims: [{ name: email, in: [id_token] }]'));
    expect(releasedClaims(claims, 'id_token', ['openid', 'email'], { email: 'a@b.c' })).toEqual({ email: 'a@b.c' });
  });

  describe('editableByUser', () => {
    const edits = (fields: string) => `scopes: []\neditableByUser:\n  - ${fields}\n`;

    it('lists standard and custom claims in the order of the page', () => {
      const { claims } = load(edits('name: name\n  - { name: team, label: Team, choices: [Red, Blue] }'));
      expect(claims.editableByUser).toEqual([
        { name: 'name' },
        { name: 'team', label: 'Team', choices: ['Red', 'Blue'] },
      ]);
      expect(load('scopes: []\n').claims.editableByUser).toBeUndefined();
    });

    it.each([
      [edits('name: email'), 'editableByUser.0.name: Expected one of name, given_name'],
      [edits('name: phone_number_verified'), 'editableByUser.0.name: Expected one of name, given_name'],
      [edits('{ name: groups, label: Groups }'), 'or a custom claim (not groups, roles, entitlements'],
      [edits('{ name: sub, label: The sub }'), 'editableByUser.0.name: Expected one of name, given_name'],
      [edits('name: team'), 'editableByUser.0.label: Expected for a custom claim 1 to 100'],
      [edits('{ name: name, label: Name }'), 'and for a standard claim none, found "Name"'],
      [edits('{ name: team, label: "" }'), '1 to 100 characters without control characters'],
      [edits('{ name: team, label: Team, choices: [] }'), 'at least 1'],
      [edits('{ name: team, label: Team, choices: [Red, Red] }'), 'each value once'],
      [edits('{ name: team, labl: Team }'), 'Did you mean "label"?'],
      [edits('name: name\n  - name: name'), 'each claim once'],
    ])('%j: %s', (text, words) => {
      expect(() => load(text)).toThrow(words);
    });

    it('is compared key by key', () => {
      expect(changesBetween(load(edits('name: name')), load(edits('name: nickname')))).toEqual([
        { key: 'editableByUser.0.name', from: 'name', to: 'nickname' },
      ]);
    });

    it('warns where an access token releases an editable claim', () => {
      const team = '{ name: team, label: Team }';
      const released = (place: string) =>
        edits(team).replace('scopes: []', scope(`name: read\n    claims: [{ name: team, in: [${place}] }]`).trim());
      const warned = (text: string) => configurationWarnings(load(text)).filter((one) => one.startsWith('claims.yaml'));
      expect(warned(released('access_token'))).toEqual([
        'claims.yaml: the scope "read" releases "team" in access tokens, and end-users edit it: no API may decide by it',
      ]);
      expect(warned(edits(team))).toEqual([]);
    });

    it('warns where end-users edit the claim that products take for the username', () => {
      const warned = (name: string) => configurationWarnings(load(edits(`name: ${name}`))).join('\n');
      expect(warned('preferred_username')).toContain('end-users edit "preferred_username"');
      expect(warned('nickname')).not.toContain('end-users edit');
    });
  });
});
