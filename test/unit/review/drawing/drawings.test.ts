/** Every part of a machine is in its pictures, and a machine that differs has pictures that differ. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { and, createMachine, not, or, setup } from 'xstate';
import { readMachine } from '../../../../src/catalogue/read.ts';
import { MACHINES } from '../../../../src/catalogue/running.ts';
import { INVARIANTS } from '../../../../src/lifecycles/grant/walk/invariants.ts';
import { drawingOfAll } from '../../../../src/review/drawing/formats.ts';
import { machinePages } from '../../../../src/review/drawing/machines-readme.ts';
import { mermaidOf } from '../../../../src/review/drawing/mermaid.ts';
import type { Numbers } from '../../../../src/review/drawing/policy-numbers.ts';
import { shippedNumbers } from '../../../../src/review/drawing/shipped-numbers.ts';
import { jsonOf } from '../../../../src/review/drawing/stately-json.ts';
import { svgOf } from '../../../../src/review/drawing/svg.ts';
import { tableOf } from '../../../../src/review/drawing/table.ts';
import { asJson, guardWords } from '../../catalogue/written.ts';
import { type Config, type Subject, subjects } from '../../machines/catalogue.ts';
import { type Mutant, mutantsOf } from '../../machines/mutants.ts';
import { NUMBERS } from './numbers.ts';
import { allIn, type Element, readXml, textOf } from './xml.ts';

const mutants = new Map(subjects.map((subject) => [subject, mutantsOf(subject)]));
const allMutantsOf = (subject: Subject): readonly Mutant[] => mutants.get(subject) ?? [];
/** Every seventy-first: a handful of each kind and machine. */
const someMutantsOf = (subject: Subject): readonly Mutant[] =>
  allMutantsOf(subject).filter((_, index) => index % 71 === 0);
const DRAWN: readonly (readonly [string, Config])[] = subjects.flatMap((subject) => [
  [subject.name, subject.config] as const,
  ...someMutantsOf(subject)
    .filter(({ kind }) => kind !== 'written as code')
    .map(({ kind, what, config }) => [`${subject.name}, ${kind}: ${what}`, config] as const),
]);

const pictures = new Map<Config, Promise<string>>();
/** Made once: a picture takes longer than all that is asked about it. */
function pictureOf(config: Config): Promise<string> {
  const picture = pictures.get(config) ?? svgOf(readMachine(config), NUMBERS);
  pictures.set(config, picture);
  return picture;
}

/** The text of an arm, as XState has read it: not by the reader that the drawings use. */
type Said = {
  readonly state: string;
  readonly event: string;
  readonly place: number;
  readonly of: number;
  readonly arm: {
    readonly guard: string | undefined;
    readonly target: string | undefined;
    readonly effects: readonly string[];
    readonly description: string | undefined;
    readonly spec: string | undefined;
  };
};
const saidIn = (config: Config): readonly Said[] =>
  Object.entries(createMachine(config as unknown as Parameters<typeof createMachine>[0]).states).flatMap(
    ([state, { on }]) =>
      Object.entries(on)
        .filter(([event]) => !event.startsWith('xstate.'))
        .flatMap(([event, arms]) =>
          arms.map(({ guard, target, actions, description, meta }, index) => ({
            state,
            event,
            place: index + 1,
            of: arms.length,
            arm: {
              guard: guardWords(guard) as string | undefined,
              target: target?.[0]?.key,
              effects: actions.map(effectWords),
              description,
              spec: meta?.['spec'],
            },
          })),
        ),
  );
function effectWords(action: unknown): string {
  if (typeof action === 'string') return action;
  const { type, params = {} } = action as { type: string; params?: object };
  return [type, ...Object.values(params)].join(' ');
}
const leads = ({ state, arm }: Said): boolean => arm.target !== undefined && arm.target !== state;

/** Of the element: its texts, in their order. */
const textsIn = (element: Element): readonly string[] =>
  allIn(element)
    .filter(({ name }) => name === 'text')
    .map(textOf);
const withClass = (picture: Element, name: string): readonly Element[] =>
  allIn(picture).filter((one) => (one.attributes.get('class') ?? '').split(' ')[0] === name);

/** Events, and the rows that stand under them; a row begins with a place, or with what only a row begins with. */
type Section = { readonly events: string[]; readonly rows: string[][] };
function sectionsOf(block: Element): readonly Section[] {
  const sections: Section[] = [];
  let inHeading = false;
  for (const line of block.children.filter((child) => typeof child !== 'string' && child.name === 'g') as Element[]) {
    const texts = textsIn(line);
    const [first] = allIn(line).filter(({ name }) => name === 'text');
    const kind = first?.attributes.get('class');
    if (kind === 'event') {
      if (!inHeading) sections.push({ events: [], rows: [] });
      sections.at(-1)?.events.push(...texts.flatMap((text) => text.split(/, ?/)).filter(Boolean));
    } else {
      const rows = sections.at(-1)?.rows;
      const begins = texts.length > 1 || kind === 'place' || kind === 'guard' || rows?.length === 0;
      if (begins) rows?.push([...texts]);
      else rows?.at(-1)?.push(...texts);
    }
    inHeading = kind === 'event';
  }
  return sections;
}

describe.each(DRAWN)('%s', (_, config) => {
  const said = saidIn(config);

  it('is complete in SVG', async () => {
    const picture = readXml(await pictureOf(config));
    const boxes = withClass(picture, 'state');
    const cards = withClass(picture, 'card');
    const boxOf = (name: string) => boxes.filter((box) => textsIn(box)[0] === name);
    for (const [name, state] of Object.entries(config.states)) {
      expect(boxOf(name), name).toHaveLength(1);
      const words = boxOf(name).flatMap(textsIn).join(' ');
      expect(words).toContain(state.description);
      expect(words).toContain(state.meta?.spec ?? '');
    }
    for (const one of said) {
      const sections = (leads(one) ? cards : boxOf(one.state)).flatMap(sectionsOf);
      const wanted = [one.arm.guard ?? [], one.arm.effects.join(', ') || 'no effect', one.arm.spec || []].flat();
      const found = sections.filter(({ events, rows }) => {
        const index = events.indexOf(one.event);
        // Another row may contain the same and more.
        const said = rows.filter((texts) =>
          wanted.every((words) => texts.some((text) => text.split('; ')[0] === words)),
        );
        return said.some(([first = '']) => {
          const places = /^[\d/]+$/.test(first) ? first.split('/') : [];
          // Without a number no event of the row has another arm.
          const place = places.length === 0 ? one.of === 1 : (places[index] ?? places[0]) === String(one.place);
          return index >= 0 && place;
        });
      });
      expect(found.length, `${one.state}.${one.event}[${one.place}]: ${wanted.join(' | ')}`).toBeGreaterThan(0);
      if (one.arm.description) expect(allIn(picture).map(textOf)).toContain(one.arm.description);
    }
    // As many arrows as there are pairs of states with a way from one to the other.
    const pairs = new Set(said.filter(leads).map(({ state, arm }) => `${state} ${arm.target}`));
    expect(withClass(picture, 'arrow')).toHaveLength(pairs.size);
  });

  it('is complete in Mermaid', () => {
    const lines = mermaidOf(readMachine(config), NUMBERS)
      .replaceAll(/#(\d+);/g, (_code, sign: string) => String.fromCodePoint(Number(sign)))
      .split(/\n|<br\/>/);
    for (const [name, state] of Object.entries(config.states)) {
      expect(lines).toContain(`  state "${name}" as ${name}`);
      if (state.meta?.spec) expect(lines).toContain(`  ${name} : ${state.meta.spec}`);
    }
    expect(lines).toContain(`  [*] --> ${config.initial}`);
    for (const one of said) {
      const effects = one.arm.effects.join(', ') || 'no effect';
      const found = lines.filter((line) => {
        const [, events = '', place = '', rest = ''] =
          /^ *(?:\w+ --> \w+ : )?([\w, ]+) \[([\d/]*) ?[\w ]+\] \/ (.*)$/.exec(line) ?? [];
        const index = events.split(', ').indexOf(one.event);
        const places = place.split('/');
        return (
          index >= 0 &&
          (place === '' ? one.of === 1 : (places[index] ?? places[0]) === String(one.place)) &&
          line.includes(`${one.arm.guard ?? (one.place === one.of && one.of > 1 ? 'otherwise' : 'always')}] / `) &&
          (rest === effects || rest.startsWith(`${effects} (`)) &&
          rest.includes(one.arm.spec ?? '')
        );
      });
      expect(found.length, `${one.state}.${one.event}[${one.place}]`).toBeGreaterThan(0);
    }
  });

  it('is complete, and in order, in the table', () => {
    const rows = tableOf(readMachine(config), NUMBERS)
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split(' | '));
    expect(rows).toHaveLength(said.length);
    said.forEach((one, index) => {
      const [event, asked, guard, next, effects, , because, reference] = rows[index] ?? [];
      expect(event).toBe(`| \`${one.event}\``);
      expect(asked).toBe(`${one.place} of ${one.of}`);
      expect(guard?.split('<br>')[0]).toBe(
        one.arm.guard ? `\`${one.arm.guard}\`` : one.place === one.of && one.of > 1 ? 'otherwise' : 'always',
      );
      expect(next).toBe(leads(one) ? `\`${one.arm.target}\`` : 'stays');
      expect(effects?.split('<br>')[0]).toBe(one.arm.effects.map((words) => `\`${words}\``).join(', ') || 'none');
      expect(because).toBe(one.arm.description ?? '');
      expect(reference).toBe(`${one.arm.spec ?? ''} |`);
    });
  });

  it('is the same machine in JSON', () => {
    const document = JSON.parse(jsonOf(readMachine(config), NUMBERS));
    // XState takes it as it is: this throws for a target that is not there.
    expect(Object.keys(createMachine(document).states)).toEqual(Object.keys(config.states));
    // The numbers of the policy are added, if need be under a `meta` of their own.
    const isNumber = (key: string, value: unknown) =>
      key === 'policy' || (key === 'meta' && Object.keys(Object(value)).join() === 'policy');
    const withoutNumbers = JSON.parse(
      JSON.stringify(document, (key, value) => (isNumber(key, value) ? undefined : value)),
    );
    expect(withoutNumbers).toEqual(asJson(config));
  });
});

describe.each(subjects)('any possible change of $name', (subject) => {
  const original = subject.machine;

  it('is visible in table and JSON, and in Mermaid unless it is only reported', () => {
    const [table, json, mermaid] = [
      tableOf(original, NUMBERS),
      jsonOf(original, NUMBERS),
      mermaidOf(original, NUMBERS),
    ];
    for (const { what, config } of allMutantsOf(subject)) {
      const machine = readMachine(config);
      expect(tableOf(machine, NUMBERS), what).not.toBe(table);
      expect(jsonOf(machine, NUMBERS), what).not.toBe(json);
      if (!what.endsWith('without its description')) expect(mermaidOf(machine, NUMBERS), what).not.toBe(mermaid);
    }
  });

  it('is visible in the picture', async () => {
    const picture = await pictureOf(subject.config);
    for (const { what, config } of someMutantsOf(subject)) {
      expect(await pictureOf(config), what).not.toBe(picture);
    }
  });

  it('is shown as code where it is code', async () => {
    for (const { what, config } of allMutantsOf(subject)
      .filter((one) => /an inline (guard|action)/.test(one.what))
      .slice(0, 2)) {
      for (const text of [
        await svgOf(readMachine(config), NUMBERS),
        mermaidOf(readMachine(config), NUMBERS),
        tableOf(readMachine(config), NUMBERS),
        jsonOf(readMachine(config), NUMBERS),
      ]) {
        expect(text, what).toContain('(inline code)');
      }
    }
  });
});

describe('the numbers', () => {
  const SAYS: Readonly<Record<string, readonly string[]>> = {
    authorizationCode: ['77 s after the approval', 'access token for 11 min'],
    refreshToken: ['after 13 days idle, 117 days at most', 'access token for 11 min'],
    grant: [],
    session: ['after 5 h', 'after 37 min without use'],
    interaction: ['19 min after the request', 'a session lasts 5 h', 'for 77 s'],
    signingKey: [
      'after 41 days, the next one published for 3 days',
      'after 41 days',
      '3 days 1 min before its 41 days end',
      'published for 3 days',
      'published for 3 days first',
      // The longest token, a poll and the margin of clocks: src/config/key-lifetimes.ts.
      'after 1 h 5 min 10 s',
    ],
  };

  it.each(subjects)('of the policy are at the arms of $name', async ({ name, config }) => {
    const picture = readXml(await pictureOf(config));
    const numbers = [...withClass(picture, 'state'), ...withClass(picture, 'card')].flatMap((block) =>
      withClass(block, 'number').map(textOf),
    );
    expect([...new Set(numbers)].sort()).toEqual([...(SAYS[name] ?? [])].sort());
    for (const words of SAYS[name] ?? []) {
      expect(mermaidOf(readMachine(config), NUMBERS)).toContain(words);
      expect(tableOf(readMachine(config), NUMBERS)).toContain(words);
      expect(jsonOf(readMachine(config), NUMBERS)).toContain(`"policy": "${words}"`);
    }
  });

  it('follow the policy', async () => {
    const other: Numbers = { ...NUMBERS, policy: { ...NUMBERS.policy, refreshIdleLifetimeSeconds: 7200 } };
    const machine = readMachine(MACHINES.get('refreshToken')?.written);
    expect(await svgOf(machine, other)).toContain('after 2 h idle, 117 days at most');
    expect(await svgOf(machine, other)).not.toContain('13 days');
  });
});

describe('a picture fits a screen of 1280 × 800', () => {
  const sizeOf = (svg: string) => {
    const [, ...sizes] = /^<svg [^>]*?width="(\d+)" height="(\d+)" viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
    const [width = 0, height = 0, drawnWidth = 0, drawnHeight = 0] = sizes.map(Number);
    return { width, height, across: width / drawnWidth, down: height / drawnHeight };
  };

  it.each([...MACHINES])('%s, and its texts are readable', async (_, machine) => {
    for (const numbers of [NUMBERS, shippedNumbers()]) {
      const { width, height, across } = sizeOf(await svgOf(machine, numbers));
      expect(width).toBeLessThanOrEqual(1280);
      expect(height).toBeLessThanOrEqual(800);
      // 11 px at least 9.5 px high.
      expect(across).toBeGreaterThan(0.88);
    }
  });

  it.each([5, 12])('of any size, in its proportions: %i states', async (count) => {
    const states = Array.from({ length: count }, (_, index) => `state${index}`);
    const arms = Array.from({ length: 20 }, (_, index) => ({ guard: `guard${index}`, actions: 'reject' }));
    const on = (index: number) => ({ presented: [...arms, { target: states[index + 1] ?? states[0] }] });
    const machine = readMachine({
      initial: states[0],
      states: Object.fromEntries(states.map((name, index) => [name, { on: on(index) }])),
    });
    const { width, height, across, down } = sizeOf(await svgOf(machine, NUMBERS));
    expect(width).toBeLessThanOrEqual(1280);
    expect(height).toBeLessThanOrEqual(800);
    expect(across).toBeLessThan(1);
    expect(Math.abs(across - down)).toBeLessThan(0.003);
  });
});

describe('a compound guard', () => {
  const { config } = setup({
    types: { events: {} as { type: 'presented' } },
    guards: {
      expired: () => true,
      byAnotherClient: () => true,
      olderThan: (_, { days }: { days: number }) => days > 1,
    },
  }).createMachine({
    id: 'composed',
    initial: 'active',
    states: {
      active: {
        on: {
          presented: [
            { guard: and(['byAnotherClient', not('expired')]), target: 'used' },
            { guard: or([and(['byAnotherClient', 'expired']), { type: 'olderThan', params: { days: 30 } }]) },
            {},
          ],
        },
      },
      used: {},
    },
  });
  const machine = readMachine(config);
  const GUARDS = ['byAnotherClient and not expired', '(byAnotherClient and expired) or olderThan(30)'];

  it.each(GUARDS)('reads "%s" in picture, Mermaid, table and JSON', async (words) => {
    const picture = readXml(await svgOf(machine, NUMBERS));
    expect([...withClass(picture, 'state'), ...withClass(picture, 'card')].flatMap(textsIn)).toContain(words);
    expect(mermaidOf(machine, NUMBERS)).toContain(`${words}] / `);
    expect(tableOf(machine, NUMBERS)).toMatch(
      new RegExp(`\\| (\`|<code>)${words.replaceAll(/[()]/g, '\\$&')}(\`|</code>) \\|`),
    );
    expect(JSON.parse(jsonOf(machine, NUMBERS)).states.active.on.presented).toContainEqual(
      expect.objectContaining({ guard: words }),
    );
  });

  it('is the same when its JSON is drawn', async () => {
    const again = readMachine(JSON.parse(jsonOf(machine, NUMBERS)));
    expect(await svgOf(again, NUMBERS)).toBe(await svgOf(machine, NUMBERS));
    expect(tableOf(again, NUMBERS)).toBe(tableOf(machine, NUMBERS));
  });
});

describe('a machine with more than states', () => {
  it('shows it', async () => {
    const { written } = MACHINES.get('grant') ?? {};
    const machine = readMachine({ ...(written as object), on: { expired: { target: '.revoked' } } });
    expect(machine.also).toBe('on: {"expired":{"target":".revoked"}}');
    expect(allIn(readXml(await svgOf(machine, NUMBERS))).map(textOf)).toContain(machine.also);
    expect(mermaidOf(machine, NUMBERS)).toContain('  accDescr: on#58; #123;#34;expired');
    expect(tableOf(machine, NUMBERS)).toMatch(/^on: \{"expired"/);
  });
});

describe('a hostile machine', () => {
  const EVIL = `</text><script>alert(1)</script>"'&#x41;<!-- ]]> | \` -->\u0000\u001b\ud800\ufffe\n end note;%%{init}%%`;
  const config = {
    id: EVIL,
    initial: EVIL,
    states: {
      [EVIL]: {
        description: EVIL,
        meta: { spec: EVIL },
        [`x${EVIL}`]: EVIL,
        on: {
          [EVIL]: [
            {
              guard: EVIL,
              target: 'end',
              actions: [{ type: EVIL, params: { reason: EVIL } }, 'constructor'],
              description: EVIL,
              meta: { spec: EVIL },
            },
            { guard: '__proto__', description: EVIL, meta: { spec: EVIL }, reenter: EVIL },
          ],
        },
      },
      end: { on: {} },
      constructor: { on: { toString: 'nowhere' } },
    },
  };
  const machine = readMachine(config);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot have.
  const shown = EVIL.toWellFormed().replaceAll(/[\u0000\u001b\ufffe]/g, '\ufffd');

  it('is well-formed SVG that runs no script and fetches nothing', async () => {
    for (const svg of [
      await svgOf(machine, NUMBERS),
      await drawingOfAll(
        new Map([
          ['a', machine],
          ['b', machine],
        ]),
        'svg',
        NUMBERS,
      ),
    ]) {
      const picture = readXml(svg);
      const elements = allIn(picture);
      const known = ['svg', 'title', 'style', 'g', 'rect', 'path', 'circle', 'text'];
      expect(elements.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
      expect(
        elements.flatMap(({ attributes }) => [...attributes.keys()]).filter((key) => /^on|href|^style$/i.test(key)),
      ).toEqual([]);
      for (const style of elements.filter(({ name }) => name === 'style').map(textOf)) {
        expect(style).not.toMatch(/url|@import|expression/);
      }
      expect(elements.filter(({ name }) => name === 'text').map(textOf)).toContain(shown);
    }
  });

  it('cannot leave its line in Mermaid', () => {
    const lines = mermaidOf(machine, NUMBERS).trimEnd().split('\n');
    const shapes = [
      /^stateDiagram-v2$/,
      /^ {2}state "[^"<>;]*(?:#\d+;[^"<>;]*)*" as (?:state\d+|[a-z][A-Za-z]*)$/,
      /^ {2}\[\*\] --> \w+$/,
      /^ {2}\w+ : (?:[^"<>;#{}%`|]|#\d+;)*$/,
      /^ {2}\w+ --> \w+ : (?:[^"<>;#{}%`|]|#\d+;|<br\/>)*$/,
      /^ {2}note right of \w+$/,
      /^ {4}(?:[^"<>;#{}%`|]|#\d+;)*$/,
      /^ {2}end note$/,
    ];
    for (const line of lines)
      expect(
        shapes.some((shape) => shape.test(line)),
        line,
      ).toBe(true);
    expect(lines.filter((line) => line.includes('as end'))).toEqual([]);
    expect(lines.filter((line) => line.trim() === 'end note')).toHaveLength(
      lines.filter((line) => line.includes('note right of')).length,
    );
  });

  it('cannot leave its cell in the table', () => {
    const rows = tableOf(machine, NUMBERS)
      .split('\n')
      .filter((line) => line.startsWith('|'));
    for (const row of rows) expect(row.match(/\|/g), row).toHaveLength(9);
    expect(tableOf(machine, NUMBERS)).not.toMatch(/<(?!br>|\/?code>)/);
  });

  it('is kept verbatim in JSON', () => {
    expect(JSON.parse(jsonOf(machine, NUMBERS))).toEqual(JSON.parse(JSON.stringify(config)));
  });
});

test('a picture is the same however often it is drawn, by itself or beside others', async () => {
  for (const machine of MACHINES.values()) expect(await svgOf(machine, NUMBERS)).toBe(await svgOf(machine, NUMBERS));
  const [first, second] = await Promise.all([
    drawingOfAll(MACHINES, 'svg', NUMBERS),
    drawingOfAll(MACHINES, 'svg', NUMBERS),
  ]);
  expect(first).toBe(second);
});

test('machines/README.md and its pictures match the machines, and name every invariant', async () => {
  const pages = await machinePages();
  const stored = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
  for (const { path, text } of pages) expect(stored(path) === text, path).toBe(true);
  const readme = pages.find(({ path }) => path === 'machines/README.md')?.text ?? '';
  for (const { says } of INVARIANTS) expect(readme).toContain(says);
  // The words of the wire stand beside the reason: src/oauth/refusals.ts.
  expect(readme).toMatch(/\| `reject scope_exceeds_grant` \| `invalid_scope` \(400\) \|/);
  expect(readme).toMatch(
    /\| `revokeGrant refreshTokenReused`, `reject refresh_token_reused` \| `invalid_grant` \(400\) \|/,
  );
  expect([...MACHINES.keys()].sort()).toEqual(subjects.map(({ name }) => name).sort());
});
