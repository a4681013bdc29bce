/** RFC 6749 §3.3: a scope; OpenID Connect Core §3.1.2.1: a prompt. */
import { describe, expect, it } from 'vitest';
import { parsePrompt, supportedPrompts } from '../../../src/oauth/prompt.ts';
import { formatScope, parseScope, shortScope } from '../../../src/oauth/scope.ts';

describe('a scope', () => {
  it.each([
    ['read', ['read']],
    ['write read', ['write', 'read']],
    ['read write read', ['read', 'write']],
    ['  read   write ', ['read', 'write']],
    ["!#[]~ a:b/c.d-e'", ['!#[]~', "a:b/c.d-e'"]],
  ])('accepts %j', (text, tokens) => {
    expect(parseScope(text)).toEqual(tokens);
  });

  it.each(['', ' ', 'a"', '"a', 'a\\b', 'a\tb', 'a\n', 'read é', 'é read', 'a\x7f', '\0'])('rejects %j', (text) => {
    expect(parseScope(text)).toBeNull();
  });

  it('is written with single spaces', () => {
    expect(formatScope(['read', 'write'])).toBe('read write');
  });

  it('is shown whole up to 100 characters', () => {
    expect(shortScope('a'.repeat(100))).toBe('a'.repeat(100));
    expect(shortScope('a'.repeat(101))).toBe(`${'a'.repeat(100)}...`);
  });
});

describe('a prompt', () => {
  it('has four values, and a fifth where sign-up is open', () => {
    expect(supportedPrompts(false)).toEqual(['none', 'login', 'consent', 'select_account']);
    expect(supportedPrompts(true)).toEqual(['none', 'login', 'consent', 'select_account', 'create']);
  });

  it.each([
    ['none', ['none']],
    ['login', ['login']],
    ['consent login', ['login', 'consent']],
    ['login login', ['login']],
    ['  login  consent select_account ', ['login', 'consent', 'select_account']],
    ['create', ['create']],
    ['create login', ['login', 'create']],
    ['none none', ['none']],
    ['', []],
  ])('accepts %j', (text, prompts) => {
    expect(parsePrompt(text)).toEqual(prompts);
  });

  it.each([
    'register',
    'login register',
    'None',
    'none create',
    'none login',
    'consent none',
    'login,consent',
    'login\tconsent',
  ])('rejects %j', (text) => {
    expect(parsePrompt(text)).toBeNull();
  });
});
