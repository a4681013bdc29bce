/** The values of exports: each system writes texts, flags and instants in its own way. Undefined: absent, or of another type. */
import { jsonIn } from '../../oauth/sent-text.ts';
import { isJsonObject } from '../record-problem.ts';
import type { JsonObject } from './source.ts';

export const textIn = (value: unknown): string | undefined => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
};

/** Own members alone: a key such as `__proto__` is a key like any other. */
export const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

export const textOf = (value: unknown, name: string): string | undefined => textIn(memberOf(value, name));

export const listOf = (value: unknown, name: string): readonly unknown[] => {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
};

export const objectOf = (value: unknown, name: string): JsonObject => {
  const member = memberOf(value, name);
  // A column may have its JSON as text.
  const read = typeof member === 'string' ? jsonIn(member) : member;
  return isJsonObject(read) ? read : {};
};

const YES = ['true', 't', '1', 'yes', 'y', 'on'];
const NO = ['false', 'f', '0', 'no', 'n', 'off'];

export function flagIn(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = String(value ?? '').toLowerCase();
  if (YES.includes(text)) return true;
  return NO.includes(text) ? false : undefined;
}

export const flagOf = (value: unknown, name: string): boolean | undefined => flagIn(memberOf(value, name));

/** In seconds since 1970, such a number is later than the year 5000. */
const MILLISECONDS_FROM = 1e11;
const SQL_INSTANT = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/;

/** RFC 3339; an instant of SQL, without a zone in UTC; or a number of seconds or milliseconds since 1970. @returns RFC 3339 */
export function instantIn(value: unknown): string | undefined {
  const text = textIn(value);
  if (text === undefined) return undefined;
  if (/^\d{9,14}$/.test(text)) {
    const number = Number(text);
    return isoOf(new Date(number >= MILLISECONDS_FROM ? number : number * 1000));
  }
  const [, date, time, zone = 'Z'] = SQL_INSTANT.exec(text.trim()) ?? [];
  if (date !== undefined) return isoOf(new Date(`${date}T${time}${zoneOf(zone)}`));
  return isoOf(new Date(text));
}

function zoneOf(zone: string): string {
  if (zone === 'UTC' || zone === 'Z') return 'Z';
  const [, hours = '', minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return `${hours}:${minutes}`;
}

const isoOf = (date: Date): string | undefined => (Number.isNaN(date.getTime()) ? undefined : date.toISOString());

export const instantOf = (value: unknown, name: string): string | undefined => instantIn(memberOf(value, name));

/** A secret in base32 as apps show it. */
export const totpIn = (value: unknown): string | undefined =>
  textIn(value)
    ?.replaceAll(/[\s=-]/g, '')
    .toUpperCase();

/** Of bytes that Go and Java write in base64, base64url or base64 with line breaks. */
export const base64urlIn = (value: unknown): string | undefined =>
  textIn(value)?.replaceAll(/[\s=]/g, '').replaceAll('+', '-').replaceAll('/', '_');

/** A whole number, also one written as text. */
export const numberIn = (value: unknown): number | undefined => {
  const text = textIn(value);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
};

/** A full name of its parts. */
export const fullName = (...parts: readonly (string | undefined)[]): string | undefined =>
  textIn(parts.filter((part) => part !== undefined).join(' '));

export function addTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
