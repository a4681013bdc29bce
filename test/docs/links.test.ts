/** Links between the Markdown files of the repository lead to a file and a heading, and the files that their text names exist. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const FILES = globSync('{*,{docs,examples,machines,policies,src,test,drizzle,.ci,.github}/**/*}.md', {
  exclude: ['**/node_modules/**'],
});

const withoutBlocks = (text: string): string => text.replaceAll(/^ *(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\1 *$/gm, '');

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');

function anchorsIn(text: string): ReadonlySet<string> {
  const times = new Map<string, number>();
  const headings = [...withoutBlocks(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = '']) => {
    const anchor = anchorOf(heading);
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name = '']) => name);
  return new Set([...headings, ...named]);
}

const linksIn = (text: string): readonly string[] =>
  [
    ...withoutBlocks(text)
      .replaceAll(/`[^`\n]*\]\([^`\n]*`/g, '')
      .matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));

/** The beginning of machines/README.md, from which its links lead. */
const folderOf = (file: string): string =>
  file === 'src/review/drawing/machines-readme.md' ? 'machines' : dirname(file);

/** @returns null for a link that leads somewhere. */
function problemOf(file: string, link: string): string | null {
  const [path = '', anchor] = decodeURI(link).split('#');
  const target = path === '' ? file : normalize(join(folderOf(file), path));
  if (!existsSync(target)) return `${file}: ${link}: no such file`;
  if (anchor === undefined || statSync(target).isDirectory() || !target.endsWith('.md')) return null;
  return anchorsIn(readFileSync(target, 'utf8')).has(anchor) ? null : `${file}: ${link}: no such heading`;
}

/** Decisions describe the past; an example names the folders of a deployment, and a guide makes the files of a voucher. */
const ELSEWHERE =
  /^(examples\/|docs\/adding-a-lifecycle\.md|CHANGELOG\.md|docs\/decisions\/|test\/mutants\/report\.md|docs\/performance\.md)/;
const NAMED_FILE =
  /`((?:src|machines|policies|test|docs|drizzle|examples|\.ci)\/[\w./-]+\.(?:ts|js|md|yaml|sql|json|svg))`/g;

describe('links of Markdown files', () => {
  it('are found', () => {
    expect(FILES).toContain('README.md');
    expect(linksIn('[one](a.md#b) and [`two`](../c/)\n```\n[three](no.md)\n```\n[four](https://example.com)')).toEqual([
      'a.md#b',
      '../c/',
    ]);
    expect([...anchorsIn('## When it *works*: `a b`\n## Same\n## Same')]).toEqual([
      'when-it-works-a-b',
      'same',
      'same-1',
    ]);
  });

  it.each(FILES)('have a target: %s', (file) => {
    const links = linksIn(readFileSync(file, 'utf8'));
    expect(links.map((link) => problemOf(file, link)).filter((problem) => problem !== null)).toEqual([]);
  });

  it.each(FILES.filter((file) => !ELSEWHERE.test(file)))(
    'have beside them only names of files that exist: %s',
    (file) => {
      const named = [...withoutBlocks(readFileSync(file, 'utf8')).matchAll(NAMED_FILE)].map(([, path = '']) => path);
      expect(named.filter((path) => !existsSync(path) && !existsSync(join(dirname(file), path)))).toEqual([]);
    },
  );
});
