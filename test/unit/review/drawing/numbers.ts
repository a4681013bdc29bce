/** A policy of numbers that are all different, so that a picture distinguishes them. */
import type { Numbers } from '../../../../src/review/drawing/policy-numbers.ts';

const DAY = 86_400;

export const NUMBERS: Numbers = {
  policyName: 'of-the-test',
  policy: {
    accessTokenLifetimeSeconds: 11 * 60,
    authorizationCodeLifetimeSeconds: 77,
    refreshIdleLifetimeSeconds: 13 * DAY,
    refreshAbsoluteLifetimeSeconds: 117 * DAY,
  },
  signIn: {
    sessionLifetimeSeconds: 5 * 3600,
    sessionIdleLifetimeSeconds: 37 * 60,
    interactionLifetimeSeconds: 19 * 60,
    requirePushedAuthorizationRequests: false,
    failureWindowSeconds: 900,
    failuresPerAccountAndAddress: 10,
    failuresPerAccount: 100,
    signUpWith: 'password',
    identifiers: 'username',
    signInPage: 'together',
    importFastHashes: false,
    signUp: 'off',
    lostFactors: 'administrator',
    codeByMail: false,
    codeByMailLifetimeSeconds: 600,
    codeByMailAttempts: 5,
    failuresPerAddress: 100,
    secondFactor: 'nobody',
    passkeyAfterPassword: 'required',
    knownDeviceLifetimeSeconds: 86_400,
    passwordMinimumCharacters: 15,
    passwordMinimumCharactersWithSecondFactor: 8,
    recentSignInSeconds: 600,
    trustedBrowserLifetimeSeconds: 0,
  },
  signingKeys: {
    algorithms: ['ES256', 'RS256'],
    publishedBeforeSigningSeconds: 3 * DAY,
    signingLifetimeSeconds: 41 * DAY,
    jwksMaxAgeSeconds: 300,
  },
};
