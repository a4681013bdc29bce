/** The name of a browser, as far as it has told it. */
export const browser = {
  unknown: 'A browser',
  on: (name: string, system: string) => `${name} on ${system}`,
};
