/**
 * Supabase (GoTrue): the rows of auth.users, and where they are given of auth.identities, as JSON or CSV. Columns as the migrations of
 * supabase/auth make them; https://supabase.com/docs/guides/auth/users.
 */
import { type Draft, type Link, linked, userOf } from './draft.ts';
import type { Adapter, Converted, JsonObject, Source, SourceOptions } from './source.ts';
import { addTo, flagOf, instantOf, objectOf, textOf } from './values.ts';

export const supabase: Source = {
  name: 'supabase',
  system: 'Supabase',
  file: 'the rows of auth.users, and of auth.identities as a second file (JSON or CSV)',
  brings: 'passwords, links to identity providers (from auth.identities), banned users, metadata, dates',
  reference: 'https://supabase.com/docs/guides/auth/users',
  open,
};

const isIdentity = (row: JsonObject): boolean => Object.hasOwn(row, 'identity_data') && Object.hasOwn(row, 'user_id');

function open(options: SourceOptions): Adapter {
  const links = new Map<string, Link[]>();
  return {
    prepare: ({ value }) => {
      if (!isIdentity(value)) return;
      const data = objectOf(value, 'identity_data');
      const owner = textOf(value, 'user_id') ?? '';
      const provider = textOf(value, 'provider') ?? '';
      // An address or a phone number is an identity of GoTrue itself.
      if (['email', 'phone', ''].includes(provider)) return;
      const sub = textOf(data, 'sub') ?? textOf(value, 'provider_id');
      addTo(links, owner, { provider, sub, issuer: issuerIn(data) });
    },
    convert: ({ value }) => (isIdentity(value) ? { kind: 'other' } : convert(options, links, value)),
  };
}

/** GoTrue writes that of Google as an address of its API. */
function issuerIn(data: JsonObject): string | undefined {
  const issuer = textOf(data, 'iss');
  return issuer === undefined || issuer.includes('/userinfo') ? undefined : issuer;
}

function convert(options: SourceOptions, all: ReadonlyMap<string, readonly Link[]>, row: JsonObject): Converted {
  const id = textOf(row, 'id');
  if (textOf(row, 'deleted_at') !== undefined) return { kind: 'other', leftOut: ['deleted user'] };
  if (flagOf(row, 'is_anonymous') === true) return { kind: 'other', leftOut: ['anonymous user'] };
  const links = linked(options, all.get(id ?? '') ?? []);
  const meta = objectOf(row, 'raw_user_meta_data');
  const app = objectOf(row, 'raw_app_meta_data');
  const [email, phone] = [textOf(row, 'email'), textOf(row, 'phone')];
  const bannedUntil = instantOf(row, 'banned_until');
  const draft: Draft = {
    sub: id,
    username: email ?? phone ?? id,
    passwordHash: textOf(row, 'encrypted_password'),
    disabled: bannedUntil !== undefined && bannedUntil > new Date().toISOString(),
    createdAt: instantOf(row, 'created_at'),
    identities: links.identities,
    claims: {
      email,
      email_verified: (textOf(row, 'email_confirmed_at') ?? textOf(row, 'confirmed_at')) !== undefined,
      phone_number: phone === undefined ? undefined : phone.replace(/^(?=\d)/, '+'),
      phone_number_verified: textOf(row, 'phone_confirmed_at') !== undefined,
      name: textOf(meta, 'full_name') ?? textOf(meta, 'name'),
      picture: textOf(meta, 'avatar_url') ?? textOf(meta, 'picture'),
    },
    custom: {
      ...(Object.keys(app).length > 0 && { app_metadata: app }),
      ...(Object.keys(meta).length > 0 && { user_metadata: meta }),
    },
  };
  return userOf(options, draft, links.leftOut);
}
