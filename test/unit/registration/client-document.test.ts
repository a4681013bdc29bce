/** The document of a client as a registration: the rules that it can break, and the limits that it cannot exceed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readClientDocument } from '../../../src/registration/client-document.ts';
import { acceptingDocuments, type Content, DOCUMENT_URL, documentOf, RULES } from '../../support/client-documents.ts';

const configuration = acceptingDocuments();
const read = (content: Content | string, rules = RULES) =>
  readClientDocument(
    DOCUMENT_URL,
    typeof content === 'string' ? content : JSON.stringify(content),
    rules,
    configuration,
  );
const readWith = (change: Content) => read(documentOf(DOCUMENT_URL, change));
const problemOf = (reading: ReturnType<typeof read>): string | null => (reading.ok ? null : reading.problem);

const KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};
/** Of the content of a lying document: no sentence contains it. */
const MARK = 'zzmarkzz';

describe('a document that breaks a rule', () => {
  const BROKEN: Readonly<Record<string, readonly [Content | string, RegExp]>> = {
    'no JSON': ['{', /not a JSON object/],
    'a list': ['[]', /not a JSON object/],
    'no client_id': [documentOf(DOCUMENT_URL, { client_id: undefined }), /not the URL of the document/],
    'another client_id': [documentOf(DOCUMENT_URL, { client_id: `https://${MARK}.example/c` }), /not the URL/],
    'its URL with another port': [
      documentOf(DOCUMENT_URL, { client_id: DOCUMENT_URL.replace('.example/', '.example:443/') }),
      /not the URL/,
    ],
    'a secret': [documentOf(DOCUMENT_URL, { client_secret: MARK }), /client_secret/],
    'an empty secret': [documentOf(DOCUMENT_URL, { client_secret: null }), /client_secret/],
    'the end of a secret': [documentOf(DOCUMENT_URL, { client_secret_expires_at: 0 }), /client_secret_expires_at/],
    'a method with a secret': [
      documentOf(DOCUMENT_URL, { token_endpoint_auth_method: 'client_secret_basic' }),
      /neither none nor private_key_jwt/,
    ],
    'a method with a certificate': [
      documentOf(DOCUMENT_URL, { token_endpoint_auth_method: 'tls_client_auth' }),
      /neither none nor private_key_jwt/,
    ],
    'no redirect URI': [documentOf(DOCUMENT_URL, { redirect_uris: [] }), /1 to 20/],
    '10,000 redirect URIs': [
      documentOf(DOCUMENT_URL, { redirect_uris: Array.from({ length: 10_000 }, (_, n) => `https://a.example/${n}`) }),
      /1 to 20/,
    ],
    'a redirect URI that is no text': [documentOf(DOCUMENT_URL, { redirect_uris: [{ MARK }] }), /^redirect_uris\.0/],
    'a long redirect URI': [
      documentOf(DOCUMENT_URL, { redirect_uris: [`https://a.example/${'x'.repeat(3000)}`] }),
      /^redirect_uris\.0/,
    ],
    ...Object.fromEntries(
      [
        `javascript:alert('${MARK}')`,
        `data:text/html,${MARK}`,
        `http://${MARK}.example/`,
        `https://agent.example/${MARK}#part`,
        `https://user:${MARK}@agent.example/`,
        `https://*.${MARK}.example/`,
        `https://agent.example/${MARK}/../x`,
        'https://agent.exаmple/',
      ].map((uri) => [
        `the redirect URI ${uri}`,
        [documentOf(DOCUMENT_URL, { redirect_uris: [uri] }), /^redirect_uris\.0/],
      ]),
    ),
    'a private key': [
      documentOf(DOCUMENT_URL, {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...KEY, d: MARK }] },
      }),
      /^jwks\.keys\.0\.d/,
    ],
    'a symmetric key': [
      documentOf(DOCUMENT_URL, {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ kty: 'oct', k: MARK }] },
      }),
      /^jwks\.keys\.0/,
    ],
    'no key for its method': [documentOf(DOCUMENT_URL, { token_endpoint_auth_method: 'private_key_jwt' }), /jwks/],
    'keys over http': [
      documentOf(DOCUMENT_URL, {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri: 'http://agent.example/jwks',
      }),
      /^jwks_uri/,
    ],
    'client credentials alone': [documentOf(DOCUMENT_URL, { grant_types: ['client_credentials'] }), /grant_types/],
    'a name with control characters': [documentOf(DOCUMENT_URL, { client_name: `a\u202e${MARK}` }), /^client_name/],
    'scopes of others alone': [documentOf(DOCUMENT_URL, { scope: `write ${MARK}` }), /^scope/],
  };

  it.each(Object.keys(BROKEN))('is refused with the rule, and nothing of its content: %s', (name) => {
    const [content, rule] = BROKEN[name] ?? ['', /^$/];
    const problem = problemOf(read(content));
    expect(problem).toMatch(rule);
    expect(problem).not.toContain(MARK);
  });
});

describe('a valid document', () => {
  it('becomes a registration within the rules of the server', () => {
    const reading = readWith({
      logo_uri: 'https://agent.example/logo.png',
      client_uri: 'https://agent.example',
      tos_uri: 'https://agent.example/terms',
      initiate_login_uri: 'https://agent.example/login',
      policy: 'service',
      consent: 'skip',
      scope: 'read write openid',
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'urn:other'],
      default_resource: 'https://as.test/management/v1',
    });
    expect(reading).toMatchObject({
      ok: true,
      registration: {
        clientId: DOCUMENT_URL,
        clientName: 'Agent (agent.example)',
        registeredBy: 'self',
        declared: false,
        consent: 'ask',
        policy: 'native-app',
        scope: ['openid', 'read'],
        grantTypes: ['authorization_code', 'refresh_token'],
        defaultResource: null,
        secretMacs: [],
        logoUri: null,
        clientUri: null,
        tosUri: null,
        initiateLoginUri: null,
      },
    });
  });

  it('without a method has none, and with a key of its own authenticates by it', () => {
    expect(readWith({ token_endpoint_auth_method: undefined })).toMatchObject({
      registration: { tokenEndpointAuthMethod: 'none' },
    });
    expect(readWith({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY] } })).toMatchObject({
      registration: { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [KEY] } },
    });
  });

  it('of an app on a device may use any loopback port', () => {
    expect(readWith({ redirect_uris: ['http://127.0.0.1/callback'] })).toMatchObject({
      registration: { applicationType: 'native' },
    });
    expect(readWith({})).toMatchObject({ registration: { applicationType: 'web' } });
  });

  it('without a name has its host as its name', () => {
    expect(readWith({ client_name: undefined })).toMatchObject({ registration: { clientName: 'agent.example' } });
  });

  it('gives its client no more than the rules, with any content', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.array(fc.constantFrom('read', 'write', 'openid', 'x')),
        (more, scope) => {
          const reading = readWith({
            ...more,
            scope: scope.length === 0 ? undefined : scope.join(' '),
            client_id: DOCUMENT_URL,
          });
          if (!reading.ok) return;
          const { registration } = reading;
          expect(registration).toMatchObject({
            registeredBy: 'self',
            consent: 'ask',
            policy: 'native-app',
            secretMacs: [],
          });
          expect(RULES.scopes).toEqual(expect.arrayContaining([...(registration.scope ?? ['everything'])]));
        },
      ),
    );
  });
});
