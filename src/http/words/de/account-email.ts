import type { accountEmail as english } from '../en/account-email.ts';

export const accountEmail: typeof english = {
  none: 'Ihr Konto hat keine E-Mail-Adresse. Ohne sie kann Ihnen niemand helfen, wenn Sie Ihr Passwort vergessen.',
  isVerified: (address) => `Ihre Adresse ist ${address}, und sie ist bestätigt.`,
  isNotVerified: (address) =>
    `Ihre Adresse ist ${address}, aber sie ist nicht bestätigt: Sie hilft Ihnen nicht, wenn Sie Ihr Passwort vergessen.`,
  verify: 'E-Mail zur Bestätigung senden',
  changeTitle: 'Eine andere Adresse',
  changeAbout:
    'An die neue Adresse geht eine E-Mail mit einem Link. Sie gilt, sobald Sie den Link geöffnet und dort den Knopf gedrückt haben. Mit einer E-Mail an die bisherige Adresse lässt sich das eine Woche lang rückgängig machen.',
  newAddress: 'Neue E-Mail-Adresse',
  change: 'E-Mail senden',
  sent: 'Eine E-Mail ist unterwegs. Öffnen Sie den Link darin.',
  problems: {
    addressRefused: 'Das ist keine E-Mail-Adresse. Prüfen Sie sie und versuchen Sie es noch einmal.',
    sameAddress: 'Das ist schon Ihre Adresse.',
    alreadyVerified: 'Ihre Adresse ist schon bestätigt.',
    noAddress: 'Ihr Konto hat keine Adresse, die bestätigt werden könnte.',
    refused: 'Das war nicht möglich. Versuchen Sie es noch einmal.',
    throttled: 'Sie haben viele E-Mails verlangt. Warten Sie eine Stunde und versuchen Sie es dann noch einmal.',
    queueFull:
      'Viele E-Mails warten auf den Versand, und für Ihre war kein Platz: Es wurde nichts gesendet. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.',
  },
};
