import type { access as english } from '../en/access.ts';

export const access: typeof english = {
  standard: {
    openid: 'wissen, dass Sie es sind',
    profile: 'Ihren Namen und Ihr Profil sehen',
    email: 'Ihre E-Mail-Adresse sehen',
    address: 'Ihre Postanschrift sehen',
    phone: 'Ihre Telefonnummer sehen',
  },
  use: (scope) => `„${scope}“ nutzen`,
  whileAway: 'Das gilt auch, wenn Sie nicht da sind. Sie können es jederzeit beenden.',
  notWhileAway: 'Das gilt nur, solange Sie da sind: Was die App bekommt, läuft innerhalb einer Stunde von selbst ab.',
  appOnThisDevice: (scheme) => `eine App auf diesem Gerät (${scheme})`,
};
