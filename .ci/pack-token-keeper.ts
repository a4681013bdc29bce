/**
 * Packs docs/examples/token-keeper.ts and token-file.ts as an npm package of their own. `node .ci/pack-token-keeper.ts FOLDER` writes it to
 * FOLDER, which has to exist. Node runs no TypeScript below node_modules, so the package has JavaScript and types.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const sources = ['token-keeper', 'token-file'].map((name) => join(root, 'docs/examples', `${name}.ts`));
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;

const MANIFEST = {
  name: 'statehouse-token-keeper',
  version,
  description:
    'Keeps one chain of refresh tokens: one refresh for all callers, and one file with a lock for several processes.',
  license,
  type: 'module',
  engines: { node: '>=24' },
  files: ['*.js', '*.d.ts'],
  exports: {
    '.': { types: './token-keeper.d.ts', default: './token-keeper.js' },
    './file': { types: './token-file.d.ts', default: './token-file.js' },
  },
};

const README = `# statehouse-token-keeper

\`\`\`js
import { tokenKeeper } from 'statehouse-token-keeper';
import { tokenFile } from 'statehouse-token-keeper/file';

const keeper = tokenKeeper(tokenFile('/var/lib/agent/tokens'), refresh);
const accessToken = await keeper.accessToken();
\`\`\`

\`refresh\` presents a refresh token at the token endpoint. It returns \`{ accessToken, refreshToken, expiresAt }\`, or \`null\` after
\`invalid_grant\`. It throws after any other answer.
`;

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('Name the folder for the archive.');
const folder = mkdtempSync(join(tmpdir(), 'statehouse-token-keeper-'));
try {
  execFileSync(
    join(root, 'node_modules/.bin/tsc'),
    [
      ...sources,
      ...['--ignoreConfig', '--outDir', folder, '--declaration', '--rewriteRelativeImportExtensions', '--strict'],
      ...[
        '--target',
        'es2024',
        '--module',
        'nodenext',
        '--types',
        'node',
        '--typeRoots',
        join(root, 'node_modules/@types'),
      ],
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const types = join(folder, 'token-file.d.ts');
  // The compiler rewrites these in JavaScript alone.
  writeFileSync(types, readFileSync(types, 'utf8').replaceAll("'./token-keeper.ts'", "'./token-keeper.js'"));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), README);
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  execFileSync('npm', ['pack', '--pack-destination', resolve(target)], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'ignore'],
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
