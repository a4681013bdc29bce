/** `npm run test:times` runs every test, and writes how long each file took. On a machine that does nothing else. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { SECONDS, SLOW_SECONDS, TIMES } from './slowest-first.ts';

const ROOT = join(import.meta.dirname, '../..');

export default class TimesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const ran = modules.map((module) => {
      // Some files do their work while they are loaded.
      const { collectDuration, duration } = module.diagnostic();
      return [relative(ROOT, module.moduleId), Math.round((collectDuration + duration) / 1000)] as const;
    });
    // A suite that was left out keeps its time.
    const all = Object.entries({ ...SECONDS, ...Object.fromEntries(ran) })
      .filter(([file, seconds]) => seconds >= SLOW_SECONDS && existsSync(join(ROOT, file)))
      .sort(([, one], [, other]) => other - one);
    writeFileSync(TIMES, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
  }
}
