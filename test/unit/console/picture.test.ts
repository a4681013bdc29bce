/** Numbers on the pictures of all machines: each state and each arm that leads to another state has its place. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MACHINES } from '../../../src/catalogue/running.ts';
import { armKey, type MachineNumbers, numbersOf, stateKey } from '../../../src/console/numbers.ts';
import { withNumbers } from '../../../src/console/picture.ts';
import { kebab } from '../../../src/review/drawing/names.ts';

const pictureOf = (name: string) =>
  readFileSync(new URL(`../../../machines/diagrams/${kebab(name)}.svg`, import.meta.url), 'utf8');

describe.each([...MACHINES])('%s', (name, machine) => {
  const edges = machine.states.flatMap(({ arms }) => arms.filter(({ state, to }) => state !== to));
  const numbers: MachineNumbers = {
    name,
    exact: true,
    states: machine.states.map((state, index) => ({ name: state.name, rows: 1000 + index })),
    arms: edges.map(({ state, event, to }) => ({ from: state, event, to, reason: null, last_5_minutes: 7 })),
  };
  const { markup, styles } = withNumbers(
    pictureOf(name),
    numbers,
    (from, events, to) => `/lines?${new URLSearchParams({ from, events: events.join(' '), to })}`,
  );
  const keys = [...markup.matchAll(/data-number="([^"]*)"/g)].flatMap(([, all = '']) => all.split('|'));

  it('has a number on each state', () => {
    for (const [index, { name: state }] of machine.states.entries()) {
      expect(keys).toContain(stateKey(name, state));
      expect(markup).toContain(`>${(1000 + index).toLocaleString('en-GB')}</text>`);
    }
  });

  it('has a number and a link for each arm that leads to another state, and no invented number', () => {
    const wanted = edges.map(({ state, event, to }) => armKey(name, { from: state, event, to }));
    expect(new Set(keys.filter((key) => key.includes(' arm ')))).toEqual(new Set(wanted));
    // The events of the stream have the same names.
    expect(Object.keys(numbersOf([numbers])).toSorted()).toEqual([...new Set(keys)].toSorted());
  });

  it('is a part of the page: its rules apply to it alone, are allowed by their hash, and its links are named', () => {
    expect(styles).toHaveLength(1);
    expect(markup).toContain('<style>.picture{');
    expect(markup).toContain('role="group"');
    const ids = [...markup.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, labels = ''] of markup.matchAll(/<a [^>]*aria-labelledby="([^"]*)"/g)) {
      for (const label of labels.split(' ')) expect(ids).toContain(label);
    }
  });
});

it('an element without a counter gets no number', () => {
  const none: MachineNumbers = { name: 'x', exact: true, states: [], arms: [] };
  expect(withNumbers('<svg width="5"><rect/></svg>', none, () => '').markup).toBe('<svg width="5"><rect/></svg>');
});
