/** The schema of an API for the claims of its tokens: any library that implements Standard Schema, such as zod. */
import type { AccessTokenClaims } from './outcome.ts';

/** https://standardschema.dev, version 1: the part that the guard calls. */
export type ClaimsSchema<Claims> = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Claims> | Promise<Validated<Claims>>;
  };
};

type Validated<Claims> =
  | { readonly value: Claims; readonly issues?: undefined }
  | { readonly issues: readonly unknown[] };

/** @returns null where the schema rejects the claims. The output of the schema replaces the claims that it names. */
export async function validClaims<Claims>(
  schema: ClaimsSchema<Claims>,
  claims: AccessTokenClaims,
): Promise<(AccessTokenClaims & Claims) | null> {
  const result = await schema['~standard'].validate(claims);
  return result.issues === undefined ? { ...claims, ...result.value } : null;
}
