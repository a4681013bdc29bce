import type { problems as english } from '../en/problems.ts';

export const problems: typeof english = {
  unavailable: {
    title: 'Zurzeit nicht erreichbar',
    what: 'Die Datenbank dieses Servers ist nicht erreichbar, deshalb wurde nichts geändert.',
    next: 'Warten Sie einen Moment und laden Sie diese Seite dann neu.',
  },
  overloaded: {
    title: 'Zurzeit überlastet',
    what: 'Dieser Server bearbeitet so viele Anfragen, wie er kann, deshalb wurde nichts geändert.',
    next: 'Warten Sie einen Moment und laden Sie diese Seite dann neu.',
  },
  commitUnknown: {
    title: 'Unklar, ob das geklappt hat',
    what: 'Der Server hat die Verbindung zu seiner Datenbank verloren, während er antwortete. Er kann deshalb nicht wissen, ob Ihre Änderung ausgeführt wurde.',
    next: 'Warten Sie einen Moment, öffnen Sie die Seite noch einmal und sehen Sie nach.',
  },
  failed: {
    title: 'Hier ist etwas schiefgegangen',
    what: 'Der Server konnte nicht antworten. Der Betreiber findet den Grund im Protokoll.',
    next: 'Gehen Sie zur App zurück und versuchen Sie es noch einmal.',
  },
  unreadable: {
    title: 'Diese Anfrage ist nicht lesbar',
    what: 'Was der Browser gesendet hat, ist nicht das, was diese Seite erwartet.',
    next: 'Gehen Sie zur App zurück und beginnen Sie von vorn.',
  },
  notFound: {
    title: 'Hier ist nichts',
    what: 'Unter dieser Adresse gibt es auf diesem Server keine Seite.',
    next: 'Prüfen Sie die Adresse, oder gehen Sie zu der App zurück, von der Sie kommen.',
  },
  formRefused: {
    title: 'Dieses Formular kann nicht angenommen werden',
    what: 'Es wurde nicht von diesem Server für diesen Browser und diese Anmeldung erstellt, oder es wurde unterwegs verändert. Es ist nichts geschehen.',
    next: 'Erlauben Sie Cookies für diese Website, gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.',
  },
  signOutFormRefused: {
    title: 'Dieses Formular kann nicht angenommen werden',
    what: 'Es wurde nicht von diesem Server für diesen Browser und diese Anmeldung erstellt, oder es wurde unterwegs verändert. Es ist nichts geschehen.',
    next: 'Gehen Sie zur App zurück und melden Sie sich dort ab, oder laden Sie die Seite neu, die gefragt hat.',
  },
  shownLocally: {
    title: 'Diese App hat um etwas gebeten, das sie nicht bekommen kann',
    what: 'Sie hat sich hier selbst registriert, und niemand hat geprüft, wohin sie Sie leiten würde. Deshalb bleiben Sie hier. Der Fehler:',
    next: 'Gehen Sie zur App zurück. Wenn es Ihre eigene ist, vergleichen Sie ihre Anfrage mit ihrer Registrierung.',
  },
};
