/**
 * LDIF (RFC 2849) of a directory such as OpenLDAP. Persons are entries of inetOrgPerson (RFC 2798).
 *
 * The reader of the file makes an object of each entry: attributes have lower-case names and lists of values.
 */
import { type Draft, userOf } from './draft.ts';
import type { Converted, JsonObject, Source, SourceOptions } from './source.ts';
import { fullName, instantIn, listOf, textIn } from './values.ts';

export const ldif: Source = {
  name: 'ldif',
  system: 'LDAP',
  file: 'the output of "slapcat", or of "ldapsearch -LLL" with userPassword (LDIF)',
  brings: 'passwords, names, addresses, groups by memberOf',
  reference: 'https://www.rfc-editor.org/rfc/rfc2849',
  isLdif: true,
  open: (options) => ({ convert: ({ value }) => convert(options, value) }),
};

const PERSONS = ['person', 'inetorgperson', 'organizationalperson', 'posixaccount', 'account', 'user'];

function convert(options: SourceOptions, entry: JsonObject): Converted {
  const classes = listOf(entry, 'objectclass').map((name) => String(name).toLowerCase());
  if (!classes.some((name) => PERSONS.includes(name))) return { kind: 'other' };
  const first = (name: string) => textIn(listOf(entry, name)[0]);
  const username = first('uid') ?? first('samaccountname') ?? first('mail');
  const groups = listOf(entry, 'memberof');
  const [given, family] = [first('givenname'), first('sn')];
  const draft: Draft = {
    sub: first('entryuuid') ?? username,
    username,
    passwordHash: first('userpassword'),
    disabled: first('pwdaccountlockedtime') !== undefined || isDisabled(first('useraccountcontrol')),
    createdAt: instantIn(first('createtimestamp')?.replace(GENERALIZED, '$1-$2-$3T$4:$5:$6Z')),
    claims: {
      email: first('mail'),
      given_name: given,
      family_name: family,
      name: first('displayname') ?? first('cn') ?? fullName(given, family),
      phone_number: first('telephonenumber'),
      locale: first('preferredlanguage')?.split(/[,;]/)[0]?.trim(),
    },
    custom: groups.length > 0 ? { groups } : {},
  };
  const more = listOf(entry, 'mail').length > 1 ? ['second e-mail address: a user has one here'] : [];
  return userOf(options, draft, more);
}

/** The GeneralizedTime of LDAP. */
const GENERALIZED = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/;

/** ACCOUNTDISABLE of Active Directory. */
const isDisabled = (control: string | undefined): boolean => (Number(control ?? 0) & 2) !== 0;
