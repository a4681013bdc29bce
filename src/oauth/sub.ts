/** The forms of a `sub` (OpenID Connect Core §2): at most 255 ASCII characters, compared with their case. */

/** Printable, so that logs, addresses and exports show it as it is. */
const SUB = /^[\x21-\x7e]{1,255}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** RFC 9562 §5.9: it stands for no end-user. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

export const isSubText = (text: string): boolean => SUB.test(text) && text !== NIL_UUID;

/** A `sub` that can be the id of an end-user in the database. */
export const isId = (text: string): boolean => UUID.test(text);

export const SUB_EXPECTED = '1 to 255 printable ASCII characters without spaces';
