/** Raw and stored secrets have different types, so that code cannot confuse them. */
declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** As an end-user or client presents it. The server never stores or logs it. */
export type RawSecret = Branded<string, 'RawSecret'>;
/** A hash that the database may hold. */
export type PasswordHash = Branded<string, 'PasswordHash'>;
/** SHA-256 of an imported hash (base64url). */
export type ImportedHash = Branded<string, 'ImportedHash'>;

export const rawSecret = (value: string) => value as RawSecret;
export const storedPasswordHash = (value: string) => value as PasswordHash;
