/**
 * The examples of the guides are the files that the tests run. A block between the markers is the file that it names; after changing a file:
 * npx vitest run test/docs/examples-in-docs.test.ts --update
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { loadConfiguration } from '../../src/config/load.ts';
import { REFUSALS } from '../../src/oauth/refusals.ts';
import { readDeclaredClients } from '../../src/registration/declared-clients.ts';
import { loadedByNode } from '../support/plain-node.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const DOCS = join(ROOT, 'docs');
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
const guides = readdirSync(DOCS).filter((file) => file.endsWith('.md'));

/** Another test follows it, block by block: adding-a-lifecycle.test.ts. */
const FOLLOWED = 'adding-a-lifecycle.md';
/** .ci/generated-clients compiles its blocks and runs them. */
const GENERATED = 'management.md';
/** Node runs no decorators; snippets-as-javascript.test.ts compiles it. */
const DECORATED = 'guarded-nest.ts';
const MARKED = /<!-- example: (examples\/[\w.-]+\.ts) -->[\s\S]*?<!-- \/example -->/g;
const block = (path: string) => `<!-- example: ${path} -->\n\`\`\`ts\n${read('docs', path)}\`\`\`\n<!-- /example -->`;

describe('the code of the guides', () => {
  it.each(guides)('%s shows its examples verbatim', async (guide) => {
    const filled = read('docs', guide).replaceAll(MARKED, (_, path: string) => block(path));
    await expect(filled).toMatchFileSnapshot(join(DOCS, guide));
  });

  it('shows every example, and no other TypeScript', () => {
    const text = guides.map((guide) => read('docs', guide)).join('\n');
    const shown = [...text.matchAll(MARKED)].map(([, path]) => path);
    expect(shown.toSorted()).toEqual(
      readdirSync(join(DOCS, 'examples'))
        .map((file) => `examples/${file}`)
        .toSorted(),
    );
    const others = guides
      .filter((guide) => guide !== FOLLOWED && guide !== GENERATED)
      .map((guide) => read('docs', guide));
    expect(others.join('\n').replaceAll(MARKED, '')).not.toMatch(/```(ts|js|typescript|javascript)\b/);
  });

  it.each(readdirSync(join(DOCS, 'examples')).filter((file) => file !== DECORATED))(
    'examples/%s runs on Node alone',
    (file) => {
      expect(Object.keys(loadedByNode<object>(`docs/examples/${file}`))).not.toEqual([]);
    },
  );

  it('needs a compiler for decorators alone', () => {
    expect(() => loadedByNode<object>(`docs/examples/${DECORATED}`)).toThrow(SyntaxError);
  });

  it('names the tested versions', () => {
    const { devDependencies, dependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const text = guides.map((guide) => read('docs', guide)).join('\n');
    const installs = [...text.matchAll(/^`npm install ([^`]+)` \(([\d., ]+)\)$/gm)];
    expect(installs.length).toBeGreaterThan(4);
    for (const [line, names = '', versions = ''] of installs) {
      const tested = names.split(' ').map((name) => ({ ...dependencies, ...devDependencies })[name]);
      expect(tested.map((one) => one?.replace(/\.\d+$/, '')).join(', '), line).toBe(versions);
    }
  });
});

describe('the guides', () => {
  const policyGuide = read('docs', 'changing-a-policy.md');

  it.each([
    ['policy', 'default.policy.yaml', 'changing-a-policy.md'],
    ['sign-in', 'sign-in.yaml', 'changing-a-policy.md'],
    ['signing-keys', 'signing-keys.yaml', 'signing-keys.md'],
  ])('name every key of the %s schema with its bounds and its %s', (name, file, guide) => {
    const schema = JSON.parse(read('policies', 'json-schema', `${name}.schema.json`)) as {
      properties: Record<string, { type: string; minimum: number; maximum: number; enum?: readonly string[] }>;
    };
    const shipped = parse(read('policies', file)) as Record<string, number | string>;
    for (const [key, { type, minimum, maximum, enum: values }] of Object.entries(schema.properties)) {
      if (type === 'array') continue;
      if (type === 'object') {
        expect(read('docs', guide)).toContain(`| \`${key}\` | `);
        continue;
      }
      const bounds = values?.join(', ') ?? (type === 'boolean' ? 'true or false' : `${minimum} to ${maximum}`);
      const absent = type === 'boolean' ? false : 'absent';
      expect(read('docs', guide)).toContain(`| \`${key}\` | ${bounds} | ${shipped[key] ?? absent} |`);
    }
  });

  it('declare clients, claims and resources that the server accepts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-guide-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(join(ROOT, 'policies'), folder, { recursive: true });
    const yamlOf = (guide: string) =>
      /```yaml\n([\s\S]*?)```/.exec(read('docs', guide).replaceAll(/^ {3}/gm, ''))?.[1] ?? '';
    const blocks = [...policyGuide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    for (const file of ['clients', 'claims']) {
      writeFileSync(join(folder, `${file}.yaml`), blocks.find((text) => text.includes(`/${file}.schema.json`)) ?? '');
    }
    writeFileSync(join(folder, 'resources.yaml'), yamlOf('protecting-an-api.md'));
    const configuration = loadConfiguration(folder, 'https://as.test');
    const env = { PHOTO_BOOK_SECRET: 'a secret, long enough to need no warning' };
    const declared = readDeclaredClients(configuration, env, folder, false);
    expect(declared.map((one) => one.metadata.clientId)).toEqual(['photo-book', 'nightly-job', 'photo-page']);
    expect(declared.flatMap((one) => one.warnings)).toEqual([]);
    expect(configuration.claims.scopes.map(({ name }) => name)).toEqual(['groups', 'email', 'read']);
  });

  it('list every error of the token endpoint with its status', () => {
    const guide = read('docs', 'connecting-a-client.md');
    for (const { error, status } of Object.values(REFUSALS)) expect(guide).toContain(`| ${status} | \`${error}\` |`);
  });

  it('explain every reason for the end of a grant', () => {
    const guide = read('docs', 'deploying.md');
    const { reasons } = endings();
    expect(reasons.length).toBeGreaterThan(5);
    for (const reason of reasons) expect(guide).toContain(`| \`revoked\` | \`${reason}\` |`);
  });
});

/** The reasons that the view `grant_states` can show: those that are written, and those that epochs mean. */
function endings(): { reasons: string[] } {
  const vocabulary = /type RevocationReason =([\s\S]*?);/.exec(read('machines', 'grant', 'facts.ts'))?.[1] ?? '';
  const written = [...vocabulary.matchAll(/'(\w+)'/g)].map(([, one = '']) => one);
  const derived = [...read('drizzle', '0000_baseline.sql').matchAll(/THEN '(\w+_(?:ended|raised))'/g)];
  return { reasons: [...written, ...derived.map(([, one = '']) => one)] };
}
