import type { email as english } from '../en/email.ts';

export const email: typeof english = {
  address: 'E-Mail-Adresse',
  username: 'Benutzername',
  password: 'Neues Passwort',
  passwordHint: (atLeast) => `Mindestens ${atLeast} Zeichen. Lang ist gut: einige Wörter, die Sie sich merken können.`,
  toSignIn: 'Zur Anmeldung',
  addressRefused: 'Das ist keine E-Mail-Adresse. Prüfen Sie sie und versuchen Sie es noch einmal.',
  throttled:
    'Aus Ihrem Netz wurden viele E-Mails verlangt. Warten Sie eine Stunde und versuchen Sie es dann noch einmal.',
  queueFull:
    'Viele E-Mails warten auf den Versand, und für Ihre war kein Platz: Es wurde nichts gesendet. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.',
  asked: {
    title: 'Sehen Sie in Ihr Postfach',
    reset:
      'Wenn ein Konto diese E-Mail-Adresse hat, ist eine E-Mail mit einem Link unterwegs. Der Link funktioniert eine halbe Stunde lang.',
    signUp: 'Eine E-Mail an diese Adresse ist unterwegs. Darin steht, wie es weitergeht.',
    nothingCame:
      'Wenn keine E-Mail kommt: Sehen Sie im Ordner für unerwünschte E-Mails nach, prüfen Sie die Adresse und versuchen Sie es nach einer Weile noch einmal.',
  },
  forgot: {
    link: 'Passwort vergessen?',
    title: 'Passwort vergessen?',
    about:
      'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie erhalten eine E-Mail mit einem Link und wählen dort ein neues Passwort.',
    submit: 'E-Mail senden',
  },
  signUp: {
    link: 'Konto anlegen',
    title: 'Konto anlegen',
    about:
      'Geben Sie Ihre E-Mail-Adresse ein. Sie erhalten eine E-Mail mit einem Link und wählen dort Benutzername und Passwort.',
    submit: 'E-Mail senden',
  },
  lostFactors: {
    link: 'Alles davon verloren?',
    title: 'Zweiten Faktor verloren?',
    about:
      'Wenn Sie noch einen Wiederherstellungscode haben, melden Sie sich damit an. Wenn Sie nichts mehr haben, bekommen Sie eine E-Mail mit einem Link. Er entfernt Ihre Passkeys, Authenticator-Apps und Wiederherstellungscodes und meldet Sie überall ab. Öffnen Sie ihn in diesem Browser.',
    submit: 'E-Mail senden',
    asked:
      'Eine E-Mail mit einem Link ist unterwegs an die Adresse Ihres Kontos. Der Link funktioniert eine halbe Stunde lang, in diesem Browser.',
    problems: {
      noAddress: 'Ihr Konto hat keine bestätigte E-Mail-Adresse. Wenden Sie sich an die Administration.',
      passwordNotShown:
        'Sie können sich auch über einen anderen Dienst anmelden; deshalb kann dieser Server nicht erkennen, dass Sie Ihr Passwort hier eingegeben haben. Verwenden Sie einen Wiederherstellungscode, oder fragen Sie die Administration.',
      passwordFromMail:
        'Ihr Passwort wurde über einen Link in einer E-Mail gesetzt; dann würde eine E-Mail allein den zweiten Faktor entfernen. Benutzen Sie einen Wiederherstellungscode, oder wenden Sie sich an die Administration.',
      refused: 'Es wurde keine E-Mail gesendet. Melden Sie sich noch einmal an und versuchen Sie es dann wieder.',
    },
  },
  purposes: {
    verify_address: {
      title: 'E-Mail-Adresse bestätigen',
      about: (username, address) => `${address} ist die Adresse des Kontos ${username}.`,
      submit: 'Das ist meine Adresse',
      done: 'Danke. Die Adresse ist bestätigt.',
    },
    reset_password: {
      title: 'Neues Passwort wählen',
      about: (username) => `Für das Konto ${username}. Alle, die dort angemeldet sind, werden abgemeldet.`,
      submit: 'Passwort setzen',
      done: 'Sie haben ein neues Passwort. Melden Sie sich damit an.',
    },
    change_address: {
      title: 'Neue E-Mail-Adresse bestätigen',
      about: (username, address) => `${address} wird die Adresse des Kontos ${username}.`,
      submit: 'Das ist meine Adresse',
      done: 'Ihr Konto hat jetzt die neue Adresse. An die bisherige Adresse geht eine E-Mail darüber.',
    },
    undo_change: {
      title: 'E-Mail-Adresse zurückholen',
      about: (username, address) =>
        `Das Konto ${username} bekommt wieder die Adresse ${address}. Alle, die dort angemeldet sind, werden abgemeldet.`,
      submit: 'Adresse zurückholen',
      done: 'Die Adresse gilt wieder, und alle wurden abgemeldet. Vielleicht kennt jemand anders Ihr Passwort: Wählen Sie jetzt ein neues.',
    },
    lost_factors: {
      title: 'Verlorenes entfernen',
      about: (username) =>
        `Alle Passkeys, Authenticator-Apps und Wiederherstellungscodes des Kontos ${username} werden entfernt. Alle, die dort angemeldet sind, werden abgemeldet.`,
      submit: 'Entfernen',
      done: 'Sie sind entfernt. Melden Sie sich mit Ihrem Passwort an und richten Sie dann einen neuen Passkey oder eine neue Authenticator-App ein.',
    },
    sign_up: {
      title: 'Konto anlegen',
      about: (_username, address) => `Mit der E-Mail-Adresse ${address}.`,
      submit: 'Konto anlegen',
      done: 'Ihr Konto ist angelegt.',
    },
    invitation: {
      title: 'Konto anlegen',
      about: (_username, address) => `Mit der E-Mail-Adresse ${address}.`,
      submit: 'Konto anlegen',
      done: 'Ihr Konto ist angelegt.',
    },
  },
  problems: {
    incomplete: 'Füllen Sie alle Felder aus.',
    usernameRefused:
      'Dieser Benutzername ist nicht möglich. Nehmen Sie höchstens 256 Buchstaben, Ziffern oder Zeichen.',
    usernameMixesScripts:
      'Dieser Benutzername hat Buchstaben aus mehreren Schriften und könnte wie ein anderer aussehen. Nehmen Sie Buchstaben einer einzigen Schrift.',
    usernameTaken: 'Diesen Benutzernamen hat schon jemand. Wählen Sie einen anderen.',
    busy: 'Gerade ist viel zu tun. Warten Sie einen Moment und versuchen Sie es dann noch einmal.',
  },
  doneTitle: 'Erledigt',
  useless: {
    title: 'Dieser Link bewirkt nichts',
    link_unknown:
      'Er ist nicht vollständig oder so alt, dass er nicht mehr bekannt ist. Öffnen Sie ihn so, wie er in der E-Mail steht.',
    link_expired: 'Seine Zeit ist abgelaufen. Verlangen Sie eine neue E-Mail.',
    link_used: 'Er wurde schon benutzt und funktioniert nur einmal.',
    link_superseded:
      'Ein anderer Link wurde benutzt, es gibt neuere, oder dieser wurde zurückgenommen. Benutzen Sie die neueste E-Mail.',
    password_changed: 'Das Passwort wurde geändert, seit die E-Mail gesendet wurde. Verlangen Sie eine neue E-Mail.',
    address_mismatch: 'Das Konto hat inzwischen eine andere E-Mail-Adresse.',
    user_ended: 'Es gibt kein Konto, das geändert werden könnte.',
    not_offered: 'Das wird hier zurzeit nicht angeboten.',
    password_from_mail:
      'Ihr Passwort wurde über einen Link in einer E-Mail gesetzt; dann würde eine E-Mail allein den zweiten Faktor entfernen. Benutzen Sie einen Wiederherstellungscode, oder wenden Sie sich an die Administration.',
    password_not_proven:
      'Melden Sie sich zuerst in diesem Browser mit Ihrem Passwort an. Öffnen Sie danach den Link aus der E-Mail noch einmal.',
    username_taken: 'Diesen Benutzernamen hat schon jemand.',
  },
};
