/**
 * Makes loading the program cheap (docs/performance.md). Plain JavaScript: it comes before anything else.
 */
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/** In the installation itself: an account that can write there can change the program too. Without write access, no cache. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

/**
 * Of what loading makes, most stays. V8 would let the young generation grow to 64 MB for it, and a server at rest would keep them.
 * Once it serves, src/boot/young-generation.ts lets it grow.
 */
if (process.argv[2] === 'start') setFlagsFromString('--semi-space-growth-factor=1');

const PACKAGE = 'drizzle-orm';
const INSIDE = `/node_modules/${PACKAGE}/`;

/** V8 keeps what it compiled, and Node keeps the TypeScript without its types. */
enableCompileCache(process.env['NODE_COMPILE_CACHE'] ?? COMPILED);

/**
 * The `exports` of drizzle-orm are 170 KB, and Node 24 reads and parses them again for each of the package's modules: more than a
 * hundred times, a third of a second and 150 MB. Its ES modules import each other by file name.
 */
const known = new Map();
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '', conditions } = context;
    if (!conditions.includes('import')) return next(specifier, context);
    if (/^\..*\.js$/.test(specifier) && parentURL.includes(INSIDE)) {
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    }
    if (specifier !== PACKAGE && !specifier.startsWith(`${PACKAGE}/`)) return next(specifier, context);
    const found = known.get(specifier) ?? next(specifier, context);
    known.set(specifier, found);
    return { ...found, shortCircuit: true };
  },
});
