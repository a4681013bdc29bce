/** resources.yaml: the keys that no file may set for this server's own resource. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';

it('the UserInfo Endpoint cannot be described again, with another text for consent', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-resources-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(new URL('../../../policies', import.meta.url).pathname, folder, { recursive: true });
  const resource = (identifier: string) => ({
    identifier,
    name: 'An API',
    default: true,
    scopes: [{ name: 'openid', description: 'do nothing' }],
  });
  const write = (identifier: string) =>
    writeFileSync(join(folder, 'resources.yaml'), JSON.stringify({ resources: [resource(identifier)] }));
  write('https://as.test/oauth/userinfo');
  expect(() => loadConfiguration(folder, 'https://as.test')).toThrow(
    /resources\.0\.identifier: Expected .*, found the UserInfo Endpoint/,
  );
  write('https://as.test/oauth/userinfo/');
  expect(loadConfiguration(folder, 'https://as.test').resources).toHaveLength(1);
});

it('the signing algorithm of a resource must be in signing-keys.yaml; the default is ES256', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-resources-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(new URL('../../../policies', import.meta.url).pathname, folder, { recursive: true });
  const write = (algorithm: string) =>
    writeFileSync(
      join(folder, 'resources.yaml'),
      `resources:
  - identifier: https://api.test
    name: An API
    default: true
    accessTokenSigningAlgorithm: ${algorithm}
    scopes: [{ name: read, description: read }]
`,
    );
  const load = () => loadConfiguration(folder, 'https://as.test');
  write('RS256');
  expect(load().resources[0]?.accessTokenSigningAlgorithm).toBe('RS256');
  write('EdDSA');
  expect(load).toThrow(
    /resources\.yaml:5: resources\.0\.accessTokenSigningAlgorithm: Expected "?ES256"? or "?RS256"? \(algorithms of signing-keys\.yaml\), found "EdDSA"/,
  );
  writeFileSync(
    join(folder, 'signing-keys.yaml'),
    'algorithms: [ES256, RS256, EdDSA]\npublishedBeforeSigningSeconds: 86400\nsigningLifetimeSeconds: 7776000\njwksMaxAgeSeconds: 300\n',
  );
  expect(load().resources[0]?.accessTokenSigningAlgorithm).toBe('EdDSA');
  write('RS265');
  expect(load).toThrow(/Did you mean "?RS256/);
  write('HS256');
  expect(load).toThrow(/accessTokenSigningAlgorithm: Expected .*ES256.*, found "HS256"/);
});
