export type ClientState = 'unregistered' | 'registered' | 'deleted';

export type ClientContext = {
  /** Configuration declares it, and it is changed there only. */
  readonly isDeclared: boolean;
  /** It authenticates with a secret. */
  readonly isConfidential: boolean;
  /** The names of its secrets. */
  readonly secretIds: readonly string[];
};

type ClientChange = {
  /** False: the stored client differs from the one that the request expects (RFC 9110 §13.1). */
  readonly expectationHolds: boolean;
  /** The request comes from the configuration files. */
  readonly byConfiguration: boolean;
};
export type ClientEvent =
  /** `differing`: the fields in which the sent registration differs from the stored one. */
  | ({ readonly type: 'registrationRequested'; readonly differing: readonly string[] } & ClientChange)
  | ({ readonly type: 'secretRemovalRequested'; readonly secretId: string } & ClientChange)
  /** `secretRequested`: in addition to the live secret. `secretReplacementRequested`: instead of every live secret. */
  | ({
      readonly type: 'secretRequested' | 'secretReplacementRequested' | 'deletionRequested';
    } & ClientChange);
