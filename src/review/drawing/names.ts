/** The names of a machine: as it is called in code, on the command line, and by people. */

/** `authorizationCode` → `authorization-code`. */
export const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `authorizationCode` → `Authorization code`. */
export const titleOf = (name: string): string => {
  const words = kebab(name).replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
