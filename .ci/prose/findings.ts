/** The findings of the rules in a file. textlint runs the rules. */
import { createRequire } from 'node:module';
import { TextlintKernel, type TextlintKernelPlugin } from '@textlint/kernel';
import { RULES } from './rules.ts';
import { textsOf } from './texts.ts';

export type Finding = { readonly file: string; readonly line: number; readonly rule: string; readonly message: string };

// A package in CommonJS, which loaders import in different ways.
const require = createRequire(import.meta.url);
const { default: markdown } = require('@textlint/textlint-plugin-markdown') as {
  readonly default: TextlintKernelPlugin['plugin'];
};

const kernel = new TextlintKernel();
const OPTIONS = { ext: '.md', plugins: [{ pluginId: 'markdown', plugin: markdown }], rules: [...RULES] };

export async function findingsIn(file: string, source: string): Promise<readonly Finding[]> {
  // One text for textlint, and for each of its lines the line of the file.
  const lines = textsOf(file, source).flatMap(({ text, line }) => [
    ...text.split('\n').map((words, index) => ({ words, line: line + index })),
    { words: '', line },
  ]);
  const { messages } = await kernel.lintText(lines.map(({ words }) => words).join('\n'), {
    ...OPTIONS,
    filePath: file,
  });
  return messages.map(({ ruleId, message, loc }) => ({
    file,
    line: lines[loc.start.line - 1]?.line ?? 1,
    rule: ruleId,
    // It begins with a line of the text that textlint was given.
    message: message.replace(/^Line \d+ /, '').replace(/\n[\s\S]*/, ''),
  }));
}
