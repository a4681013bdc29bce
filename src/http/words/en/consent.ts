/** The page that asks whether an app may do what it wants to do. */
export const consent = {
  title: (client: string) => `Allow ${client}?`,
  wants: 'It wants to:',
  wantsAt: (resource: string) => `At ${resource} it wants to:`,
  wantsInAt: (resource: string) =>
    `At ${resource} it wants to be let in, with none of the permissions that exist there.`,
  sentTo: (destination: string) => `You will be sent to ${destination}. If you did not expect that, deny.`,
  rememberedFor: (time: string) => `Your answer is remembered for ${time}. After that you are asked again.`,
  terms: (client: string) => `Terms of service of ${client}`,
  policy: (client: string) => `Privacy policy of ${client}`,
  startedThis: 'Have you just started this yourself?',
  onThisDevice:
    'Its answer goes to an app on this device, and any app on this device could pose as it. If you did not start it, deny.',
  allow: 'Allow',
  deny: 'Deny',
  signedInAs: (username: string) => `Signed in as ${username}.`,
  switchUser: 'Use another account',
};
