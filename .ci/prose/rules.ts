/** The rules for prose: one of textlint's own, and three that come from docs/glossary.md. */
import { createRequire } from 'node:module';
import type { TextlintKernelRule } from '@textlint/kernel';
import { OLD_WORDS, PHRASES, type Substitution } from './glossary.ts';

type Rule = Extract<TextlintKernelRule['rule'], (...given: never[]) => unknown>;

/** Reports each match in text, and none in code or links. */
const substitutions =
  (all: readonly Substitution[]): Rule =>
  ({ Syntax, RuleError, locator, report, getSource }) => ({
    [Syntax.Str]: (node) => {
      const text = getSource(node);
      for (const { pattern, write } of all) {
        for (const { 0: found, index } of text.matchAll(pattern)) {
          const padding = locator.range([index, index + found.length]);
          report(node, new RuleError(`write "${write}" instead of "${found.replaceAll(/\s+/g, ' ')}"`, { padding }));
        }
      }
    },
  });

/** A statement that has a clause as its subject: "What is stored has …". A question may begin so. */
const CLAUSE = /(?<=^|[.!?:]\s+)(?:what|who|whoever|whatever|whose)\b[^.!?]*(?:[.!]|$)/gi;

const nounSubject: Rule = ({ Syntax, RuleError, locator, report, getSource }) => {
  const look = (node: Parameters<typeof getSource>[0] & Parameters<typeof report>[0]) => {
    for (const { 0: found, index } of getSource(node).matchAll(CLAUSE)) {
      const [first] = found.split(/\s/);
      const padding = locator.range([index, index + found.length]);
      report(node, new RuleError(`begin with a noun instead of "${first} …"`, { padding }));
    }
  };
  return { [Syntax.Paragraph]: look, [Syntax.Header]: look };
};

/** Of one sentence; a link counts by its text. */
const MAX_CHARACTERS = 150;

// A package in CommonJS, without types.
const require = createRequire(import.meta.url);
const { default: sentenceLength } = require('textlint-rule-sentence-length') as { readonly default: Rule };

export const RULES = [
  { ruleId: 'old-word', rule: substitutions(OLD_WORDS) },
  { ruleId: 'phrase', rule: substitutions(PHRASES) },
  { ruleId: 'noun-subject', rule: nounSubject },
  { ruleId: 'sentence-length', rule: sentenceLength, options: { max: MAX_CHARACTERS } },
] satisfies readonly TextlintKernelRule[];
