/** The page at the address of the server itself. */
export const home = {
  whatThisIs: 'Apps send you here to sign in, and to decide what an app may do.',
  whoseThisIs: (organization: string) =>
    `This is where you sign in to ${organization}. Apps send you here to sign in, and to decide what an app may do.`,
  nothingToDo: 'To sign in to an app, begin in the app.',
  account: 'Your account',
  accountSays: 'What you have allowed, and where you are signed in',
  tryIt: 'Try it',
  playground: 'Open the playground',
  signInThere: (username: string, password: string) =>
    `Sign in there as ${username} with the password ${password}. This is a demo end-user, who exists only on the embedded database of this machine.`,
  operatorToo: 'The same end-user is an operator here:',
  console: 'open the console',
  developers: 'For developers',
  server: (issuer: string) => `This is the authorization server ${issuer}, which runs Statehouse.`,
  guides: (files: string) => `The guides are in the folder of Statehouse: ${files}.`,
  metadataSays: 'Client libraries find everything in',
  metadata: 'the metadata of this server',
};
