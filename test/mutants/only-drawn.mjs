/**
 * Stryker's plugin for samples (sample.ts): a node that holds no drawn mutant is left as it is. The range of a drawn block would otherwise
 * ask every mutant within the block.
 */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Lines are counted from 1, columns from 0, as Babel counts them. */
const drawn = JSON.parse(process.env.MUTANTS_DRAWN ?? '[]');

const isBefore = (a, b) => a.line < b.line || (a.line === b.line && a.column <= b.column);

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'only-drawn', {
    shouldIgnore({ node: { loc } }) {
      if (!loc || drawn.some(({ start, end }) => isBefore(loc.start, start) && isBefore(end, loc.end)))
        return undefined;
      return 'No mutant of the sample is here.';
    },
  }),
];
