/** The Content-Security-Policy of a page. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer } from './browser.ts';

/** @returns the policy without its scripts. Fails where it allows another script than those of the page, or not all of them. */
export function policyWithoutScripts({ headers, body }: Pick<Answer, 'headers' | 'body'>): string {
  const [policy = '', sources = ''] = String(headers['content-security-policy']).split('; script-src ');
  const scripts = [...body.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = '']) => script);
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  expect(
    sources
      .split(' ')
      .filter((source) => source !== '')
      .toSorted(),
  ).toEqual(hashes.toSorted());
  return policy;
}
