/**
 * A lifecycle is two folders and its faces: hardly any other file names it. Shown for the recovery code, the link in an e-mail
 * and the trusted browser; the annotations of this test list the files for each lifecycle.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { RUNNING, type RunningName } from '../../../machines/running.ts';
import { kebab } from '../../../src/review/drawing/names.ts';

const MOST = 8;

/** Made from the lists by `npm run machines:build` and `npm run generate:schemas`; the name is not written there by hand. */
const GENERATED = /^(drizzle\/triggers\.sql|machines\/README\.md|machines\/diagrams\/|policies\/json-schema\/)/;
/**
 * The faces of a lifecycle, where people read its name. These are pages with the use cases behind them, endpoints of the management API
 * and their commands, and the formats of an import.
 */
const FACES =
  /^src\/(http|people|console|cli|management\/(resources\/|operations\.ts)|registration\/(sources\/|import|placed))/;

const FILES = ['machines', 'policies', 'src', 'drizzle/*.sql']
  .flatMap((place) => globSync(place.includes('*') ? place : `${place}/**/*.{ts,js,mjs,yaml,md,sql,json,css}`))
  .filter((file) => !GENERATED.test(file) && !FACES.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** In any style: recovery-code, recoveryCode, recovery_code, RECOVERY_CODE, RecoveryCodes. */
const inAnyStyle = (id: string): RegExp => new RegExp(kebab(id).replaceAll('-', '[-_]?').replace(/y$/, '(y|ies)'), 'i');

/** A word such as "client" is used for much else, so of one word these are the names of the lifecycle. */
const ofOneWord = (id: string): RegExp =>
  new RegExp(
    `\\b${id}(Machine|Lifecycle|Table|Store|Effects|Guards)\\b|/${id}/(machine|lifecycle|table|entity|facts)\\.ts`,
  );

/** Of several lifecycles that are walked together, the walk stands beside one. */
function isOfItsWalk(id: string, file: string): boolean {
  const walk = FILES.find(({ file: one }) => /\/walk\/walk\.ts$/.test(one) && dirname(one) === dirname(file));
  return walk !== undefined && new RegExp(`machines: \\[[^\\]]*'${id}'`).test(walk.text);
}

const namersOf = (id: RunningName): readonly string[] => {
  const name = kebab(id).includes('-') ? inAnyStyle(id) : ofOneWord(id);
  const own = [`machines/${kebab(id)}/`, `src/lifecycles/${kebab(id)}/`];
  return FILES.filter(({ file, text }) => name.test(text) || name.test(file))
    .map(({ file }) => file)
    .filter((file) => !own.some((folder) => file.startsWith(folder)) && !isOfItsWalk(id, file));
};

test.for(Object.keys(RUNNING) as RunningName[])('the files that name %s', async (id, { annotate }) => {
  const files = namersOf(id);
  await annotate(`${files.length}: ${files.join(', ')}`);
  expect(files).toContain('machines/running.ts');
});

test.each(['recoveryCode', 'emailChallenge', 'trustedBrowser', 'signInCode', 'operatorSetUp'] as const)(
  'few files name %s',
  (id) => {
    const files = namersOf(id);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(MOST);
  },
);
