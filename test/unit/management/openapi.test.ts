/** The OpenAPI document: valid by the schema of OpenAPI 3.1, complete, and what the API answers fits it. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { openApiDocument } from '../../../src/management/openapi/document.ts';
import { type Method, scopesOf } from '../../../src/management/operations.ts';
import { RESOURCES } from '../../../src/management/resources/all.ts';
import { ISSUER } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

type Json = { readonly [key: string]: Json };

const document = JSON.parse(JSON.stringify(openApiDocument(ISSUER))) as Json;
/** https://spec.openapis.org/oas/3.1/schema/2022-10-07. Ajv takes its `#meta` for another one, so it gets the plain reference. */
const OPENAPI_SCHEMA = JSON.parse(
  readFileSync(new URL('../../support/openapi-3.1.schema.json', import.meta.url), 'utf8').replaceAll(
    '"$dynamicRef": "#meta"',
    '"$ref": "#/$defs/schema"',
  ),
) as object;

const operations = RESOURCES.flatMap(({ path, methods }) =>
  (Object.keys(methods) as Method[]).map((method): [Method, string] => [method, path === '/' ? '' : path]),
);
const operationAt = (method: Method, path: string): Json | undefined =>
  document['paths']?.[`/management/v1${path}`]?.[method.toLowerCase()];

function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref') yield member as string;
    else yield* refsIn(member);
  }
}

const resolved = (ref: string): unknown =>
  ref
    .replace('#/', '')
    .split('/')
    .reduce<Json | undefined>((place, name) => place?.[name], document);

describe('the OpenAPI document of the management API', () => {
  it('is the one of the docs', () => {
    const stored = readFileSync(new URL('../../../docs/management/openapi.json', import.meta.url), 'utf8');
    const { url } = (JSON.parse(stored) as { servers: [{ url: string }] }).servers[0];
    expect(`${JSON.stringify(openApiDocument(url), null, 2)}\n`).toBe(stored);
  });

  it('is valid by the schema of OpenAPI 3.1', () => {
    // `format` only informs readers in that schema.
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    const isValid = ajv.compile(OPENAPI_SCHEMA);
    isValid(document);
    expect(isValid.errors ?? []).toEqual([]);
    const { info: _, ...broken } = document;
    expect(isValid(broken)).toBe(false);
  });

  it('has schemas of draft 2020-12, and refers to existing ones', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'https://as.test/document', ...document });
    for (const name of Object.keys(document['components']?.['schemas'] ?? {})) {
      expect(ajv.validateSchema(document['components']?.['schemas']?.[name] ?? {}), name).toBe(true);
      expect(ajv.getSchema(`https://as.test/document#/components/schemas/${name}`), name).toBeDefined();
    }
    const refs = [...new Set(refsIn(document))];
    expect(refs.length).toBeGreaterThan(30);
    expect(refs.filter((ref) => resolved(ref) === undefined)).toEqual([]);
  });

  it('has every operation, each with a name of its own and with its scope', () => {
    const names = operations.map(([method, path]) => operationAt(method, path)?.['operationId'] as unknown as string);
    expect(names.filter((name) => !/^(get|list|create|replace|change|delete)[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(operations.length);
    expect(names).toEqual(
      expect.arrayContaining(['getApi', 'listClients', 'createClientSecret', 'listUserGrants', 'getMachinePicture']),
    );
    for (const { path, methods } of RESOURCES) {
      for (const method of Object.keys(methods) as Method[]) {
        const { security } = operationAt(method, path === '/' ? '' : path) ?? {};
        expect([path, method, security]).toEqual([path, method, [{ oauth2: scopesOf(path, method) }]]);
      }
    }
    const flows = document['components']?.['securitySchemes']?.['oauth2']?.['flows'];
    expect(flows?.['clientCredentials']?.['tokenUrl']).toBe(`${ISSUER}/oauth/token`);
    expect(Object.keys(flows?.['authorizationCode']?.['scopes'] ?? {})).toEqual(MANAGEMENT_SCOPE_NAMES);
  });

  it('describes each tag, and each operation has one of them', () => {
    const tags = document['tags'] as unknown as { readonly name: string; readonly description?: string }[];
    for (const { name, description } of tags)
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
    const names = tags.map(({ name }) => [name]);
    for (const [method, path] of operations) expect(names).toContainEqual(operationAt(method, path)?.['tags']);
  });

  it('bounds each text in a path or a query', () => {
    type Parameter = { readonly name: string; readonly in: string; readonly schema: Readonly<Record<string, unknown>> };
    const parameters = operations.flatMap(([method, path]) =>
      ((operationAt(method, path)?.['parameters'] ?? []) as unknown as Parameter[]).map((one) => ({ ...one, path })),
    );
    const isBounded = ({ type, enum: values, format, maxLength, pattern }: Parameter['schema']) =>
      type !== 'string' || values || format || maxLength || /\{(\d+,)?\d+\}\$$/.test(String(pattern));
    const unbounded = parameters.filter((one) => one.in !== 'header' && !isBounded(one.schema));
    expect(unbounded.map(({ name, path }) => `${name} of ${path}`)).toEqual([]);
    const cursor = parameters.find(({ name }) => name === 'cursor');
    expect(cursor?.schema).toEqual({ type: 'string', maxLength: 12_288, pattern: '^[A-Za-z0-9_-]+$' });
    const key = parameters.find(({ name }) => name === 'Idempotency-Key')?.schema['pattern'];
    for (const sent of ['a-key', '"a key"']) expect(sent).toMatch(new RegExp(String(key)));
    const links = document['components']?.['schemas']?.['Link']?.['properties']?.['href'];
    expect(links).toEqual({ type: 'string', format: 'uri' });
  });

  it('requires no member that has a default, and allows null for an omitted one', () => {
    expect(operationAt('GET', '/clients')?.['parameters']).toContainEqual({
      name: 'limit',
      in: 'query',
      description: 'The maximum number of items, 1 to 100.',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    });
    const sent = bodyOf('POST', '/clients', 'application/json');
    expect(sent?.['required']).toBeUndefined();
    expect(sent?.['additionalProperties']).toBe(false);
    // As it travels: a text, not a list.
    expect(sent?.['properties']?.['scope']).toMatchObject({ type: ['string', 'null'] });
    const shown = document['components']?.['schemas']?.['RegisteredClient'];
    const always = ['client_id', 'declared', 'registered_by', 'stored_secrets', 'created_at', '_links'];
    expect(shown?.['required']).toEqual(always);
    expect(shown?.['properties']?.['scope']).toMatchObject({ type: 'string' });
    expect(bodyOf('POST', '/users', 'application/json')?.['required']).toEqual(['username']);
    const patch = bodyOf('PATCH', '/users/{sub}', 'application/merge-patch+json');
    expect(patch?.['required']).toBeUndefined();
    expect(Object.keys(patch?.['properties'] ?? {})).toContain('password');
  });

  const bodyOf = (method: Method, path: string, type: string): Json | undefined =>
    operationAt(method, path)?.['requestBody']?.['content']?.[type]?.['schema'];
});

describe('each answer of the API', () => {
  let scene: Scene;
  let call: Caller;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withBot() });
    await makeBot(scene);
    await scene.chain();
    call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
  });
  afterAll(() => scene.close());

  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://as.test/document', ...document });

  it.each([
    ['POST', '/clients', '/clients', { client_name: 'Shop', redirect_uris: ['https://shop.example/'] }, 201],
    ['POST', '/clients', '/clients', { client_id: 'bot', redirect_uris: ['https://shop.example/'] }, 409],
    ['POST', '/clients', '/clients', { redirect_uri: 'https://shop.example/' }, 422],
    ['GET', '/clients', '/clients?limit=0', undefined, 400],
    ['GET', '/grants', '/grants', undefined, 200],
    ['GET', '/signing-keys', '/signing-keys', undefined, 200],
    ['GET', '/policies/{name}', '/policies/none', undefined, 404],
    ['PUT', '/clients/{client_id}', '/clients/bot', { redirect_uris: ['https://shop.example/'] }, 428],
    ['PATCH', '/clients/{client_id}', '/clients/bot', { client_name: 'Other' }, 428],
  ] as const)('matches the document: %s %s: %s', async (method, path, address, body, status) => {
    const answer = await call(method, address, body && { body });
    expect(answer.statusCode, answer.body).toBe(status);
    const at = operationAt(method, path)?.['responses']?.[status];
    const response = at?.['$ref'] ? (resolved(at['$ref'] as unknown as string) as Json) : at;
    const [type = ''] = String(answer.headers['content-type']).split(';');
    const schema = response?.['content']?.[type]?.['schema'];
    expect(schema).toBeDefined();
    const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://as.test/document#/')) as object;
    const fits = ajv.compile(inDocument);
    fits(answer.json());
    expect(fits.errors ?? []).toEqual([]);
    for (const name of Object.keys(response?.['headers'] ?? {})) {
      if (document['components']?.['headers']?.[name]?.['required'])
        expect(answer.headers, name).toHaveProperty(name.toLowerCase());
    }
  });
});
