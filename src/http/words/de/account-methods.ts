import type { accountMethods as english } from '../en/account-methods.ts';

export const accountMethods: typeof english = {
  demanded: 'Ihr Konto muss einen zweiten Faktor haben.',
  passkeys: {
    title: 'Passkeys',
    about:
      'Mit einem Passkey melden Sie sich ohne Passwort an: Ihr Gerät fragt nach Ihrem Fingerabdruck, Ihrem Gesicht oder seiner PIN.',
    none: 'Sie haben keinen Passkey.',
    added: (added) => `Hinzugefügt am ${added}.`,
    lastUsed: (lastUsed) => `Zuletzt verwendet am ${lastUsed}.`,
    neverUsed: 'Noch nicht verwendet.',
    synced: 'Er kann auf mehreren Ihrer Geräte sein.',
    name: 'Name',
    rename: 'Namen speichern',
    remove: (name) => `${name} entfernen`,
    add: 'Passkey hinzufügen',
    addTitle: 'Einen Passkey zu Ihrem Konto hinzufügen',
    addAbout:
      'Geben Sie ihm einen Namen, der Ihnen sagt, wo er ist, zum Beispiel „Laptop im Büro“. Dann bittet Ihr Browser Sie um Bestätigung.',
    create: 'Passkey erstellen',
    needsScript: 'Wenn hier nichts erscheint, kennt dieser Browser keine Passkeys, oder Skripte sind ausgeschaltet.',
    unavailable: 'Hier können keine weiteren Passkeys hinzugefügt werden.',
  },
  apps: {
    title: 'Authenticator-Apps',
    about: 'Nach Ihrem Passwort geben Sie einen Code ein, den eine App auf Ihrem Telefon anzeigt.',
    none: 'Sie haben keine Authenticator-App.',
    confirmed: (confirmed) => `Eingerichtet am ${confirmed}.`,
    remove: 'Diese App entfernen',
    add: 'Authenticator-App einrichten',
  },
  codes: {
    title: 'Wiederherstellungscodes',
    left: (count) => (count === 1 ? 'Ein Code ist übrig.' : `${count} Codes sind übrig.`),
    none: 'Es gibt noch keine. Codes erhalten Sie mit Ihrem ersten Passkey oder Ihrer ersten Authenticator-App.',
    make: 'Neue Codes erstellen',
    makeAbout: 'Die bisherigen Codes gelten dann nicht mehr.',
  },
  proveFirst:
    'Sie haben sich nur mit Ihrem Passwort angemeldet. Verwenden Sie zuerst Ihren zweiten Faktor und ändern Sie ihn dann hier.',
  prove: 'Zweiten Faktor verwenden',
  done: {
    added: 'Der Passkey wurde hinzugefügt.',
    renamed: 'Der Name wurde gespeichert.',
    removed: 'Entfernt. Niemand kann sich mehr damit anmelden.',
    'set-up': 'Die Authenticator-App ist eingerichtet. Bei Ihrer nächsten Anmeldung wird nach ihr gefragt.',
  },
  problems: {
    refused: 'Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.',
    known:
      'Dieses Gerät hat schon einen Passkey für Ihr Konto. Melden Sie sich damit an oder fügen Sie einen auf einem anderen Gerät hinzu.',
    demanded:
      'Ihr Konto muss einen zweiten Faktor haben, und das ist der einzige. Fügen Sie zuerst einen anderen hinzu.',
    lastWay:
      'Dieser Passkey ist Ihr einziger Weg, sich anzumelden. Legen Sie zuerst ein Passwort fest oder fügen Sie einen weiteren Passkey hinzu.',
    notProven: 'Sie haben sich nur mit Ihrem Passwort angemeldet. Verwenden Sie zuerst Ihren zweiten Faktor.',
    unknown: 'Es gibt ihn nicht mehr.',
    mismatch: 'Dieser Code stimmt nicht. Geben Sie den ein, den Ihre App jetzt anzeigt.',
    setUpOver:
      'Diese Einrichtung ist vorbei: Sie ist fertig, oder sie hat zu lange gedauert. Beginnen Sie bei Bedarf noch einmal.',
  },
};
