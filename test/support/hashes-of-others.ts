/** Hashes of passwords that other software wrote, each with its source. */
import hashes from './hashes-of-others.json' with { type: 'json' };

export type HashOfOthers = {
  /** The software and its version. */
  readonly by: string;
  /** The call or command that wrote the hash. */
  readonly command: string;
  /** How the server names it. */
  readonly format: string;
  readonly password: string;
  readonly hash: string;
  /** Of the application; absent: it has none. */
  readonly pepper?: string;
};

export const HASHES_OF_OTHERS: readonly HashOfOthers[] = hashes;

/** The one application with a pepper. */
export const PEPPER_OF_OTHERS = HASHES_OF_OTHERS.find(({ pepper }) => pepper !== undefined)?.pepper ?? '';
