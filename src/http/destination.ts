import type { Look } from './look.ts';

/** Where a redirect leads, for the end-user to judge: a host, or the scheme of an app. */
export function destinationOf({ words }: Look, redirectUri: string): string {
  const url = new URL(redirectUri);
  return url.protocol === 'https:' || url.protocol === 'http:'
    ? url.host
    : words.access.appOnThisDevice({ scheme: url.protocol });
}
