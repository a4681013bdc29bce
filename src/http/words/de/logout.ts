import type { logout as english } from '../en/logout.ts';

export const logout: typeof english = {
  ask: {
    title: 'Abmelden?',
    clientAsks: (client) => `${client} möchte Ihre Sitzung beenden.`,
    signedInAs: (username) => `Sie sind hier als ${username} angemeldet.`,
    sentTo: (destination) => `Danach werden Sie zu ${destination} weitergeleitet.`,
    signOut: 'Abmelden',
    stay: 'Angemeldet bleiben',
  },
  endsNothingAllowed: 'Wenn Sie sich abmelden, bleibt bestehen, was Sie Apps erlaubt haben.',
  seeAllowed: 'Ansehen, was Sie erlaubt haben',
  signedOut: {
    title: 'Abgemeldet',
    heading: 'Sie sind abgemeldet',
    what: 'Ihre Sitzung in diesem Browser ist beendet. Apps haben eigene Sitzungen: Melden Sie sich auch dort ab.',
  },
  notSignedIn: {
    title: 'Nicht angemeldet',
    heading: 'Sie sind hier nicht angemeldet',
    what: 'Dieser Browser hat bei diesem Server keine Sitzung, es gibt also nichts zu beenden.',
  },
  stillSignedIn: {
    title: 'Weiterhin angemeldet',
    heading: 'Sie sind weiterhin angemeldet',
    what: (username) => `Es hat sich nichts geändert: Sie sind hier als ${username} angemeldet.`,
    back: (client) => `Zurück zu ${client}`,
  },
  refused: {
    title: 'Diese Abmeldung ist nicht möglich',
    notSent:
      'Zu Ihrer Sicherheit werden Sie nirgendwohin weitergeleitet, und an Ihrer Anmeldung hat sich nichts geändert.',
    allTheSame: 'Wenn Sie Ihre Sitzung bei diesem Server trotzdem beenden möchten:',
    signOutHere: 'hier abmelden',
    yours:
      'Wenn es Ihre eigene App ist, vergleichen Sie ihre Einstellungen mit ihrer Registrierung; die Einzelheiten stehen im Protokoll dieses Servers.',
    reasons: {
      malformed_request: 'Was die App gesendet hat, ist mehrfach vorhanden oder fehlerhaft.',
      id_token_hint_unknown:
        'Die App hat ein ID-Token (id_token_hint) gesendet, das dieser Server nicht ausgestellt hat oder nicht mehr prüfen kann.',
      client_mismatch:
        'Die App hat sich anders genannt (client_id) als in dem ID-Token, das sie gesendet hat (id_token_hint).',
      client_unknown: 'Unter der gesendeten client_id ist hier keine App registriert.',
      client_missing:
        'Die App möchte, dass Ihr Browser zu ihr zurückkehrt (post_logout_redirect_uri), hat aber nicht gesagt, wer sie ist: Dazu braucht es id_token_hint oder client_id.',
      post_logout_redirect_uri_mismatch:
        'Die App möchte, dass Ihr Browser zu einer Adresse zurückkehrt, die nicht für sie registriert ist.',
    },
  },
};
