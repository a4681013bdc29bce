/** The pictures of pages that the documentation shows. `npm run pictures -- --docs` makes them. */
export const PICTURES_IN_DOCS = [
  { file: 'sign-in.webp', page: 'sign-in', language: 'en', scheme: 'light', screen: 'phone' },
  { file: 'sign-in-branded.webp', page: 'sign-in', language: 'fr', scheme: 'light', screen: 'phone' },
  { file: 'sign-in-dark.webp', page: 'sign-in', language: 'es', scheme: 'dark', screen: 'phone' },
  { file: 'sign-in-arabic.webp', page: 'sign-in', language: 'ar', scheme: 'light', screen: 'phone' },
  { file: 'consent.webp', page: 'consent', language: 'en', scheme: 'light', screen: 'phone' },
  { file: 'account.webp', page: 'account', language: 'en', scheme: 'light', screen: 'desk' },
  { file: 'mail.webp', page: 'mail-reset_password', language: 'en', scheme: 'light', screen: 'desk' },
] as const;
