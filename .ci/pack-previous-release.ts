/**
 * Packs a commit as the release before this one, which the tests in test/upgrade run beside the present version:
 *
 *   node .ci/pack-previous-release.ts COMMIT
 *
 * To be run when a version is released, with the commit that was released. The archive is kept in the repository, so that a clone
 * without its history has it too.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ARCHIVE, LEFT_OUT, PACKED, RECORD } from '../test/upgrade/previous-release.ts';

const root = join(import.meta.dirname, '..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 30 });

const [named] = process.argv.slice(2);
if (!named) throw new Error('Expected the commit that was released: node .ci/pack-previous-release.ts COMMIT');
const commit = git('rev-parse', '--verify', `${named}^{commit}`).toString().trim();
const { version } = JSON.parse(git('show', `${commit}:package.json`).toString());

writeFileSync(
  ARCHIVE,
  gzipSync(git('archive', '--format=tar', commit, '--', ...PACKED, `:(exclude)${LEFT_OUT}`), { level: 9 }),
);
writeFileSync(RECORD, `${JSON.stringify({ version, commit }, null, 2)}\n`);
process.stdout.write(`Packed ${version}, ${commit}.\n`);
