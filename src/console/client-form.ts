/**
 * The fields of a client, as a form and as a list. policies/client-schema.ts defines the names, texts and bounds, so a
 * new field there has an input here too.
 */
import { html } from 'ghtml';
import { clientFieldWords, clientRecordSchema } from '../../policies/client-schema.ts';
import type { Markup } from '../http/views/page.ts';
import type { Item } from '../management/client/documents.ts';
import { jsonIn } from '../oauth/sent-text.ts';
import { type Input, input } from './components.ts';
import type { Fields } from './shown.ts';
import { code, name as shownName } from './shown-text.ts';

/** As JSON, with the names of RFC 7591. */
export type ClientRecord = {
  readonly client_id?: string;
  readonly client_name?: string;
  readonly token_endpoint_auth_method?: string;
  readonly policy?: string;
  readonly [field: string]: unknown;
};

type Kind = 'text' | 'lines' | 'choice' | 'flag' | 'checks' | 'scopes' | 'json';
type Field = {
  readonly name: string;
  readonly kind: Kind;
  readonly choices: readonly string[];
  readonly description: string;
  readonly initial: unknown;
};

/** The choices of the configuration in force. */
export type ClientChoices = {
  readonly policies: readonly string[];
  readonly resources: readonly OfferedResource[];
};
export type OfferedResource = Item<'/resources'>;

/** Of each field, in words. Its name on the wire stands beside them. */
const LABELS: Readonly<Record<string, string>> = {
  client_name: 'Name',
  application_type: 'Runs as',
  token_endpoint_auth_method: 'Proves itself with',
  jwks: 'Public keys',
  jwks_uri: 'Address of its public keys',
  token_endpoint_auth_signing_alg: 'Signature of its assertions',
  tls_client_auth_subject_dn: 'Subject of its certificate',
  tls_client_auth_san_dns: 'DNS name in its certificate',
  tls_client_auth_san_uri: 'URI in its certificate',
  tls_client_auth_san_ip: 'IP address in its certificate',
  tls_client_auth_san_email: 'Email address in its certificate',
  workload_issuer: 'Issuer of the tokens of its workload',
  workload_subject: 'Subject of the tokens of its workload',
  redirect_uris: 'Redirect URIs',
  grant_types: 'Gets tokens by',
  scope: 'Scopes that it may have',
  default_scope: 'Scopes without a request for any',
  default_resource: 'API of its tokens',
  policy: 'Policy',
  consent: 'Consent page',
  post_logout_redirect_uris: 'Redirect URIs after a sign-out',
  id_token_signed_response_alg: 'Signature of ID Tokens',
  dpop_bound_access_tokens: 'Bound access tokens',
  require_pushed_authorization_requests: 'Authorization requests',
  require_signed_request_object: 'Signed requests',
  request_object_signing_alg: 'Signature of its requests',
  authorization_signed_response_alg: 'Signature of responses',
  tls_client_certificate_bound_access_tokens: 'Certificate-bound access tokens',
  logo_uri: 'Logo',
  client_uri: 'Home page',
  initiate_login_uri: 'Sign-in address of the app',
  tos_uri: 'Terms of service',
  policy_uri: 'Privacy policy',
};

/** Of true and false, by the field. */
const FLAG_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  dpop_bound_access_tokens: {
    true: 'Always: it proves a key with each token request',
    false: 'Where the client proves a key',
  },
  require_pushed_authorization_requests: {
    true: 'Pushed: the client sends them to the server itself',
    false: 'Pushed, or sent with the browser',
  },
  require_signed_request_object: {
    true: 'Always: it signs each authorization request',
    false: 'Where the client signs one',
  },
  tls_client_certificate_bound_access_tokens: {
    true: 'Always: it connects with its TLS certificate',
    false: 'Never',
  },
};

const VALUE_WORDS: Readonly<Record<string, string>> = {
  web: 'Web application or single-page app',
  native: 'App of a device',
  none: 'No secret: it is public',
  client_secret_basic: 'A secret in the header',
  client_secret_post: 'A secret in the body',
  private_key_jwt: 'A key of its own',
  tls_client_auth: 'A TLS certificate of an authority',
  self_signed_tls_client_auth: 'A TLS certificate of its own',
  workload_jwt: 'The token of its workload',
  authorization_code: 'Sign-in of an end-user',
  refresh_token: 'Refresh tokens',
  client_credentials: 'Its own secret, without an end-user',
  ask: 'Ask the end-user',
  skip: 'Skip: an app of this team',
};

const withWire = (words: string | undefined, wire: string): string =>
  words === undefined ? wire : `${words} (${wire})`;
const labelOf = (name: string): string => withWire(LABELS[name], name);

/** Fields that only a sign-in of an end-user needs. */
const OF_SIGN_INS = new Set([
  'redirect_uris',
  'post_logout_redirect_uris',
  'consent',
  'id_token_signed_response_alg',
  'require_signed_request_object',
  'request_object_signing_alg',
  'authorization_signed_response_alg',
  'initiate_login_uri',
  'application_type',
  'require_pushed_authorization_requests',
]);

/** Checkboxes, and on the wire one text. */
const SCOPES = new Set(['scope', 'default_scope']);

/** The registration sets the id, the server makes a secret, and grant_types implies response_types. */
const NOT_TYPED = new Set(['client_id', 'client_secret', 'response_types']);

const FIELDS: readonly Field[] = Object.entries(clientRecordSchema.shape).map(([name, schema]) => ({
  name,
  ...shapeOf(name, schema as unknown as Described),
  description: clientFieldWords.get(schema)?.description ?? '',
  initial: initialOf(schema as unknown as Described),
}));

/** The part of a zod schema that the form reads. */
type Described = {
  readonly def: {
    readonly type: string;
    readonly innerType?: Described;
    readonly element?: Described;
    readonly defaultValue?: unknown;
  };
  readonly options?: readonly unknown[];
};

function inner(schema: Described): Described {
  const { type, innerType } = schema.def;
  return (type === 'optional' || type === 'default') && innerType ? inner(innerType) : schema;
}

/** A choice that may be left out. */
function noneOf({ def }: Described): readonly string[] {
  return def.type === 'optional' ? [''] : [];
}

function initialOf({ def }: Described): unknown {
  return def.type === 'default' ? def.defaultValue : undefined;
}

function shapeOf(name: string, schema: Described): Pick<Field, 'kind' | 'choices'> {
  if (SCOPES.has(name)) return { kind: 'scopes', choices: [] };
  const read = inner(schema);
  const choicesOf = ({ options = [] }: Described) => options.map(String);
  if (read.def.type === 'object') return { kind: 'json', choices: [] };
  if (read.def.type === 'boolean') return { kind: 'flag', choices: ['false', 'true'] };
  if (read.def.type === 'enum') return { kind: 'choice', choices: [...noneOf(schema), ...choicesOf(read)] };
  if (read.def.type !== 'array' || !read.def.element) return { kind: 'text', choices: [] };
  const element = inner(read.def.element);
  return element.def.type === 'enum' ? { kind: 'checks', choices: choicesOf(element) } : { kind: 'lines', choices: [] };
}

const TYPED = FIELDS.filter(({ name }) => !NOT_TYPED.has(name));

export const clientForm = (
  record: ClientRecord,
  {
    isNew,
    choices,
    redirects = '',
  }: {
    readonly isNew: boolean;
    readonly choices: ClientChoices;
    /** An example of its redirect URIs. Null: the client signs no end-users in, so that fields about that are hidden. */
    readonly redirects?: string | null;
  },
): Markup =>
  [
    ...(redirects === null ? [html`<input type="hidden" name="signs_in" value="no">`] : []),
    ...(isNew
      ? [
          input({
            name: 'client_id',
            label: 'Client id (client_id)',
            value: record.client_id ?? '',
            hint: 'Names the client. If empty, the server makes one.',
          }),
        ]
      : []),
    ...TYPED.filter(({ name }) => redirects !== null || !OF_SIGN_INS.has(name)).map((field) =>
      control(field, record[field.name] ?? field.initial, choices, redirects ?? ''),
    ),
  ].join('\n');

function control(field: Field, value: unknown, offered: ClientChoices, redirects: string): Markup {
  const { name, kind, choices, description } = field;
  const common = { name, label: labelOf(name), hint: description } satisfies Input;
  const configured = configuredChoices(name, offered);
  if (configured !== null) {
    const chosen = String(value ?? '');
    const isOffered = configured.some(([choice]) => choice === chosen);
    return input({
      ...common,
      value: chosen,
      choices: isOffered ? configured : [...configured, [chosen, `${chosen} (not in the configuration)`]],
    });
  }
  switch (kind) {
    case 'scopes':
      return scopesControl(field, scopesIn(value), offered);
    case 'choice':
    case 'flag':
      return input({
        ...common,
        value: String(value ?? ''),
        choices: choices.map((choice) => [
          choice,
          choice === '' ? 'Not said' : withWire((FLAG_WORDS[name] ?? VALUE_WORDS)[choice], choice),
        ]),
      });
    case 'lines':
      return input({
        ...common,
        value: listIn(value).join('\n'),
        lines: true,
        hint: `${description} Each on a separate line.${name === 'redirect_uris' && redirects !== '' ? ` Such as ${redirects}.` : ''}`,
      });
    case 'text':
      return input({ ...common, value: String(value ?? '') });
    case 'json':
      return input({ ...common, value: jsonText(value), lines: true, hint: `${description} As JSON.` });
    case 'checks':
      return html`<fieldset aria-describedby="field-${name}-hint"><legend>${labelOf(name)}</legend>
!${choices.map((choice) => check(name, choice, withWire(VALUE_WORDS[choice], choice), listIn(value).includes(choice))).join('\n')}
<p class="quiet" id="field-${name}-hint">${description}</p></fieldset>`;
  }
}

const check = (name: string, value: string, label: string, isChosen: boolean): Markup =>
  html`<label class="check"><input type="checkbox" name="${name}" value="${value}"!${isChosen ? ' checked' : ''}> ${label}</label>`;

/** Null: its choices are not of the configuration. */
function configuredChoices(name: string, { policies, resources }: ClientChoices): NonNullable<Input['choices']> | null {
  if (name === 'policy') return policies.map((policy) => [policy, policy]);
  if (name !== 'default_resource') return null;
  return [
    ['', 'the default of the server'],
    ...resources.map(({ identifier, name }) => [identifier, `${name} (${identifier})`] as const),
  ];
}

const scopesIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.map(String) : String(value ?? '').split(' ')).filter((scope) => scope !== '');

/** Checkboxes by API, and those that the client has and no API knows. */
function scopesControl({ name, description }: Field, chosen: readonly string[], { resources }: ClientChoices): Markup {
  const known = new Set(resources.flatMap(({ scopes = [] }) => scopes.map((scope) => scope.name)));
  const groups = [
    ...resources.map((resource) => ({
      title: resource.name,
      scopes: (resource.scopes ?? []).map((scope) => [scope.name, withWire(scope.description, scope.name)] as const),
    })),
    {
      title: 'Not in the configuration',
      scopes: chosen.filter((scope) => !known.has(scope)).map((scope) => [scope, scope] as const),
    },
  ].filter(({ scopes }) => scopes.length > 0);
  return html`<fieldset aria-describedby="field-${name}-hint"><legend>${labelOf(name)}</legend>
<p class="quiet" id="field-${name}-hint">${description}</p>
!${groups
    .map(
      ({
        title,
        scopes,
      }) => html`<details!${scopes.some(([scope]) => chosen.includes(scope)) ? ' open' : ''}><summary>${title}</summary>
!${scopes.map(([scope, label]) => check(name, scope, label, chosen.includes(scope))).join('\n')}</details>`,
    )
    .join('\n')}</fieldset>`;
}

const jsonText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : String(value ?? '');

/** Text that is no JSON is sent as it is: the server says what it expects. */
const jsonOr = (text: string): unknown => {
  const value = jsonIn(text);
  return value === undefined ? text || undefined : value;
};

export const listIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The typed value. Undefined: the field is empty. */
function typed({ name, kind }: Field, fields: Fields): unknown {
  switch (kind) {
    case 'checks':
      return fields.all(name);
    case 'scopes':
      return fields.all(name).join(' ').trim() || undefined;
    case 'lines':
      return fields
        .get(name)
        .split(/[\r\n]+/)
        .map((line) => line.trim())
        .filter((line) => line !== '');
    case 'json':
      return jsonOr(fields.get(name).trim());
    case 'flag':
      return fields.get(name) === 'true';
    default:
      return fields.get(name).trim() || undefined;
  }
}

/** For a registration: an empty field gets the default. */
export function recordIn(fields: Fields): ClientRecord {
  const id = fields.get('client_id');
  const given = TYPED.flatMap((field) => {
    const value = isForSignIns(fields) || !OF_SIGN_INS.has(field.name) ? typed(field, fields) : undefined;
    return value === undefined ? [] : [[field.name, value]];
  });
  return { ...(id !== '' && { client_id: id }), ...Object.fromEntries(given) };
}

/** JSON Merge Patch (RFC 7396): removes the value of an empty field. */
export const patchIn = (fields: Fields): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    TYPED.filter(({ name }) => isForSignIns(fields) || !OF_SIGN_INS.has(name)).map((field) => [
      field.name,
      typed(field, fields) ?? null,
    ]),
  );

/** The form says whether it had the fields about sign-ins. */
const isForSignIns = (fields: Fields): boolean => fields.get('signs_in') !== 'no';

export function valuesOf(record: ClientRecord): readonly (readonly [string, Markup])[] {
  return TYPED.map((field) => [labelOf(field.name), shownValue(field, record[field.name])] as const);
}

function shownValue({ kind }: Field, value: unknown): Markup {
  if (value === null || value === undefined || value === '') return '';
  if (Array.isArray(value))
    return value.map((item) => (kind === 'checks' ? withWords(String(item)) : code(String(item)))).join('<br>');
  if (kind === 'choice') return withWords(String(value));
  return typeof value === 'object' ? code(jsonText(value)) : shownName(String(value));
}

function withWords(value: string): Markup {
  const words = VALUE_WORDS[value];
  return words === undefined ? code(value) : html`${words} <code class="quiet">${value}</code>`;
}
