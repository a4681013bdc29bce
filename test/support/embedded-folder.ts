/** In a fresh folder a database is made first, which takes longer than all else that a test asks of it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** @param home where `openEmbedded` finds a migrated, empty database then; a server's is `.statehouse` in the folder that it runs in. */
export function giveDatabase(home: string): void {
  const into = join(home, 'database');
  mkdirSync(into, { recursive: true, mode: 0o700 });
  execFileSync('tar', ['-xf', inject('embeddedTemplate'), '-C', into], { stdio: 'ignore' });
}
