import type { consent as english } from '../en/consent.ts';

export const consent: typeof english = {
  title: (client) => `${client} Zugriff erlauben?`,
  wants: 'Die App möchte:',
  wantsAt: (resource) => `Bei ${resource} möchte die App:`,
  wantsInAt: (resource) =>
    `Bei ${resource} möchte die App Zugang erhalten, ohne eine der Berechtigungen, die es dort gibt.`,
  sentTo: (destination) =>
    `Sie werden zu ${destination} weitergeleitet. Wenn Sie das nicht erwartet haben, lehnen Sie ab.`,
  rememberedFor: (time) => `Ihre Antwort gilt ${time} lang. Danach werden Sie wieder gefragt.`,
  terms: (client) => `Nutzungsbedingungen von ${client}`,
  policy: (client) => `Datenschutzerklärung von ${client}`,
  startedThis: 'Haben Sie das gerade selbst begonnen?',
  onThisDevice:
    'Die Antwort geht an eine App auf diesem Gerät, und jede App auf diesem Gerät könnte sich als sie ausgeben. Wenn Sie das nicht begonnen haben, lehnen Sie ab.',
  allow: 'Erlauben',
  deny: 'Ablehnen',
  signedInAs: (username) => `Angemeldet als ${username}.`,
  switchUser: 'Anderes Konto verwenden',
};
