import type { mail as english } from '../en/mail.ts';

export const mail: typeof english = {
  greeting: (username) => `Guten Tag, ${username}!`,
  greetingWithoutName: 'Guten Tag!',
  goodFor: (duration) => `Der Link funktioniert einmal und ${duration} lang.`,
  footer: (server) => `Diese E-Mail kommt aus dem genannten Anlass von ${server}. Antworten darauf liest niemand.`,
  contents: {
    verify_address: {
      subject: 'Ist das Ihre E-Mail-Adresse?',
      before: [
        'Öffnen Sie diesen Link und drücken Sie dort den Knopf, damit wir wissen, dass diese Adresse Ihnen gehört:',
      ],
      after: ['Wenn Sie das nicht wollten, brauchen Sie nichts zu tun.'],
    },
    reset_password: {
      subject: 'Ein neues Passwort',
      before: [
        (username) =>
          `Jemand hat ein neues Passwort für das Konto ${username} verlangt. Wenn Sie das waren, öffnen Sie diesen Link und wählen Sie dort das Passwort:`,
      ],
      after: [
        'Wenn Sie es nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist, und niemand erfährt dadurch, ob Sie ein Konto haben.',
      ],
    },
    lost_factors: {
      subject: 'Ein verlorener zweiter Faktor',
      before: [
        (username) =>
          `Jemand, der das Passwort des Kontos ${username} kennt, hat nach eigenen Angaben die Passkeys, die Authenticator-App und die Wiederherstellungscodes verloren. Wenn Sie das waren, öffnen Sie diesen Link in demselben Browser und drücken Sie dort den Knopf:`,
      ],
      after: [
        'Wenn Sie es nicht waren, öffnen Sie den Link nicht: Jemand kennt Ihr Passwort. Melden Sie sich an und ändern Sie es in Ihrem Konto.',
      ],
    },
    change_address: {
      subject: 'Ihre neue E-Mail-Adresse',
      before: [
        'Ein Konto soll diese E-Mail-Adresse bekommen. Öffnen Sie diesen Link: Die Seite sagt, welches. Wenn es Ihres ist, drücken Sie dort den Knopf:',
      ],
      after: ['Wenn Sie das nicht wollten, brauchen Sie nichts zu tun: Das Konto behält die Adresse, die es hat.'],
    },
    address_changed: {
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      before: [
        (username) =>
          `Das Konto ${username} hat jetzt eine andere E-Mail-Adresse. Wenn Sie das waren, brauchen Sie nichts zu tun.`,
        'Wenn Sie es nicht waren, öffnen Sie diesen Link und drücken Sie dort den Knopf. Dann gilt wieder diese Adresse, und alle, die angemeldet sind, werden abgemeldet; wählen Sie danach ein neues Passwort:',
      ],
      after: [],
    },
    sign_up: {
      subject: 'Ihr neues Konto',
      before: ['Öffnen Sie diesen Link, um Ihr Konto anzulegen. Benutzername und Passwort wählen Sie dort:'],
      after: ['Wenn Sie das nicht wollten, brauchen Sie nichts zu tun: Ohne den Link entsteht kein Konto.'],
    },
    invitation: {
      subject: 'Sie sind eingeladen',
      before: [
        'Eine Administratorin oder ein Administrator lädt Sie ein, ein Konto anzulegen. Öffnen Sie diesen Link; Benutzername und Passwort wählen Sie dort:',
      ],
      after: ['Wenn Sie kein Konto möchten, brauchen Sie nichts zu tun.'],
    },
    has_account: {
      subject: 'Sie haben schon ein Konto',
      before: [
        (usernames) =>
          `Jemand wollte mit dieser E-Mail-Adresse ein Konto anlegen. Es gibt schon eines: ${usernames}. Hier können Sie sich anmelden:`,
      ],
      after: [
        (_usernames, forgot) => `Wenn Sie das Passwort vergessen haben:\n${forgot}`,
        'Wenn Sie es nicht waren, brauchen Sie nichts zu tun.',
      ],
    },
    new_device: {
      subject: 'Eine Anmeldung mit einem neuen Gerät',
      before: [
        (username, at, browser) =>
          `Jemand hat sich als ${username} angemeldet (${at}, ${browser}), und zwar in einem Browser, in dem Sie noch nicht angemeldet waren.`,
        'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn nicht, beenden Sie die Anmeldung hier und ändern Sie Ihr Passwort:',
      ],
      after: [],
    },
    password_changed: {
      subject: 'Ihr Passwort wurde geändert',
      before: [
        (username, at) => `Das Konto ${username} hat ein neues Passwort (${at}). Jedes Gerät muss sich damit anmelden.`,
        'Wenn Sie das nicht waren, wählen Sie hier ein neues Passwort:',
      ],
      after: [],
    },
    passkey_added: {
      subject: 'Ein Passkey ist dazugekommen',
      before: [
        (username, at) => `Zum Konto ${username} ist ein Passkey dazugekommen (${at}). Mit ihm kann man sich anmelden.`,
        'Wenn Sie das nicht waren, wählen Sie hier ein neues Passwort und entfernen Sie den Passkey in Ihrem Konto:',
      ],
      after: [],
    },
    passkey_removed: {
      subject: 'Ein Passkey wurde entfernt',
      before: [
        (username, at) =>
          `Vom Konto ${username} wurde ein Passkey entfernt (${at}). Mit ihm kann sich niemand mehr anmelden.`,
        'Wenn Sie das nicht waren, wählen Sie hier ein neues Passwort:',
      ],
      after: [],
    },
    second_factor_added: {
      subject: 'Ein zweiter Faktor ist dazugekommen',
      before: [
        (username, at) =>
          `Zum Konto ${username} ist ein zweiter Faktor dazugekommen (${at}). Er wird bei jeder Anmeldung verlangt.`,
        'Wenn Sie das nicht waren, wählen Sie hier ein neues Passwort und wenden Sie sich an die Administration:',
      ],
      after: [],
    },
    second_factor_removed: {
      subject: 'Ein zweiter Faktor wurde entfernt',
      before: [
        (username, at) => `Vom Konto ${username} wurde ein zweiter Faktor entfernt (${at}).`,
        'Wenn Sie das nicht waren, wählen Sie hier ein neues Passwort:',
      ],
      after: [],
    },
    factors_removed: {
      subject: 'Ihr zweiter Faktor wurde entfernt',
      before: [
        (username, at) =>
          `Alle Passkeys, Authenticator-Apps und Wiederherstellungscodes des Kontos ${username} wurden entfernt (${at}), und alle wurden abgemeldet.`,
        'Wenn Sie oder die Administration das waren, richten Sie bei der nächsten Anmeldung einen neuen ein. Wenn nicht, wählen Sie hier ein neues Passwort und wenden Sie sich an die Administration:',
      ],
      after: [],
    },
    identity_removed: {
      subject: 'Ein Konto bei einem anderen Dienst wurde entfernt',
      before: [
        (username, at) =>
          `Vom Konto ${username} wurde ein Konto bei einem anderen Dienst entfernt (${at}). Mit ihm kann sich niemand mehr anmelden.`,
        'Wenn das weder Sie noch die Administration waren, wählen Sie hier ein neues Passwort:',
      ],
      after: [],
    },
    address_restored: {
      subject: 'Ihre E-Mail-Adresse gilt wieder',
      before: [
        (username, at) => `Das Konto ${username} hat wieder diese E-Mail-Adresse (${at}), und alle wurden abgemeldet.`,
        'Vielleicht kennt jemand anders Ihr Passwort; wählen Sie deshalb hier ein neues Passwort:',
      ],
      after: [],
    },
  },
};
