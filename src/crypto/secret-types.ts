/** Raw and stored secrets have different types, so that they cannot be confused. */
declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** As an end-user or client presents it. Never stored, never logged. */
export type RawSecret = Branded<string, 'RawSecret'>;
/** What the database may hold. */
export type PasswordHash = Branded<string, 'PasswordHash'>;
/** SHA-256 of a hash that was imported (base64url). */
export type ImportedHash = Branded<string, 'ImportedHash'>;

export const rawSecret = (value: string) => value as RawSecret;
export const storedPasswordHash = (value: string) => value as PasswordHash;
