export type ClientState = 'unregistered' | 'registered' | 'deleted';

export type ClientContext = {
  /** Configuration declares it, and it is changed there only. */
  readonly isDeclared: boolean;
  /** It authenticates with a secret. */
  readonly isConfidential: boolean;
  readonly liveSecrets: number;
};

type ClientChange = {
  /** False: the stored client differs from the one that the request expects (RFC 9110 §13.1). */
  readonly expectationHolds: boolean;
  /** The request comes from the configuration files. */
  readonly byConfiguration: boolean;
};
export type ClientEvent =
  /** `differs`: the sent registration differs from the stored one. */
  | ({ readonly type: 'registrationRequested'; readonly differs: boolean } & ClientChange)
  /** `secretIsLive`: the secret that the request names is live. */
  | ({ readonly type: 'secretRemovalRequested'; readonly secretIsLive: boolean } & ClientChange)
  /** `secretRequested`: in addition to the live secret. `secretReplacementRequested`: instead of every live secret. */
  | ({
      readonly type: 'secretRequested' | 'secretReplacementRequested' | 'deletionRequested';
    } & ClientChange);
