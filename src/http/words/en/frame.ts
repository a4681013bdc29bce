/** What stands around the body of every page. */
export const frame = {
  help: 'Help',
  terms: 'Terms of service',
  privacy: 'Privacy policy',
};
