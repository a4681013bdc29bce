/** A `client_id` as the URL of a document: the rules of the draft, §3. */
import { expect, it } from 'vitest';
import { isMeantAsUrl, originOf, whatIsWrongWithClientIdUrl } from '../../../src/oauth/client-id-url.ts';

it.each([
  'https://agent.example/client',
  'https://agent.example/',
  'https://agent.example:8443/client.json',
  'https://agent.example/client?version=2',
  'https://xn--exmple-4nf.example/client',
  'https://agent.example/of/https://other.example',
  'https://agent.example/.well-known/client',
  'https://agent.example/a../b',
  'https://agent.example/https://a@b',
  `https://agent.example/${'x'.repeat(233)}`,
])('%s follows the rules', (url) => {
  expect(whatIsWrongWithClientIdUrl(url)).toBeNull();
  expect(isMeantAsUrl(url)).toBe(true);
});

it.each([
  ['http://agent.example/client', /not an https URL/],
  ['https://agent.example', /no path/],
  ['https://agent.example?client', /no path/],
  ['https://agent.example/client#part', /fragment/],
  ['https://agent.example/client#', /fragment/],
  ['https://user@agent.example/client', /username/],
  ['https://user:secret@agent.example/client', /username/],
  ['https://@agent.example/client', /username/],
  ['https://:secret@agent.example/client', /username/],
  ['https://agent.example/a/../client', /"\.\."/],
  ['https://agent.example/./client', /"\."/],
  ['https://agent.example/%2e%2E/client', /"\.\."/],
  ['https://agent.example/.%2e/client', /"\.\."/],
  ['https://agent.example:443/client', /as browsers write/],
  ['https://AGENT.example/client', /as browsers write/],
  ['HTTPS://agent.example/client', /as browsers write/],
  ['https:\\\\agent.example\\client', /no path/],
  ['https:\\\\agent.example\\https://a/b', /no path/],
  ['https:\\\\agent.example\\https://a@b', /no path/],
  ['https:///client', /no path/],
  ['https://exаmple.example/client', /not a URL/],
  ['https://agent.example/a b', /not a URL/],
  [`https://agent.example/${'x'.repeat(250)}`, /255 characters/],
] as const)('%s breaks a rule', (url, rule) => {
  expect(whatIsWrongWithClientIdUrl(url)).toMatch(rule);
});

it('an http URL is meant as a URL, in letters of either case', () => {
  for (const id of ['http://a', 'HTTPS://a']) expect(isMeantAsUrl(id)).toBe(true);
});

it('other ids are no URLs', () => {
  for (const id of ['web', 'com.example.app:', 'urn:x', 'httpsx://a', 'xhttps://a', 'https:/a'])
    expect(isMeantAsUrl(id)).toBe(false);
});

it('the origin of an id has its port', () => {
  expect(originOf('https://agent.example:8443/client.json?a')).toBe('https://agent.example:8443');
});
