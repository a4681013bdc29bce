/**
 * Writes src/guard/dist, which is what `npm pack --workspace src/guard` packs: Node runs no TypeScript below node_modules. With --remove:
 * removes it, since no file of it belongs into the repository.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const guard = join(root, 'src/guard');
const target = join(guard, 'dist');
const license = join(guard, 'LICENSE');
const manifest = join(guard, 'package.json');

/**
 * The frameworks of an API, in the packed manifest alone. In the manifest of the workspace, `npm ci --omit=dev` would install them for
 * the server.
 */
const FRAMEWORKS = { '@nestjs/common': '12', express: '4 || 5', hono: '4' };

type Manifest = {
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
};

function writePeers(isPacked: boolean): void {
  const content = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
  for (const [name, version] of Object.entries(FRAMEWORKS)) {
    delete content.peerDependencies[name];
    delete content.peerDependenciesMeta[name];
    if (!isPacked) continue;
    content.peerDependencies[name] = version;
    content.peerDependenciesMeta[name] = { optional: true };
  }
  writeFileSync(manifest, `${JSON.stringify(content, null, 2)}\n`);
}

const isRemoving = process.argv.includes('--remove');
rmSync(target, { recursive: true, force: true });
rmSync(license, { force: true });
writePeers(!isRemoving);
if (!isRemoving) {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['--project', join(guard, 'tsconfig.build.json')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const file of readdirSync(target).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(target, file), 'utf8');
    // The compiler rewrites these in JavaScript alone.
    writeFileSync(join(target, file), text.replaceAll(/((?:from |import\()(['"])\.\/[\w-]+)\.ts\2/g, '$1.js$2'));
  }
  copyFileSync(join(root, 'LICENSE'), license);
}
