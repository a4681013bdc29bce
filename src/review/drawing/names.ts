/** The names of a machine, on the command line and for people. */

/** `authorizationCode` → `authorization-code`. */
export const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `authorizationCode` → `Authorization code`. */
export const titleOf = (name: string): string => {
  const words = kebab(name).replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
