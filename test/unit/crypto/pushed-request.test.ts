/** RFC 9126 §2.2: the `request_uri` of a pushed request, and the seal on its parameters. */
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/crypto/digest.ts';
import {
  isNamedBy,
  isPushedUri,
  newRequestUri,
  openParameters,
  readRequestUri,
  sealParameters,
} from '../../../src/crypto/pushed-request.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';

const keys = rootKeys(['a root secret for tests, of more than 32 bytes']);
const random = { bytes: (size: number) => Buffer.alloc(size, 0xfb), uuid: () => '' };
const HANDLE = Buffer.alloc(32, 0xfb).toString('base64url');
const URI = `urn:ietf:params:oauth:request_uri:${HANDLE}`;

describe('the request_uri of a pushed request', () => {
  it('has 32 random octets, and the server stores a hash of them', () => {
    const made = newRequestUri(random);
    expect(made.uri).toBe(URI);
    expect(made.handleHash).toEqual(sha256(HANDLE));
    expect(readRequestUri(URI)).toEqual({ id: made.id, handleHash: made.handleHash });
  });

  it('names the row by a UUID of version 8, which does not contain the random part', () => {
    const { id } = newRequestUri(random);
    const hash = sha256(`the pushed request ${HANDLE}`).toString('hex');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(id.slice(0, 8)).toBe(hash.slice(0, 8));
    expect(id.slice(-12)).toBe(hash.slice(20, 32));
  });

  it.each([
    `${URI}x`,
    URI.slice(0, -1),
    `${URI.slice(0, -1)}+`,
    `${URI}\n`,
    'urn:ietf:params:oauth:request_uri:',
    `urn:ietf:params:oauth:other_uri00:${HANDLE}`,
    `https://client.test/object_______:${HANDLE}`,
    HANDLE,
    '',
  ])('is not %j', (uri) => {
    expect(readRequestUri(uri)).toBeNull();
  });

  it.each([
    [URI, true],
    ['urn:ietf:params:oauth:request_uri:x', true],
    ['https://client.test/object', false],
    [` ${URI}`, false],
  ])('has the form of this server as %j: %s', (uri, isPushed) => {
    expect(isPushedUri(uri)).toBe(isPushed);
  });

  it('matches the stored hash of its own handle alone', () => {
    const other = { handleHash: sha256('another handle') };
    expect(isNamedBy(newRequestUri(random), { handleHash: sha256(HANDLE) })).toBe(true);
    expect(isNamedBy(newRequestUri(random), other)).toBe(false);
  });
});

describe('the sealed parameters of a pushed request', () => {
  const sealed = sealParameters({ keys, random }, 'an id', 'scope=read&state=x');

  it('open under their own id and a listed root secret alone', () => {
    expect(openParameters(keys, 'an id', sealed)).toBe('scope=read&state=x');
    expect(openParameters(keys, 'another id', sealed)).toBeNull();
    expect(openParameters(rootKeys(['another root secret, of at least 32 bytes']), 'an id', sealed)).toBeNull();
  });
});
