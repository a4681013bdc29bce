/** What the end-user has allowed. */
export const accountApps = {
  title: 'What you have allowed',
  none: 'You have not allowed any app anything, or all of it has ended. When you sign in to an app and allow it something, it is listed here.',
  more: 'These are the newest. The others are shown when you end some of these.',
  ended:
    'Ended. That app gets nothing new and has to ask you again. What it holds already ends by itself, within the hour at the latest.',
  holdsNothing: 'It holds no access now. When you sign in to it again, it gets this without asking.',
  since: (since: string) => `Allowed since ${since}.`,
  asksAgainFrom: (day: string) => `It need not ask you again until ${day}.`,
  neverUsed: 'Not used yet.',
  lastUsed: (lastUsed: string) => `Last used on ${lastUsed}.`,
  end: (client: string) => `End access of ${client}`,
  mayAt: (resource: string) => `At ${resource} it may:`,
  may: 'It may:',
  letInAt: (resource: string) => `At ${resource} it may be let in, with none of the permissions that exist there.`,
};
