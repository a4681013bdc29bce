/** The management API for commands: a problem of the API becomes a CommandRefused with its text. */
import { type Answer, managementClient } from '../../management/client/client.ts';
import type { Asked, Document, PathWith } from '../../management/client/documents.ts';
import type { Transport } from '../../management/client/transport.ts';
import type { Method } from '../../management/operations.ts';
import { type Names, refusalOf } from './refusals.ts';

export type Answered<Value> = Omit<Extract<Answer<Value>, { readonly ok: true }>, 'ok'>;

export type ManagementApi = {
  /** @throws ApiRefused; CommandRefused when there is no answer */
  readonly send: <M extends Method, P extends PathWith<M>>(
    method: M,
    path: P,
    asked: Asked<M, P>,
  ) => Promise<Answered<Document<M, P>>>;
};

export function managementApi(transport: Transport, names: Names): ManagementApi {
  const client = managementClient(transport);
  return {
    send: async (method, path, asked) => {
      const answer = await client.send(method, path, asked);
      if (answer.ok) return answer;
      throw refusalOf(answer.problem, names);
    },
  };
}
