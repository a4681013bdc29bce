/** RFC 9110 §13.1: the subject of a condition, as headers write it. */
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { entityTag, isKnown, preconditionOf } from '../../../src/management/precondition.ts';

const request = (headers: Readonly<Record<string, string>>) => ({ headers }) as unknown as FastifyRequest;
const SEEN = { name: 'as it was' };
const tag = entityTag(JSON.stringify(SEEN));

describe('the conditions of a request', () => {
  it.each([
    [tag, true],
    [`"other", ${tag}`, true],
    ['*', true],
    [' * ', true],
    ['"other"', false],
    [`W/${tag}`, false],
    // No tag and no asterisk, but characters of one.
    ['a*b', false],
    ['"other", *', false],
    [tag.slice(1, -1), false],
    ['', false],
  ])('If-Match: %s', (header, holds) => {
    expect(preconditionOf(request({ 'if-match': header })).isSeen?.(SEEN)).toBe(holds);
  });

  it.each([
    [tag, true],
    [`W/${tag}`, true],
    ['*', true],
    [`"W/${tag.slice(1)}`, false],
    [`W/W/${tag}`, true],
    ['n8hj6U}8b$J`hK*y%B,', false],
    ['"other"', false],
  ])('If-None-Match: %s', (header, holds) => {
    expect(isKnown(request({ 'if-none-match': header }), tag)).toBe(holds);
  });

  it('are a request for a new resource with an asterisk alone', () => {
    expect(preconditionOf(request({ 'if-none-match': '*' })).onlyNew).toBe(true);
    expect(preconditionOf(request({ 'if-none-match': 'a*' })).onlyNew).toBe(false);
    expect(preconditionOf(request({}))).toEqual({ isSeen: null, onlyNew: false });
    expect(isKnown(request({}), tag)).toBe(false);
    expect(tag).toHaveLength(29);
  });
});
