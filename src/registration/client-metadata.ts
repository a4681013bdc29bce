/** Converts a client's record to metadata and back. The fields are those of policies/client-schema.ts. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
  type ClientRecord,
  clientFieldWords,
  clientRecordSchema,
  type FieldWords,
  NOT_STORED,
} from '../../policies/client-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import { printable } from '../config/shown.ts';
import { SHORT_SECRET_CHARACTERS } from '../crypto/client-secret.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import { type CamelCase, type ClientMetadata, hasSecret } from '../model/client.ts';
import { reviewClient } from './client-review.ts';
import {
  isJsonObject,
  nearestField,
  notAnObject,
  problem,
  type Reading,
  recordProblems,
  withoutNulls,
} from './record-problem.ts';
import { weakClientSecret, weakSecretWarning } from './weak-secrets.ts';

/** A record as read. Id, name and secret are null where the server creates them. */
export type ReadClient = ClientMetadata & { readonly secret: RawSecret | null };

type FieldName = keyof ClientRecord;
type StoredFieldName = Exclude<FieldName, keyof typeof NOT_STORED>;

const { shape } = clientRecordSchema;
const FIELD_NAMES = Object.keys(shape) as FieldName[];

/** `redirect_uris` → `redirectUris` */
const camelCase = <Name extends string>(name: Name) =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;

/** The stored fields, with their names in code. */
const STORED_FIELDS = FIELD_NAMES.filter((name): name is StoredFieldName => !Object.hasOwn(NOT_STORED, name)).map(
  (name) => ({ name, key: camelCase(name) }),
);

const textsOf = (name: FieldName): FieldWords => {
  const texts = clientFieldWords.get(shape[name]);
  if (!texts) throw new Error(`The field ${name} of the client schema has no description.`);
  return texts;
};

/** Every field that a record may have, in the order of the schema. */
export const CLIENT_FIELDS = FIELD_NAMES.map((name) => ({ name, words: textsOf(name), ...itemsOf(shape[name]) }));

type Items = {
  readonly isList: boolean;
  readonly isJson: boolean;
  readonly isFlag: boolean;
  readonly choices: readonly string[];
};

/** Whether a field is a list, an object, or true or false, and its possible values if they are limited. */
function itemsOf(schema: z.ZodType): Items {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return itemsOf(schema.def.innerType as z.ZodType);
  if (schema instanceof z.ZodArray)
    return { isList: true, isJson: false, isFlag: false, choices: itemsOf(schema.element as z.ZodType).choices };
  const isJson = schema instanceof z.ZodObject;
  const isFlag = schema instanceof z.ZodBoolean;
  return { isList: false, isJson, isFlag, choices: schema instanceof z.ZodEnum ? schema.options.map(String) : [] };
}

/** @param production rejects a weak secret; false: a weak secret is a warning. */
export function readClientMetadata(
  input: unknown,
  configuration: Configuration,
  production: boolean,
): Reading<ReadClient> {
  const reading = readClientRecord(input);
  if (!reading.ok) return reading;
  const { client_secret: secret } = reading.value;
  const client = { ...metadataOf(reading.value), secret: secret === undefined ? null : rawSecret(secret) };
  const { errors, warnings } = reviewClient(client, configuration);
  if (client.secret !== null && !hasSecret(client)) {
    const method = client.tokenEndpointAuthMethod;
    errors.push(problem('client_secret', 'a secret', `no secret with token_endpoint_auth_method "${method}"`));
  }
  const weak = client.secret === null ? null : weakClientSecret(client.secret);
  if (weak && production) errors.push(weak);
  if (errors.length > 0) return { ok: false, problems: errors };
  const ofSecret = [...(weak ? [weakSecretWarning(weak)] : shortSecretWarning(client)), ...nativeSecretWarning(client)];
  return { ok: true, value: client, warnings: [...reading.warnings, ...ofSecret, ...warnings] };
}

/** As far as the record says it by itself, without any configuration. */
export function readClientRecord(input: unknown): Reading<ClientRecord> {
  if (!isJsonObject(input)) return notAnObject(input, 'an object with the fields of RFC 7591');
  const record = withoutNulls(input);
  const { success, data, error } = clientRecordSchema.safeParse(record);
  if (!success) return { ok: false, problems: recordProblems(clientRecordSchema, record, error) };
  return { ok: true, value: data, warnings: ignoredFields(record) };
}

export const metadataOf = (record: ClientRecord): ClientMetadata =>
  Object.fromEntries(STORED_FIELDS.map(({ name, key }) => [key, record[name] ?? null])) as object as ClientMetadata;

/** The metadata of an empty record. */
export const DEFAULT_METADATA: ClientMetadata = metadataOf(clientRecordSchema.parse({}));

/** Each stored field as written in a record; undefined where it is left out. */
export function recordOf(client: ClientMetadata): ReadonlyMap<StoredFieldName, unknown> {
  return new Map(STORED_FIELDS.map(({ name, key }) => [name, written(name, client[key])]));
}

function written(name: StoredFieldName, value: unknown): unknown {
  if (value === null) return undefined;
  // A value that was stored under older bounds is written unchanged.
  const { success, data } = z.safeEncode(shape[name] as z.ZodType, value);
  return success ? data : value;
}

/** Reads the output of `toNames`; omitted fields have their defaults. */
export const fromNames = (document: Readonly<Record<string, unknown>>): ClientMetadata =>
  Object.fromEntries(
    STORED_FIELDS.map(({ name, key }) => [
      key,
      document[name] === undefined ? DEFAULT_METADATA[key] : unwritten(name, document[name]),
    ]),
  ) as object as ClientMetadata;

function unwritten(name: StoredFieldName, value: unknown): unknown {
  const { success, data } = z.safeDecode(shape[name] as z.ZodType, value);
  return success ? data : value;
}

/** The client as JSON with RFC 7591 names, without its secret; `clients import` accepts it. */
export function toNames(client: ClientMetadata): Record<string, unknown> {
  const defaults = recordOf(DEFAULT_METADATA);
  const wanted = [...recordOf(client)].filter(
    ([name, value]) => textsOf(name).alwaysWritten || !isDeepStrictEqual(value, defaults.get(name)),
  );
  return Object.fromEntries(wanted);
}

/** RFC 7591 §2: "The authorization server MUST ignore any client metadata sent by the client that it does not understand". */
function ignoredFields(record: Readonly<Record<string, unknown>>): string[] {
  const ignored = Object.keys(record).filter((name) => !Object.hasOwn(shape, name));
  return ignored.map((name) => {
    const nearest = nearestField(name, FIELD_NAMES);
    return `${printable(name)}: ignored, Statehouse does not use it${nearest ? ` (did you mean "${nearest}"?)` : ''}`;
  });
}

function shortSecretWarning({ secret }: ReadClient): string[] {
  if (secret === null || secret.length >= SHORT_SECRET_CHARACTERS) return [];
  return [`client_secret: ${secret.length} characters are few; use ${SHORT_SECRET_CHARACTERS} or more random ones`];
}

/** RFC 8252 §8.5: a secret that is shipped to many users is not confidential. */
function nativeSecretWarning({ secret, applicationType }: ReadClient): string[] {
  if (secret === null || applicationType !== 'native') return [];
  return ['client_secret: a native app cannot keep a secret (RFC 8252 §8.5); use token_endpoint_auth_method "none"'];
}
