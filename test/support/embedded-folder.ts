/** A server in a fresh folder makes its database first, which takes longer than all else that a test asks of it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Puts a migrated, empty database where a server that runs in `folder` looks for its embedded database. */
export function giveDatabase(folder: string): void {
  const into = join(folder, '.statehouse/database');
  mkdirSync(into, { recursive: true, mode: 0o700 });
  execFileSync('tar', ['-xf', inject('embeddedTemplate'), '-C', into], { stdio: 'ignore' });
}
