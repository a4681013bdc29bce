/** operators.yaml: the administrators; an error gives file, line and the nearest name. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changesBetween } from '../../../src/config/changes.ts';
import { loadConfiguration } from '../../../src/config/load.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;

describe('operators.yaml', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-operators-'));
    cpSync(SHIPPED, folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const load = (text: string, issuer = 'https://as.test') => {
    writeFileSync(join(folder, 'operators.yaml'), text);
    return loadConfiguration(folder, issuer);
  };

  it('names no administrator where it is omitted', () => {
    expect(loadConfiguration(SHIPPED, 'https://as.test').operators).toEqual({
      operators: [],
      auditors: [],
      clients: [],
    });
  });

  it('names operators and auditors by username, and clients with their scopes', () => {
    const text = `operators: [alice]
clients:
  - client_id: deploy-bot
    scope: clients:read  clients:write clients:read
`;
    expect(load(text).operators).toEqual({
      operators: ['alice'],
      auditors: [],
      clients: [{ client_id: 'deploy-bot', scope: ['clients:read', 'clients:write'] }],
    });
  });

  it.each([
    [
      'operators: [alice, bob, Alice]',
      'operators.yaml:1: operators.2: Expected each username once, as an operator or as an auditor, found "Alice" a second time (first in line 1).',
    ],
    ['operators: [rene\u0301]\nauditors:\n  - ren\u00e9', 'operators.yaml:3: auditors.0: Expected each username once'],
    [
      'operators: ["  "]',
      'operators.0: Expected a username: 1 to 256 characters without control characters, not only spaces',
    ],
    ['operators: [17]', 'operators.0: Expected a username'],
    ['operators: ["a\\u202eb"]', 'operators.0: Expected a username'],
    [
      'operater: [alice]',
      'operators.yaml:1: operater: Expected one of operators, auditors, clients, found an unknown key. Did you mean "operators"?',
    ],
    ['operators: alice', 'operators: Expected a list, found "alice"'],
    [
      'clients: [{ client_id: bot }]',
      'clients.0.scope: Expected scopes of the management API, separated by spaces, found nothing',
    ],
    ['clients: [{ client_id: bot, scope: "" }]', 'clients.0.scope: Expected scopes of the management API'],
    [
      'clients: [{ client_id: bot, scope: "clients:read \\"" }]',
      'clients.0.scope: Expected scopes of the management API',
    ],
    [
      'clients: [{ client_id: "b\\u00e9", scope: clients:read }]',
      'clients.0.client_id: Expected 1 to 255 characters of %x20-7E',
    ],
    [
      'clients:\n  - client_id: bot\n    scope: clients:read client:wrote',
      'operators.yaml:3: clients.0.scope: Expected scopes of the management API: "clients:read", "clients:write", ',
    ],
    [
      'clients:\n  - client_id: bot\n    scope: clients:read client:wrote',
      'found "client:wrote". Did you mean "clients:write"?',
    ],
    ['clients: [{ client_id: bot, scope: read }]', 'found "read".'],
    [
      'clients: [{ client_id: b, scope: keys:read }, { client_id: b, scope: keys:read }]',
      'clients.1.client_id: Expected each client_id once',
    ],
    [
      'clients: [{ client_id: b, scope: keys:read, secret: x }]',
      'Expected one of client_id, scope, found an unknown key',
    ],
    [
      `operators: [${Array.from({ length: 1001 }, (_, at) => `u${at}`).join()}]`,
      'operators: Expected at most 1000 entries',
    ],
    ['', 'operators.yaml: Expected an object'],
  ])('%j: %s', (text, words) => {
    expect(() => load(text)).toThrow(words);
  });

  it('is a candidate for the nearest name of an unknown file', () => {
    rmSync(join(folder, 'operators.yaml'));
    writeFileSync(join(folder, 'operator.yaml'), '');
    expect(() => loadConfiguration(folder, 'https://as.test')).toThrow(
      /signing-keys\.yaml, operators\.yaml, limits\.yaml, ledger\.yaml, branding\.yaml, mails\.yaml, clients\.yaml/,
    );
    rmSync(join(folder, 'operator.yaml'));
  });

  it('is compared by name', () => {
    const before = load('operators: [alice, carol]\nclients: [{ client_id: bot, scope: keys:read }]');
    const after = load(
      'operators: [alice]\nauditors: [Carol, bob]\nclients: [{ client_id: bot, scope: keys:read keys:rotate }]',
    );
    expect(changesBetween(before, before)).toEqual([]);
    expect(changesBetween(before, after)).toEqual([
      { key: 'operators.clients.bot', from: 'keys:read', to: 'keys:read keys:rotate' },
      { key: 'operators.users.bob', from: null, to: 'auditor' },
      { key: 'operators.users.carol', from: 'operator', to: 'auditor' },
    ]);
  });
});

describe('the management API', () => {
  it('is a resource under the issuer, a path included', () => {
    const { management } = loadConfiguration(SHIPPED, 'https://as.test/tenant');
    expect(management.identifier).toBe('https://as.test/tenant/management/v1');
    expect(management.scopes.map(({ name }) => name)).toContain('clients:write');
  });

  it('is rejected in resources.yaml', () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-operators-'));
    cpSync(SHIPPED, folder, { recursive: true });
    const text = (identifier: string) => `resources:
  - identifier: ${identifier}
    name: Own
    default: true
    scopes: [{ name: clients:read, description: see clients }]
`;
    writeFileSync(join(folder, 'resources.yaml'), text('https://as.test/management/v1'));
    expect(() => loadConfiguration(folder, 'https://as.test')).toThrow(
      'resources.yaml:2: resources.0.identifier: Expected the identifier of an API (operators.yaml says who may use the management API, which needs no entry), found the management API of this server.',
    );
    // At other addresses it is a resource like any other.
    expect(loadConfiguration(folder, 'https://other.test').resources).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });
});
