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

rmSync(target, { recursive: true, force: true });
rmSync(license, { force: true });
if (!process.argv.includes('--remove')) {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['--project', join(guard, 'tsconfig.build.json')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const file of readdirSync(target).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(target, file), 'utf8');
    // The compiler rewrites these in JavaScript alone.
    writeFileSync(join(target, file), text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
  copyFileSync(join(root, 'LICENSE'), license);
}
