/** The texts of pages and mails, as a tree: each key of en.json is a path. */
import type { Messages } from './arguments.ts';
import type english from './en.json';

/** A key that begins with "@" describes a message to translators. */
type Key = Exclude<keyof typeof english, `@${string}`>;

/** The first part of each path that follows the prefix, with the text or the group that it leads to. */
type Group<Prefix extends string> = {
  readonly [Path in Key as Path extends `${Prefix}${infer Rest}`
    ? FirstPart<Rest>
    : never]: Path extends `${Prefix}${infer Part}.${string}` ? Group<`${Prefix}${Part}.`> : Text<Path>;
};

type FirstPart<Path extends string> = Path extends `${infer Part}.${string}` ? Part : Path;

/** Where English takes no arguments, plain text. */
type Text<Path extends Key> = Path extends keyof Messages ? Messages[Path] : string;

export type Words = Group<''>;
