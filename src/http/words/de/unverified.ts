import type { unverified as english } from '../en/unverified.ts';

export const unverified: typeof english = {
  title: 'Diese App kann nicht zugelassen werden',
  notSent: 'Zu Ihrer Sicherheit werden Sie nirgendwohin weitergeleitet.',
  next: 'Gehen Sie zur App zurück. Wenn es Ihre eigene ist, vergleichen Sie ihre Einstellungen mit ihrer Registrierung; die Einzelheiten stehen im Protokoll dieses Servers.',
  reasons: {
    too_many_parameters: (most) => `Die App hat mehr als ${most} Parameter gesendet (invalid_request).`,
    client_id_missing: () => 'Die App hat nicht gesagt, wer sie ist: client_id fehlt.',
    client_id_malformed: () =>
      'Die App hat nicht eindeutig gesagt, wer sie ist: client_id ist mehrfach vorhanden oder fehlerhaft.',
    client_unknown: () => 'Unter der gesendeten client_id ist hier keine App registriert.',
    redirect_uri_missing: () =>
      'Die App hat nicht gesagt, wohin die Antwort gehen soll: redirect_uri fehlt und ist immer nötig.',
    redirect_uri_malformed: () =>
      'Die App hat nicht eindeutig gesagt, wohin die Antwort gehen soll: redirect_uri ist mehrfach vorhanden oder fehlerhaft.',
    redirect_uri_mismatch: () =>
      'Die App möchte die Antwort an einer Adresse erhalten, die nicht für sie registriert ist.',
  },
  expected: 'Erwartet (registriert)',
  received: 'Erhalten',
  endsHere: '(endet hier)',
};
