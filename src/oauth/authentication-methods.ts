/** How an end-user signed in: RFC 8176 §2 names the methods (`amr`), and this server the classes (`acr`, OpenID Connect Core §2). */

/** The methods that this server performs itself; another OpenID Provider may name others. */
export const BY_PASSWORD = ['pwd'] as const;
/** Whether a password is among what was shown here. */
export const hasPassword = (amr: readonly string[]): boolean => amr.includes(BY_PASSWORD[0]);
/** What a code of an authenticator app, or a recovery code, adds to the sign-in before it. */
export const BY_CODE = ['otp', 'mfa'] as const;
/** A passkey that verified the end-user is two factors: the key, and what unlocks it. `isSynced`: it may be on several devices. */
export const byPasskey = (isSynced: boolean): readonly string[] => [isSynced ? 'swk' : 'hwk', 'user', 'mfa'];

/**
 * The classes, each satisfied by those after it. An end-user who used one factor is in the first, with two in the second, and with a
 * factor that no impostor's page can ask for in the third.
 */
export const AUTHENTICATION_CLASSES = [
  'urn:statehouse:acr:password',
  'urn:statehouse:acr:multi-factor',
  'urn:statehouse:acr:phishing-resistant',
] as const;
export type AuthenticationClass = (typeof AUTHENTICATION_CLASSES)[number];

/** As policies name it. */
export const classNamed = (name: 'multi-factor' | 'phishing-resistant'): AuthenticationClass =>
  `urn:statehouse:acr:${name}`;

const SEVERAL_FACTORS = 'mfa';
/** A key in hardware or in software, whose signature names the site (WebAuthn). */
const KEYS = ['hwk', 'swk'];

/** @param amr as RFC 8176 names them. */
export function authenticationClassOf(amr: readonly string[]): AuthenticationClass {
  const [password, multiFactor, phishingResistant] = AUTHENTICATION_CLASSES;
  if (!amr.includes(SEVERAL_FACTORS)) return password;
  return amr.some((method) => KEYS.includes(method)) ? phishingResistant : multiFactor;
}

/** The place of a class in the list: how strong it is. Null, or a class of somebody else: 0, which any sign-in has. */
export const levelOf = (authenticationClass: string | null): number =>
  Math.max(0, AUTHENTICATION_CLASSES.indexOf(authenticationClass as AuthenticationClass));

/**
 * `acr_values` names classes of which any is enough (OpenID Connect Core §3.1.2.1), so what is needed is the weakest that is known here.
 * @returns null: no class is asked for, or none that is known. It is a voluntary request, and any sign-in is enough then.
 */
export function classAskedFor(acrValues: string): AuthenticationClass | null {
  const asked = acrValues.split(' ');
  return AUTHENTICATION_CLASSES.find((one) => asked.includes(one)) ?? null;
}

/** The strongest of them; null: none is required. */
export const strongestOf = (classes: readonly (AuthenticationClass | null | undefined)[]): AuthenticationClass | null =>
  AUTHENTICATION_CLASSES.findLast((one) => classes.includes(one)) ?? null;

/** Both lists without repetition, in their order. */
export const methodsOf = (before: readonly string[], added: readonly string[]): readonly string[] => [
  ...new Set([...before, ...added]),
];

/** Whether a sign-in of one class is enough where another is asked for. */
export const satisfies = (actual: AuthenticationClass, wanted: AuthenticationClass): boolean =>
  AUTHENTICATION_CLASSES.indexOf(actual) >= AUTHENTICATION_CLASSES.indexOf(wanted);
