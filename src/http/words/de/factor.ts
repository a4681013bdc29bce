import type { factor as english } from '../en/factor.ts';

export const factor: typeof english = {
  title: 'Bestätigen Sie, dass Sie es sind',
  titleAfterProblem: 'Bestätigen Sie, dass Sie es sind: noch nicht gelungen',
  forClient: (client) => `um mit ${client} fortzufahren`,
  signedInAs: (username) => `Sie melden sich als ${username} an.`,
  stronger: (client) => `${client} verlangt eine stärkere Anmeldung.`,
  passkeyOnly: (client) => `${client} verlangt eine Anmeldung mit einem Passkey.`,
  code: 'Code aus Ihrer Authenticator-App',
  recoveryCode: 'Oder ein Wiederherstellungscode',
  useRecoveryCode: 'Wiederherstellungscode verwenden',
  passkeyIsNext: 'Ihr Konto hat einen Passkey: Schließen Sie die Anmeldung damit ab.',
  submit: 'Weiter',
  another: 'Als eine andere Person anmelden',
  decline: 'Ohne sie zurückgehen',
  declineHint: 'Die App erfährt, dass Sie sich nicht so stark angemeldet haben, wie sie es verlangt.',
  none: 'Ihr Konto braucht einen zweiten Faktor und hat noch keinen. Das dauert eine Minute: Sie brauchen eine Authenticator-App auf Ihrem Telefon.',
  begin: 'Authenticator-App einrichten',
  withPasskey: 'Passkey verwenden',
  passkeyNeedsScript: 'Für einen Passkey muss Ihr Browser Skripte auf dieser Seite erlauben.',
  noPasskey: 'Sie haben noch keinen Passkey.',
  addPasskey: 'Passkey hinzufügen',
  setUp: {
    title: 'Authenticator-App einrichten',
    scan: 'Scannen Sie diesen Code mit der App auf Ihrem Telefon.',
    pictureOf: 'QR-Code für Ihre Authenticator-App',
    type: 'Oder geben Sie diesen Schlüssel in die App ein:',
    code: 'Der Code, den die App jetzt anzeigt',
    submit: 'Bestätigen',
    tooMany: 'Sie haben so viele Authenticator-Apps, wie Sie haben können. Entfernen Sie zuerst eine davon.',
  },
  codes: {
    title: 'Ihre Wiederherstellungscodes',
    what: 'Wenn Sie Ihr Telefon verlieren, können Sie sich mit jedem dieser Codes einmal anmelden. Sie werden nur dieses eine Mal angezeigt: Drucken Sie sie aus oder bewahren Sie sie in einem Passwortmanager auf.',
    goOn: 'Ich habe sie aufbewahrt',
  },
  refused: {
    incomplete: 'Geben Sie den Code ein.',
    mismatch:
      'Dieser Code stimmt nicht. Codes wechseln alle 30 Sekunden: Geben Sie den ein, den Ihre App jetzt anzeigt.',
    reused: 'Dieser Code wurde schon verwendet. Warten Sie auf den nächsten.',
    recoveryCodeMismatch: 'Dieser Wiederherstellungscode stimmt nicht. Vergleichen Sie ihn mit Ihrer Liste.',
    recoveryCodeUsed:
      'Dieser Wiederherstellungscode wurde schon verwendet. Jeder gilt einmal: Nehmen Sie den nächsten auf Ihrer Liste.',
    throttled: 'Zu viele falsche Codes. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.',
    busy: 'Gerade melden sich viele Menschen an, deshalb wurde Ihr Code nicht geprüft. Warten Sie einen Moment und versuchen Sie es dann noch einmal.',
    setUpOver:
      'Diese Einrichtung ist vorbei: Sie ist fertig, oder sie hat zu lange gedauert. Beginnen Sie bei Bedarf noch einmal.',
    notProven:
      'Ihr Konto hat schon einen zweiten Faktor. Melden Sie sich damit an und fügen Sie dann einen weiteren hinzu.',
    passkeyRefused:
      'Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal oder melden Sie sich anders an.',
  },
};
