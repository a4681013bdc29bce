/** Names of claims: their scopes, reserved names, and valid names. */
import { describe, expect, it } from 'vitest';
import {
  AUTHORIZATION_CLAIMS,
  CLAIM_NAME,
  CLAIM_NAME_EXPECTED,
  CLAIM_PLACES,
  isSelfDescribed,
  RESERVED_CLAIMS,
  STANDARD_CLAIMS,
  STANDARD_CLAIMS_OF,
} from '../../../src/oauth/claims.ts';

const words = (text: string) => text.trim().split(/\s+/);

describe('claims', () => {
  it('are requested by the scopes of OpenID Connect Core §5.4', () => {
    const profile =
      words(`name family_name given_name middle_name nickname preferred_username profile picture website gender
      birthdate zoneinfo locale updated_at`);
    const contact = words('email email_verified address phone_number phone_number_verified');
    expect(STANDARD_CLAIMS_OF).toEqual({
      profile,
      email: ['email', 'email_verified'],
      address: ['address'],
      phone: ['phone_number', 'phone_number_verified'],
    });
    expect(STANDARD_CLAIMS).toEqual([...profile, ...contact]);
  });

  it.each([
    ['RFC 7519 §4.1', 'iss sub aud exp nbf iat jti'],
    ['OpenID Connect Core §2, §3.1.3.6, §3.3.2.11, §7.4', 'nonce auth_time acr amr azp at_hash c_hash sub_jwk'],
    ['Front-Channel Logout 1.0 §3, FAPI 1.0 Advanced §5.1', 'sid s_hash'],
    ['RFC 9068 §2.2, RFC 7662 §2.2', 'scope client_id active token_type username'],
    ['OpenID Connect Core §5.6', 'claims'],
    ['RFC 7800 §3.1, RFC 8693 §4, RFC 8417 §2.2, RFC 9396 §9', 'cnf act may_act events toe txn authorization_details'],
    ['the header of a JWT', 'alg kid typ'],
    ['a record of an end-user', 'password'],
  ])('of %s keep their meaning: no end-user has them', (_, names) => {
    for (const name of words(names)) expect(RESERVED_CLAIMS).toContain(name);
  });

  it('of authorization are those of RFC 9068 §2.2.3.1', () => {
    expect(AUTHORIZATION_CLAIMS).toEqual(['groups', 'roles', 'entitlements']);
  });

  it('about themselves may be edited by end-users, but no verified address and no instant of the server', () => {
    const edited = STANDARD_CLAIMS.filter(isSelfDescribed);
    const others = STANDARD_CLAIMS.filter((name) => !isSelfDescribed(name));
    expect(edited).toEqual([...(STANDARD_CLAIMS_OF['profile'] ?? []).slice(0, -1), 'phone_number']);
    expect(others).toEqual(['updated_at', 'email', 'email_verified', 'address', 'phone_number_verified']);
    expect(isSelfDescribed('groups')).toBe(false);
  });

  it('of the standard scopes are not reserved, and no name is empty', () => {
    for (const name of STANDARD_CLAIMS) expect(RESERVED_CLAIMS).not.toContain(name);
    for (const name of RESERVED_CLAIMS) expect(name).toMatch(CLAIM_NAME);
  });

  it('have a name whose rule is stated verbatim', () => {
    expect(CLAIM_NAME_EXPECTED).toBe('a letter, then at most 99 visible ASCII characters without " and \\');
  });

  it('can be released in three places', () => {
    expect(CLAIM_PLACES).toEqual(['userinfo', 'id_token', 'access_token']);
  });

  it.each(['a', 'Z', 'https://example.org/claims#department', 'a!#$[]^~', `a${'b'.repeat(99)}`])(
    '%j is a valid name',
    (name) => {
      expect(CLAIM_NAME.test(name)).toBe(true);
    },
  );

  it.each(['', '1a', '_a', 'a b', ' a', 'a"', 'a\\', 'a\n', 'é', 'aé', 'a\x7f', `a${'b'.repeat(100)}`])(
    '%j is no valid name',
    (name) => {
      expect(CLAIM_NAME.test(name)).toBe(false);
    },
  );
});
