import type { account as english } from '../en/account.ts';

export const account: typeof english = {
  title: 'Ihr Konto',
  navigation: 'Bereiche Ihres Kontos',
  overview: 'Übersicht',
  signedInAs: (username) => `Angemeldet als ${username}.`,
  signOut: 'Abmelden',
  sections: {
    devices: {
      title: 'Wo Sie angemeldet sind',
      about: 'Die Browser, in denen Sie angemeldet sind, und wie Sie sich dort abmelden.',
    },
    password: { title: 'Passwort', about: 'Wählen Sie ein neues Passwort.' },
    data: { title: 'Ihre Daten', about: 'Laden Sie alles herunter, was hier über Sie gespeichert ist.' },
    delete: { title: 'Konto löschen', about: 'Löschen Sie Ihr Konto und alles, was Sie nennt.' },
    'linked-identities': {
      title: 'Verknüpfte Konten',
      about:
        'Konten bei anderen Anbietern, mit denen Sie sich hier anmelden, und wie Sie sie hinzufügen und entfernen.',
    },
    'sign-in-methods': {
      title: 'Wie Sie sich anmelden',
      about: 'Ihre Passkeys, Authenticator-Apps und Wiederherstellungscodes.',
    },
    apps: {
      title: 'Was Sie erlaubt haben',
      about: 'Die Apps, die für Sie handeln dürfen, und wie Sie deren Zugriff beenden.',
    },
    email: { title: 'E-Mail-Adresse', about: 'Ihre E-Mail-Adresse: wie Sie sie bestätigen oder ändern.' },
  },
  data: {
    what: 'Alles, was hier über Sie gespeichert ist, als Datei (JSON): Ihre Angaben, wo Sie angemeldet sind, was Sie erlaubt haben und was darüber entschieden wurde. Passwörter und Schlüssel sind nicht darin, denn sie sind so gespeichert, dass niemand sie lesen kann.',
    submit: 'Meine Daten herunterladen',
  },
  delete: {
    what: 'Damit wird Ihr Konto gelöscht: Ihr Benutzername, Ihr Passwort und was Apps über Sie erfahren konnten. Sie werden überall abgemeldet, und jede App verliert ihren Zugriff. Das lässt sich nicht rückgängig machen.',
    kept: 'Was zur Sicherheit des Dienstes noch einige Zeit aufbewahrt wird, nennt Sie nicht mehr. Apps behalten, was sie selbst gespeichert haben: Bitten Sie auch dort um Löschung.',
    typeUsername: (username) => `Geben Sie zur Bestätigung Ihren Benutzernamen ein: ${username}`,
    usernameDiffers: 'Das ist nicht Ihr Benutzername. Es wurde nichts gelöscht.',
    isAdministrator:
      'Sie verwalten diesen Server, deshalb lässt sich Ihr Konto hier nicht löschen: Wer als Nächstes Ihren Benutzernamen bekommt, hätte Ihre Rechte. Lassen Sie Ihren Namen zuerst aus operators.yaml entfernen.',
    submit: 'Mein Konto löschen',
    doneTitle: 'Ihr Konto ist gelöscht',
    done: 'Hier nennt Sie nichts mehr, und Sie sind überall abgemeldet.',
    home: 'Zur Startseite',
  },
  password: {
    ends: 'Mit einem neuen Passwort werden Sie überall außer hier abgemeldet, und der Zugriff aller Apps, denen Sie etwas erlaubt haben, endet.',
    current: 'Ihr jetziges Passwort',
    chosen: 'Neues Passwort',
    repeated: 'Neues Passwort, noch einmal',
    submit: 'Passwort ändern',
    changed: 'Ihr Passwort ist geändert. Nur dieser Browser ist noch angemeldet, und jede App muss Sie wieder fragen.',
    problems: {
      too_short: (atLeast) => `Das neue Passwort ist zu kurz: Es braucht mindestens ${atLeast} Zeichen.`,
      too_long: (atMost) => `Das neue Passwort ist zu lang: Es darf höchstens ${atMost} Zeichen haben.`,
      repetitive: (atLeast) => `Das neue Passwort braucht mindestens ${atLeast} verschiedene Zeichen.`,
      not_text: 'Das neue Passwort hat ein Zeichen, das nicht verwendet werden kann.',
      names_the_user: 'Das neue Passwort besteht aus Ihrem Namen. Wählen Sie etwas, das niemand errät.',
      names_the_service: 'Das neue Passwort ist der Name dieses Dienstes. Wählen Sie etwas, das niemand errät.',
      common: 'Das neue Passwort wird von vielen verwendet und deshalb zuerst geraten. Wählen Sie ein anderes.',
      guessable:
        'Das neue Passwort ist bald erraten: Es ähnelt häufigen Passwörtern, Ihrem Namen, einem Muster der Tastatur oder einer Wiederholung. Wählen Sie einige Wörter, die nicht zusammengehören.',
      breached:
        'Das neue Passwort steht in einer Liste gestohlener Passwörter. Wählen Sie ein anderes, und ändern Sie es auch dort.',
      form_incomplete: 'Füllen Sie alle Felder aus.',
      repetition_differs: 'Das neue Passwort steht nicht in beiden Feldern gleich. Geben Sie es noch einmal ein.',
      same_as_before: 'Das ist Ihr jetziges Passwort. Wählen Sie ein anderes.',
      current_is_wrong: 'Ihr jetziges Passwort stimmt nicht. Es wurde nichts geändert.',
    },
  },
};
