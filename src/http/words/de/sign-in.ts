import type { signIn as english } from '../en/sign-in.ts';

const waitOf = (seconds: number): string =>
  seconds === 1 ? 'eine Sekunde' : seconds <= 90 ? `${seconds} Sekunden` : `${Math.ceil(seconds / 60)} Minuten`;

export const signIn: typeof english = {
  title: 'Anmelden',
  titleAfterProblem: 'Anmelden: noch nicht gelungen',
  forClient: (client) => `um mit ${client} fortzufahren`,
  forAccount: 'bei Ihrem Konto',
  again:
    'Melden Sie sich noch einmal an, um fortzufahren. Ihre Anmeldung ist eine Weile her, und auf der nächsten Seite lässt sich ändern, wer in Ihr Konto kommt.',
  goOnAs: (username) => `Als ${username} fortfahren`,
  orAsAnother: 'Oder als eine andere Person',
  username: 'Benutzername',
  password: 'Passwort',
  submit: 'Anmelden',
  refused: {
    incomplete: 'Geben Sie Ihren Benutzernamen und Ihr Passwort ein.',
    mismatch: 'Benutzername oder Passwort stimmt nicht. Prüfen Sie beides und versuchen Sie es noch einmal.',
    throttled: (seconds: number) =>
      `Zu viele Versuche sind fehlgeschlagen. Warten Sie ${waitOf(seconds)} und versuchen Sie es dann noch einmal.`,
    passkey:
      'Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal oder melden Sie sich mit Ihrem Passwort an.',
    busy: 'Gerade melden sich viele Menschen an, deshalb wurde Ihr Passwort nicht geprüft. Warten Sie einen Moment und versuchen Sie es dann noch einmal.',
  },
};
