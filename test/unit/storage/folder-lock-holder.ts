/** A process of its own that locks the given folder, reports it, and holds it until it is ended. */
import { lockFolder } from '../../../src/storage/folder-lock.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: folder-lock-holder.ts FOLDER');
try {
  lockFolder(folder);
  process.stdout.write('locked\n');
  process.stdin.resume();
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.name : error}\n`);
}
