/**
 * The methods of a sign-in: RFC 8176 §2 names them (`amr`), and this server names the classes (`acr`, OpenID Connect
 * Core §2).
 */

/** The methods that this server performs itself. Another OpenID Provider may name others. */
export const BY_PASSWORD = ['pwd'] as const;
/** Whether a password is among the methods. */
export const hasPassword = (amr: readonly string[]): boolean => amr.includes(BY_PASSWORD[0]);
/** The methods that a code of an authenticator app, or a recovery code, adds to the sign-in before it. */
export const BY_CODE = ['otp', 'mfa'] as const;
/**
 * A code in a mail, which signs in without a password. It is one factor: the mailbox. RFC 8176 §2 has no name for a mail, and `otp` is
 * its name for a password that is valid once.
 */
export const BY_MAILED_CODE = ['otp'] as const;
/** Whether nothing but a code in a mail is among the methods. */
export const isByMailAlone = (amr: readonly string[]): boolean => amr.join() === BY_MAILED_CODE.join();
/**
 * A passkey that verified the end-user counts as two factors: the key, and the unlocking of the key. `isSynced`: it may
 * be on several devices.
 */
export const byPasskey = (isSynced: boolean): readonly string[] => [isSynced ? 'swk' : 'hwk', 'user', 'mfa'];

/**
 * The classes, each satisfied by those after it. The first stands for one factor, the second for two, and the third for
 * a factor that no page of an attacker can request.
 */
export const AUTHENTICATION_CLASSES = [
  'urn:statehouse:acr:password',
  'urn:statehouse:acr:multi-factor',
  'urn:statehouse:acr:phishing-resistant',
] as const;
export type AuthenticationClass = (typeof AUTHENTICATION_CLASSES)[number];

/** The class that a policy names. */
export const classNamed = (name: 'multi-factor' | 'phishing-resistant'): AuthenticationClass =>
  `urn:statehouse:acr:${name}`;

const SEVERAL_FACTORS = 'mfa';
/** A key in hardware or in software, whose signature names the site (WebAuthn). */
const KEYS = ['hwk', 'swk'];

/** @param amr the names of RFC 8176. */
export function authenticationClassOf(amr: readonly string[]): AuthenticationClass {
  const [password, multiFactor, phishingResistant] = AUTHENTICATION_CLASSES;
  if (!amr.includes(SEVERAL_FACTORS)) return password;
  return amr.some((method) => KEYS.includes(method)) ? phishingResistant : multiFactor;
}

/**
 * The position of a class in the list, which is its strength. Null, or a class of another provider: 0, which every
 * sign-in has.
 */
export const levelOf = (authenticationClass: string | null): number =>
  Math.max(0, AUTHENTICATION_CLASSES.indexOf(authenticationClass as AuthenticationClass));

/**
 * `acr_values` lists classes of which any is enough (OpenID Connect Core §3.1.2.1), so the weakest known class counts.
 * @returns null: the request names no known class. It is a voluntary request, and then any sign-in is enough.
 */
export function classAskedFor(acrValues: string): AuthenticationClass | null {
  const asked = acrValues.split(' ');
  return AUTHENTICATION_CLASSES.find((one) => asked.includes(one)) ?? null;
}

/** The strongest of the classes. Null: none is required. */
export const strongestOf = (classes: readonly (AuthenticationClass | null | undefined)[]): AuthenticationClass | null =>
  AUTHENTICATION_CLASSES.findLast((one) => classes.includes(one)) ?? null;

/** Both lists without repetition, in their order. */
export const methodsOf = (before: readonly string[], added: readonly string[]): readonly string[] => [
  ...new Set([...before, ...added]),
];

/** Whether a sign-in of one class satisfies a request for another. */
export const satisfies = (actual: AuthenticationClass, wanted: AuthenticationClass): boolean =>
  AUTHENTICATION_CLASSES.indexOf(actual) >= AUTHENTICATION_CLASSES.indexOf(wanted);
