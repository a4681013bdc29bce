import type { home as english } from '../en/home.ts';

export const home: typeof english = {
  whatThisIs: 'Apps leiten Sie hierher, damit Sie sich anmelden und entscheiden, was eine App darf.',
  whoseThisIs: (organization) =>
    `Hier melden Sie sich bei ${organization} an. Apps leiten Sie hierher, damit Sie sich anmelden und entscheiden, was eine App darf.`,
  nothingToDo: 'Wenn Sie sich bei einer App anmelden möchten, beginnen Sie in der App.',
  account: 'Ihr Konto',
  accountSays: 'Was Sie erlaubt haben und wo Sie angemeldet sind',
  tryIt: 'Ausprobieren',
  playground: 'Den Playground öffnen',
  signInThere: (username, password) =>
    `Melden Sie sich dort als ${username} mit dem Passwort ${password} an. Das ist ein Demo-Konto, das es nur in der eingebetteten Datenbank dieses Rechners gibt.`,
  operatorToo: 'Mit demselben Konto verwalten Sie diesen Server:',
  console: 'die Konsole öffnen',
  developers: 'Für Entwicklerinnen und Entwickler',
  server: (issuer) => `Das ist der Autorisierungsserver ${issuer}, auf dem Statehouse läuft.`,
  guides: (files) => `Die Anleitungen liegen im Ordner von Statehouse: ${files}.`,
  metadataSays: 'Client-Bibliotheken finden alles in',
  metadata: 'den Metadaten dieses Servers',
};
