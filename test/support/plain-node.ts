/** Modules as Node alone loads them. Vitest's own loader takes more than Node does, such as any named import of a CommonJS module. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);

/** @param path from the root of the repository. */
export const loadedByNode = <Module>(path: string): Module => require(join(ROOT, path)) as Module;
