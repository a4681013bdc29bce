/** The bill of materials names every package that `npm ci --omit=dev` installs, and none beside them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<
    Record<string, { name?: string; version: string; dev?: boolean; link?: boolean; integrity?: string }>
  >;
};
const installed = Object.entries(packages)
  // A package of this repository has two entries: its folder, and the link to it.
  .filter(([path, { dev, link }]) => !['', 'src/guard'].includes(path) && !dev && !link)
  .map(([path, { name, version }]) => {
    const published = name ?? path.replace(/^.*node_modules\//, '');
    return `pkg:npm/${published.replace('@', '%40')}@${version}`;
  });
const expected = [...new Set(installed)].toSorted();

const bill = (format: string) =>
  JSON.parse(execFileSync(process.execPath, ['.ci/sbom.ts', format], { cwd: ROOT, encoding: 'utf8' }));

it('in CycloneDX', () => {
  const { metadata, components } = bill('cyclonedx') as {
    metadata: { component: { name: string } };
    components: readonly { purl: string; hashes?: readonly object[] }[];
  };
  expect(expected.length).toBeGreaterThan(100);
  expect(metadata.component.name).toBe('statehouse');
  expect([...new Set(components.map(({ purl }) => purl))].toSorted()).toEqual(expected);
  // Of this repository.
  const unhashed = components.filter(({ hashes = [] }) => hashes.length === 0);
  expect(unhashed.map(({ purl }) => purl)).toEqual([expect.stringContaining('pkg:npm/postgres@')]);
});

it('in SPDX', () => {
  type Reference = { referenceType: string; referenceLocator: string };
  const { packages } = bill('spdx') as { packages: readonly { name: string; externalRefs?: readonly Reference[] }[] };
  const purls = packages
    .filter(({ name }) => name !== 'statehouse')
    .flatMap(({ externalRefs = [] }) => externalRefs.filter(({ referenceType }) => referenceType === 'purl'))
    .map(({ referenceLocator }) => referenceLocator);
  expect([...new Set(purls)].toSorted()).toEqual(expected);
});
