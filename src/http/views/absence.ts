/** What happens while the end-user is away, in the same words at consent and on the page of permissions. */
export const WHILE_AWAY = 'It can go on while you are away. You can end that at any time.';
export const NOT_WHILE_AWAY = 'It cannot go on while you are away: what it holds ends by itself within the hour.';
