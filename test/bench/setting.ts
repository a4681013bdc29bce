/** The parameters that are the same for all three servers: the client, the user, the scope, and the lifetimes. */
import { createHash } from 'node:crypto';

export const CLIENT_ID = 'bench';
export const CLIENT_SECRET = 'a-client-secret-that-only-the-benchmark-uses';
export const REDIRECT_URI = 'https://client.test/callback';
export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];
export const SUBJECT_ID = '5a3c1b0e-7d52-4f0e-9a57-1c2f6f0b8e11';

/** Of every end-user who signs in. The hash is argon2id at its lowest cost: the cost of a real one is known, and would hide the rest. */
export const PASSWORD = 'a password';
export const PASSWORD_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$NyI/2C/koUnRp54P2FteOQ$kVZXItE4EpONFHOl8xFHJXhk/7FGnqOuazmTPaoCyto';

/** Those of policies/resources.yaml, policies/default.policy.yaml and policies/sign-in.yaml: Statehouse runs as it is shipped. */
export const RESOURCE = 'https://api.example.com';
export const SCOPE = ['read', 'write'];
export const ACCESS_TOKEN_SECONDS = 900;
export const CODE_SECONDS = 60;
export const SESSION_SECONDS = 43_200;
export const REFRESH_IDLE_SECONDS = 2_592_000;
export const REFRESH_ABSOLUTE_SECONDS = 15_552_000;

/** One pair for all codes: the cost of its check does not depend on the value. */
export const VERIFIER = 'a-verifier-of-at-least-43-characters-as-RFC-7636-wants';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** The root secret of Statehouse, and the key of the floor. */
export const SERVER_SECRET = 'a-server-secret-for-measuring-of-more-than-32-bytes';
