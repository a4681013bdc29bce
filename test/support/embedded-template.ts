/** Once per run: the embedded database, migrated. To load it takes a fraction of the time to make another. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { makeEmbeddedTemplate } from '../../src/storage/embedded-template.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A tar file with the data directory. */
    embeddedTemplate: string;
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-embedded-'));
  const file = join(folder, 'template.tar');
  writeFileSync(file, await (await makeEmbeddedTemplate()).bytes());
  project.provide('embeddedTemplate', file);
  return () => rmSync(folder, { recursive: true, force: true });
}
