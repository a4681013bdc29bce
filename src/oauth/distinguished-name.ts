/**
 * Distinguished names (RFC 4514): reading and comparison (RFC 4517 §4.2.15, distinguishedNameMatch). RFC 8705 §2.1.2 registers the
 * subject of a certificate in this form. Names with values in hexadecimal (#…) are not read: they need their ASN.1 types.
 */

/** The attributes of one relative distinguished name, in the order of their types: a set, as in the certificate. */
type Relative = readonly (readonly [type: string, value: string])[];
/** In the order of the certificate, which is the reverse of that of the text. */
export type DistinguishedName = readonly Relative[];

/** Names of one attribute type, in small letters. RFC 4514 §3, and the names that OpenSSL and Java write. */
const TYPE_OF: ReadonlyMap<string, string> = new Map([
  ...synonyms('cn', 'commonname', '2.5.4.3'),
  ...synonyms('sn', 'surname', '2.5.4.4'),
  ...synonyms('serialnumber', '2.5.4.5'),
  ...synonyms('c', 'countryname', '2.5.4.6'),
  ...synonyms('l', 'localityname', '2.5.4.7'),
  ...synonyms('st', 's', 'stateorprovincename', '2.5.4.8'),
  ...synonyms('street', 'streetaddress', '2.5.4.9'),
  ...synonyms('o', 'organizationname', '2.5.4.10'),
  ...synonyms('ou', 'organizationalunitname', '2.5.4.11'),
  ...synonyms('title', 't', '2.5.4.12'),
  ...synonyms('gn', 'givenname', '2.5.4.42'),
  ...synonyms('organizationidentifier', '2.5.4.97'),
  ...synonyms('dc', 'domaincomponent', '0.9.2342.19200300.100.1.25'),
  ...synonyms('uid', 'userid', '0.9.2342.19200300.100.1.1'),
  ...synonyms('emailaddress', 'e', 'email', '1.2.840.113549.1.9.1'),
]);

function synonyms(name: string, ...others: readonly string[]): (readonly [string, string])[] {
  return [name, ...others].map((one) => [one, name] as const);
}

/** @param text as RFC 4514 writes it: the last part of the certificate first. @returns null: it is no such text. */
export function readDistinguishedName(text: string): DistinguishedName | null {
  const parts = split(text, ',');
  return nameOf(parts.map((part) => split(part, '+')).toReversed());
}

/** @param subject as Node writes it: a line for each part, in the order of the certificate. */
export const readSubject = (subject: string): DistinguishedName | null =>
  nameOf(subject.split('\n').map((line) => line.split(/ \+ (?=[A-Za-z0-9.-]+=)/)));

/** Whether the names have the same parts. An empty name is no name. */
export const isSameName = (one: DistinguishedName, other: DistinguishedName): boolean =>
  one.length > 0 && JSON.stringify(one) === JSON.stringify(other);

function nameOf(parts: readonly (readonly string[])[]): DistinguishedName | null {
  const name = parts.map((attributes) => attributes.map(attributeIn));
  return name.flat().includes(null)
    ? null
    : (name as [string, string][][]).map((relative) => relative.toSorted(byText));
}

const byText = (one: readonly string[], other: readonly string[]): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

/** RFC 4514 §3: attributeTypeAndValue. RFC 4512 §1.4: a descr or a numericoid. */
const ATTRIBUTE = /^\s*([A-Za-z][A-Za-z0-9-]*|(?:OID\.)?\d+(?:\.\d+)+)\s*=\s*(.*)$/s;

function attributeIn(text: string): [string, string] | null {
  const [, type = '', written] = ATTRIBUTE.exec(text) ?? [];
  if (written === undefined || written.startsWith('#')) return null;
  const value = unescaped(written);
  const name = type.toLowerCase().replace(/^oid\./, '');
  return value === null || value === '' ? null : [TYPE_OF.get(name) ?? name, prepared(value)];
}

/** At each separator that no backslash precedes. */
function split(text: string, separator: ',' | '+'): string[] {
  const parts = [''];
  for (const [one] of text.matchAll(/\\.|[^\\]|\\/gs)) {
    if (one === separator) parts.push('');
    else parts[parts.length - 1] += one;
  }
  return parts;
}

/** RFC 4514 §2.4: a backslash before a special character, or before the two hexadecimal digits of an octet of UTF-8. */
function unescaped(text: string): string | null {
  const octets: number[] = [];
  for (const [one, escaped] of text.matchAll(/\\([0-9A-Fa-f]{2}|[ "#+,;<=>\\])|[^\\]|\\/gsu)) {
    if (one === '\\') return null;
    if (escaped?.length === 2) octets.push(Number.parseInt(escaped, 16));
    else octets.push(...new TextEncoder().encode(escaped ?? one));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(octets));
  } catch {
    return null;
  }
}

/** RFC 4518 §2: case, forms of one character and repeated spaces make no difference. */
const prepared = (value: string): string => value.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ');
