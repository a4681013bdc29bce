/**
 * Identity providers that many teams use, with what differs from the defaults of `upstreams.yaml`. The issuer is absent
 * where each customer has one of their own.
 */
export type Preset = {
  readonly label: string;
  readonly issuer?: string;
  readonly token_endpoint_auth_method?: 'client_secret_post';
  readonly scope?: readonly string[];
  readonly usernameClaim?: string;
  readonly authTime?: 'optional';
};

export const PRESET_NAMES = ['google', 'microsoft', 'apple', 'gitlab', 'github', 'okta', 'keycloak'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  // Its ID Tokens have neither auth_time nor preferred_username.
  google: {
    label: 'Google',
    issuer: 'https://accounts.google.com',
    usernameClaim: 'email',
    authTime: 'optional',
  },
  // The issuer names the directory of the customer; auth_time is an optional claim there.
  microsoft: { label: 'Microsoft', authTime: 'optional' },
  // With the scopes `name` and `email` it answers by a form only, and so never here.
  apple: {
    label: 'Apple',
    issuer: 'https://appleid.apple.com',
    token_endpoint_auth_method: 'client_secret_post',
    scope: ['openid'],
    usernameClaim: 'email',
    authTime: 'optional',
  },
  gitlab: { label: 'GitLab', issuer: 'https://gitlab.com' },
  // OAuth without OpenID Connect (src/people/upstream/github.ts).
  github: {
    label: 'GitHub',
    issuer: 'https://github.com',
    token_endpoint_auth_method: 'client_secret_post',
    scope: ['read:user', 'user:email'],
    authTime: 'optional',
  },
  okta: { label: 'Okta' },
  keycloak: { label: 'Keycloak' },
};
