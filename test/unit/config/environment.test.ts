import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/environment.ts';

const PRODUCTION = {
  NODE_ENV: 'production',
  STATEHOUSE_ISSUER: 'https://login.example.com',
  STATEHOUSE_SECRET: 'a root secret of more than 32 bytes'.replaceAll(' ', '-'),
  DATABASE_URL: 'postgres://statehouse@db.internal/statehouse',
};

describe('the environment', () => {
  it('of production is complete', () => {
    expect(readEnvironment(PRODUCTION)).toMatchObject({ production: true, issuer: PRODUCTION.STATEHOUSE_ISSUER });
  });

  it('of production rejects an issuer over http, and accepts one over https', () => {
    for (const host of ['login.example.com', 'login.example.com:3000/tenant']) {
      const STATEHOUSE_ISSUER = `http://${host}`;
      expect(() => readEnvironment({ ...PRODUCTION, STATEHOUSE_ISSUER })).toThrow('https is required');
      expect(readEnvironment({ ...PRODUCTION, STATEHOUSE_ISSUER: `https://${host}` }).issuer).toBe(`https://${host}`);
    }
  });

  it.each(['STATEHOUSE_ISSUER', 'STATEHOUSE_SECRET', 'DATABASE_URL'])(
    'of production rejects a start without %s',
    (name) => {
      for (const nothing of [undefined, '', '  ', ',', ' , ']) {
        expect(() => readEnvironment({ ...PRODUCTION, [name]: nothing })).toThrow(name);
      }
    },
  );

  it.each([
    ['STATEHOUSE_ISSUER', 'http://login.example.com', /https is required/],
    ['STATEHOUSE_ISSUER', 'https://login.example.com/?a=b', /query or a fragment/],
    ['STATEHOUSE_ISSUER', 'login.example.com', /not a URL/],
    ['DATABASE_URL', 'mysql://x', /postgres:\/\//],
    ['DATABASE_URL', 'postgres://a,b:x/statehouse', /a:5432,b:5432, found something else as number 2 of 2/],
    ['DATABASE_URL', 'postgres://a/statehouse?target_session_attrs=any', /target_session_attrs=read-write/],
    ['PORT', '70000', /1 to 65535/],
    ['LOG_LEVEL', 'loud', /one of/],
    ['UV_THREADPOOL_SIZE', '0', /1 to 1024/],
    ['UV_THREADPOOL_SIZE', '1025', /1 to 1024/],
    ['UV_THREADPOOL_SIZE', 'four', /1 to 1024/],
    ['STATEHOUSE_TRUSTED_PROXIES', '10.0.0.0/8,nonsense', /nonsense/],
    ['STATEHOUSE_TRUSTED_PROXIES', '10.0.0.0/33', /10\.0\.0\.0\/33/],
    ['STATEHOUSE_TRUSTED_PROXIES', '10', /found "10"/],
    ['STATEHOUSE_TRUSTED_PROXIES', '010.0.0.1', /found "010\.0\.0\.1"/],
    ['STATEHOUSE_TRUSTED_PROXIES', '10.0.0.0/255.0.0.0', /found "10\.0\.0\.0\/255\.0\.0\.0"/],
    ['STATEHOUSE_TRUSTED_PROXIES', '10.0.0.1,0.0.0.0/0', /found "0\.0\.0\.0\/0": every sender/],
    ['STATEHOUSE_TRUSTED_PROXIES', '::/0', /found "::\/0": every sender/],
  ])('rejects %s=%s, with the expected format', (name, value, words) => {
    expect(() => readEnvironment({ ...PRODUCTION, [name]: value })).toThrow(words);
  });

  it('accepts proxies as addresses and ranges, which Fastify can read', () => {
    const written = ['10.0.0.1', '10.0.0.0/8', '2001:db8::1', '2001:db8::/32', '::ffff:10.0.0.1', '128.0.0.0/1'];
    const { trustedProxies } = readEnvironment({ STATEHOUSE_TRUSTED_PROXIES: written.join(', ') });
    expect(trustedProxies).toEqual(written);
    expect(() => fastify({ trustProxy: [...trustedProxies] })).not.toThrow();
  });

  it('accepts the issuer byte for byte, and http on loopback', () => {
    for (const issuer of [
      'https://a.example/',
      'https://a.example/tenant',
      'http://localhost:3000',
      'http://127.0.0.1:1',
      'http://[::1]:9',
    ]) {
      expect(readEnvironment({ STATEHOUSE_ISSUER: issuer }).issuer).toBe(issuer);
    }
  });

  it('has as many threads as libuv: four, or UV_THREADPOOL_SIZE', () => {
    expect(readEnvironment({}).libuvThreads).toBe(4);
    expect(readEnvironment({ UV_THREADPOOL_SIZE: '1' }).libuvThreads).toBe(1);
    expect(readEnvironment({ UV_THREADPOOL_SIZE: '1024' }).libuvThreads).toBe(1024);
  });
});
