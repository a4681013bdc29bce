/** Rejections of the machines of clients and end-users, as problems. */
import { isDeclared } from '../config/configuration.ts';
import { describeRecordProblem } from '../config/problem.ts';
import { ADMINISTRATION_WORDS, ChangeRefused, type RefusedChange } from '../registration/administration.ts';
import { ClientIdIsSub, idOfUser } from '../registration/register-client.ts';
import type { ManagementDeps } from './deps.ts';
import { type Problem, type ProblemReason, problem } from './problem.ts';
import type { Answer } from './resource.ts';

const REASONS: Readonly<Record<RefusedChange, ProblemReason>> = {
  client_unknown: 'not_found',
  user_unknown: 'not_found',
  secret_unknown: 'not_found',
  client_is_declared: 'client_is_declared',
  client_is_own: 'client_is_own',
  client_is_public: 'client_is_public',
  too_many_secrets: 'too_many_secrets',
  last_secret: 'last_secret',
  username_taken: 'username_taken',
  address_taken: 'address_taken',
  changed_meanwhile: 'changed_meanwhile',
};

export const rejected = (reason: RefusedChange): Problem =>
  problem(REASONS[reason], `${ADMINISTRATION_WORDS[reason]}. Nothing was changed.`);

/** A client that the files declare, and that the next start has not stored yet. */
export const declaredInFiles = ({ configuration }: Pick<ManagementDeps, 'configuration'>, clientId: string) =>
  isDeclared(configuration(), clientId) ? rejected('client_is_declared') : null;

const ID_OF_USER = describeRecordProblem(idOfUser(null));

/** @param changedMeanwhile the answer where the resource is not as the request expects. */
export async function orRejected(
  change: () => Promise<Answer>,
  changedMeanwhile: () => Promise<Answer> | Answer = () => rejected('changed_meanwhile'),
): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof ChangeRefused) {
      return error.reason === 'changed_meanwhile' ? changedMeanwhile() : rejected(error.reason);
    }
    if (error instanceof ClientIdIsSub) {
      return problem('invalid_fields', 'Nothing was changed.', [{ field: 'client_id', detail: ID_OF_USER }]);
    }
    throw error;
  }
}

/** @param fields that the request would change. */
export const conditionNeeded = (fields: readonly string[]): Problem =>
  problem(
    'precondition_required',
    'Send If-Match with the entity tag of the version that you read (RFC 6585 §3), so that no concurrent change is lost. Nothing was changed.',
    fields.map((field) => ({ field, detail: 'Would be changed.' })),
  );
