import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describeProblem } from '../../../src/config/problem.ts';
import { readYaml } from '../../../src/config/yaml-file.ts';

const schema = z.strictObject({ name: z.string(), other: z.string().optional() });
const problemsOf = (text: string): readonly string[] => {
  const reading = readYaml('a.yaml', { ok: true, text }, schema);
  return reading.ok ? [] : reading.problems.map(describeProblem);
};

describe('a YAML file', () => {
  test('with a name as each key is read', () => {
    expect(problemsOf('? name\n: A\n"other": &b B\n')).toEqual([]);
  });

  test.each([
    ['a tag that nothing resolves', 'name: !env NAME\n', 'a.yaml:1: Expected valid YAML, found unresolved tag: !env.'],
    [
      'another version of YAML',
      '%YAML 9.9\n---\nname: A\n',
      'a.yaml:1: Expected valid YAML, found unsupported YAML version 9.9.',
    ],
    [
      'an alias that repeats a key',
      '&k name: A\n*k : B\n',
      'a.yaml:2: Expected a name as the key, found a key that is an alias, a list or an object.',
    ],
    [
      'a list as a key',
      'name: A\n? [name]\n: B\n',
      'a.yaml:2: Expected a name as the key, found a key that is an alias, a list or an object.',
    ],
    [
      'an alias of nothing',
      'name: *here\n',
      'a.yaml: Expected an anchor before each alias, or the value in quotes, found an alias without its anchor.',
    ],
    [
      'a control character',
      '%\u009b31m\n---\nname: A\n',
      'a.yaml:1: Expected valid YAML, found unknown directive %\\u{9b}31m.',
    ],
  ])('with %s is rejected', (_name, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });
});
