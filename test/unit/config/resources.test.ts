/** resources.yaml: what no file may say of the one resource that is this server's own. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';

it('the UserInfo Endpoint cannot be described again, with other words for consent', () => {
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
