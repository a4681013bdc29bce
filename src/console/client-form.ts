/**
 * The fields of a client, as a form and as a list. policies/client-schema.ts defines the names, texts and bounds, so a
 * new field there has an input here too.
 */
import { html } from 'ghtml';
import { clientFieldWords, clientRecordSchema } from '../../policies/client-schema.ts';
import type { Markup } from '../http/views/page.ts';
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

type Kind = 'text' | 'lines' | 'choice' | 'checks';
type Field = {
  readonly name: string;
  readonly kind: Kind;
  readonly choices: readonly string[];
  readonly description: string;
  readonly initial: unknown;
};

/** The registration sets the id, the server makes a secret, and grant_types implies response_types. */
const NOT_TYPED = new Set(['client_id', 'client_secret', 'response_types']);

const FIELDS: readonly Field[] = Object.entries(clientRecordSchema.shape).map(([name, schema]) => ({
  name,
  ...shapeOf(schema as unknown as Described),
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

function initialOf({ def }: Described): unknown {
  return def.type === 'default' ? def.defaultValue : undefined;
}

function shapeOf(schema: Described): Pick<Field, 'kind' | 'choices'> {
  const read = inner(schema);
  const choicesOf = ({ options = [] }: Described) => options.map(String);
  if (read.def.type === 'enum') return { kind: 'choice', choices: choicesOf(read) };
  if (read.def.type !== 'array' || !read.def.element) return { kind: 'text', choices: [] };
  const element = inner(read.def.element);
  return element.def.type === 'enum' ? { kind: 'checks', choices: choicesOf(element) } : { kind: 'lines', choices: [] };
}

const TYPED = FIELDS.filter(({ name }) => !NOT_TYPED.has(name));

export const clientForm = (record: ClientRecord, { isNew }: { readonly isNew: boolean }): Markup =>
  [
    ...(isNew
      ? [
          input({
            name: 'client_id',
            label: 'client_id',
            value: record.client_id ?? '',
            hint: 'Names the client. If empty, the server makes one.',
          }),
        ]
      : []),
    ...TYPED.map((field) => control(field, record[field.name] ?? field.initial)),
  ].join('\n');

function control({ name, kind, choices, description }: Field, value: unknown): Markup {
  const common = { name, label: name, hint: description } satisfies Input;
  switch (kind) {
    case 'choice':
      return input({ ...common, value: String(value ?? ''), choices: choices.map((choice) => [choice, choice]) });
    case 'lines':
      return input({
        ...common,
        value: listIn(value).join('\n'),
        lines: true,
        hint: `${description} Each on a separate line.`,
      });
    case 'text':
      return input({ ...common, value: String(value ?? '') });
    case 'checks':
      return html`<fieldset aria-describedby="field-${name}-hint"><legend>${name}</legend>
!${choices.map((choice) => html`<label class="check"><input type="checkbox" name="${name}" value="${choice}"!${listIn(value).includes(choice) ? ' checked' : ''}> ${choice}</label>`).join('\n')}
<p class="quiet" id="field-${name}-hint">${description}</p></fieldset>`;
  }
}

const listIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The typed value. Undefined: the field is empty. */
function typed({ name, kind }: Field, fields: Fields): unknown {
  switch (kind) {
    case 'checks':
      return fields.all(name);
    case 'lines':
      return fields
        .get(name)
        .split(/[\r\n]+/)
        .map((line) => line.trim())
        .filter((line) => line !== '');
    default:
      return fields.get(name).trim() || undefined;
  }
}

/** For a registration: an empty field gets the default. */
export function recordIn(fields: Fields): ClientRecord {
  const id = fields.get('client_id');
  const given = TYPED.flatMap((field) => {
    const value = typed(field, fields);
    return value === undefined ? [] : [[field.name, value]];
  });
  return { ...(id !== '' && { client_id: id }), ...Object.fromEntries(given) };
}

/** JSON Merge Patch (RFC 7396): removes the value of an empty field. */
export const patchIn = (fields: Fields): Readonly<Record<string, unknown>> =>
  Object.fromEntries(TYPED.map((field) => [field.name, typed(field, fields) ?? null]));

export function valuesOf(record: ClientRecord): readonly (readonly [string, Markup])[] {
  return TYPED.map(({ name }) => [name, shownValue(record[name])] as const);
}

function shownValue(value: unknown): Markup {
  if (value === null || value === undefined || value === '') return '';
  if (Array.isArray(value)) return value.map((item) => code(String(item))).join('<br>');
  return shownName(String(value));
}
