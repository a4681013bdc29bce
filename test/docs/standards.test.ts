/** docs/standards.json: every section of a standard that code, machines or documentation cite stands there, with its title. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MACHINES } from '../../src/catalogue/running.ts';
import { invariantsAbout } from '../../src/review/proof/prove.ts';

type Standard = {
  readonly title: string;
  readonly url: string;
  readonly alsoCitedAs?: readonly string[];
  /** From the number of a section to its title, as its document has it. */
  readonly sections: Readonly<Record<string, string>>;
  /** Each MUST for this server, in short, and the test that fails where the server breaks it. */
  readonly musts?: readonly {
    readonly section: string;
    readonly says: string;
    readonly file: string;
    readonly test: string;
  }[];
  /** Cited, and not compared with the document yet. */
  readonly sectionsWithoutTitle?: readonly string[];
};

const STANDARDS: Readonly<Record<string, Standard>> = JSON.parse(readFileSync('docs/standards.json', 'utf8'));

const NAMES = new Map(
  Object.entries(STANDARDS).flatMap(([name, { alsoCitedAs = [] }]) => [name, ...alsoCitedAs].map((as) => [as, name])),
);

const SECTION = '§[0-9A-Z][0-9A-Z.]*(?<!\\.)';
const names = [...NAMES.keys()]
  .toSorted((one, other) => other.length - one.length)
  .map((name) => name.replaceAll('.', '\\.'));
const CITATION = new RegExp(
  `(?<![\\w-])(?<document>RFC \\d+|${names.join('|')}) (?<sections>${SECTION}(?:(?:, | and |; )${SECTION})*)`,
  'g',
);

type Cited = { readonly document: string; readonly section: string };

const citedIn = (text: string): readonly Cited[] =>
  [...text.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ').matchAll(CITATION)].flatMap(({ groups }) =>
    [...(groups?.['sections'] ?? '').matchAll(new RegExp(SECTION, 'g'))].map(([section]) => ({
      document: NAMES.get(groups?.['document'] ?? '') ?? groups?.['document'] ?? '',
      section: section.slice(1),
    })),
  );

const sectionsOf = ({ sections, sectionsWithoutTitle = [] }: Standard): readonly string[] => [
  ...Object.keys(sections),
  ...sectionsWithoutTitle,
];

const isListed = ({ document, section }: Cited): boolean => {
  const standard = STANDARDS[document];
  return standard !== undefined && sectionsOf(standard).includes(section);
};

const TEXTS = globSync(['*.md', '{machines,src,policies,docs}/**/*.{ts,js,md}'], {
  exclude: ['**/node_modules/**', 'src/management/scalar/**'],
}).map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** Of machines and of what the proof holds of them. */
const SPECS = [...MACHINES.values()].flatMap(({ name, states }) => {
  const arms = states.flatMap((state) => [state, ...state.arms]);
  return [...arms, ...invariantsAbout(name)].map(({ spec }) => spec ?? '').filter((spec) => spec !== '');
});

describe('docs/standards.json', () => {
  it('has every section that is cited', () => {
    const unlisted = TEXTS.flatMap(({ file, text }) =>
      citedIn(text)
        .filter((cited) => !isListed(cited))
        .map(({ document, section }) => `${file}: ${document} §${section}`),
    );
    expect(unlisted).toEqual([]);
  });

  it('has no section that nothing cites, and none twice', () => {
    const cited = new Set(TEXTS.flatMap(({ text }) => citedIn(text)).map((one) => `${one.document} §${one.section}`));
    const listed = Object.entries(STANDARDS).flatMap(([name, standard]) =>
      sectionsOf(standard).map((section) => `${name} §${section}`),
    );
    expect(listed.filter((one) => !cited.has(one))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('has no standard that nothing names', () => {
    const all = TEXTS.map(({ text }) => text).join('\n');
    const named = ([name, { alsoCitedAs = [] }]: [string, Standard]) =>
      [name, ...alsoCitedAs].some((as) => all.includes(as));
    expect(Object.entries(STANDARDS).filter((entry) => !named(entry))).toEqual([]);
  });

  it('names a test for each MUST of RFC 8705, in a section that it lists', () => {
    const musts = Object.values(STANDARDS).flatMap(({ musts = [], ...standard }) =>
      musts.map((must) => ({ ...must, isListed: sectionsOf(standard).includes(must.section) })),
    );
    expect(STANDARDS['RFC 8705']?.musts?.length).toBeGreaterThan(0);
    const wrong = musts.filter(
      ({ isListed, says, file, test }) =>
        !isListed || says === '' || !readFileSync(file, 'utf8').includes(`it('${test}'`),
    );
    expect(wrong).toEqual([]);
  });

  it('gives each standard a title and an address, and each section a title', () => {
    for (const [name, { title, url, sections }] of Object.entries(STANDARDS)) {
      expect(title, name).not.toBe('');
      expect(URL.canParse(url), url).toBe(true);
      expect(Object.values(sections), name).not.toContain('');
    }
  });
});

describe('meta.spec', () => {
  it('is there', () => expect(SPECS.length).toBeGreaterThan(100));

  it.each([...new Set(SPECS)])('cites a standard in docs/standards.json, or a page: %s', (spec) => {
    const rest = spec.replaceAll(CITATION, '').replaceAll(/[,;]|\s/g, '');
    const isPage = /^docs\/[a-z-]+\.md$/.test(spec) && existsSync(spec);
    const whole = rest === '' || isPage || [...NAMES.keys()].some((name) => name.replaceAll(' ', '') === rest);
    expect(whole, `"${rest}" is no citation`).toBe(true);
    expect(citedIn(spec).filter((cited) => !isListed(cited))).toEqual([]);
  });
});
