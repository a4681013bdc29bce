import { describe, expect, it } from 'vitest';
import { meantResources } from '../../../src/oauth/resource.ts';

describe('the resource that a client means', () => {
  const known = ['https://mcp.example', 'https://api.example/', 'https://docs.example/mcp', 'urn:example:api'];

  it.each<[sent: string, meant: string]>([
    ...known.map((one): [string, string] => [one, one]),
    // Written as browsers write it.
    ['https://mcp.example/', 'https://mcp.example'],
    ['https://api.example', 'https://api.example/'],
    ['HTTPS://MCP.Example', 'https://mcp.example'],
    ['https://mcp.example:443/', 'https://mcp.example'],
    ['HTTPS://Docs.example/mcp', 'https://docs.example/mcp'],
  ])('written as %s is %s', (sent, meant) => {
    expect(meantResources([sent], known)).toEqual([meant]);
  });

  it.each([
    'https://docs.example/mcp/',
    'https://docs.example/MCP',
    'https://docs.example/mcp?a=b',
    'https://mcp.example/#',
    'https://mcp.example/#a',
    'https://user@mcp.example/',
    'http://mcp.example/',
    'https://mcp.example:8443/',
    'mcp.example',
    '\u0000https://mcp.example/',
    ' https://mcp.example/',
    'https://mcp.example/ ',
    'https://mcp.example/\n',
    'URN:example:api',
    'https://',
    '',
  ])('is not changed where it is another one: %s', (sent) => {
    expect(meantResources([sent], known)).toEqual([sent]);
  });

  it('may be of http', () => {
    expect(meantResources(['HTTP://local.example'], ['http://local.example/'])).toEqual(['http://local.example/']);
  });

  it('stays as sent where two are equivalent, and each of them as it is known', () => {
    const two = ['https://mcp.example', 'https://mcp.example/'];
    expect(meantResources(['https://MCP.example'], two)).toEqual(['https://MCP.example']);
    expect(meantResources(two, two)).toEqual(two);
  });

  it('is one, however often and in whatever form the client sends it', () => {
    const sent = ['https://mcp.example', 'https://mcp.example/', 'https://mcp.example'];
    expect(meantResources(sent, known)).toEqual(['https://mcp.example']);
  });
});
