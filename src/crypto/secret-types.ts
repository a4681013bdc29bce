/** Raw and stored secrets have different types, so that one can never stand where the other belongs. */
declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** As a person or client presents it. Never stored, never logged. */
export type RawSecret = Branded<string, 'RawSecret'>;
/** What the database may hold. */
export type PasswordHash = Branded<string, 'PasswordHash'>;

export const rawSecret = (value: string) => value as RawSecret;
export const storedPasswordHash = (value: string) => value as PasswordHash;
