/** The scopes of the API, as policies/operators.yaml grants them. */
import { MANAGEMENT_SCOPES } from '../config/management-resource.ts';

export type Scope = (typeof MANAGEMENT_SCOPES)[number]['name'];

export const SCOPES: readonly Scope[] = MANAGEMENT_SCOPES.map(({ name }) => name);
