/** The forms of a `sub` (OpenID Connect Core §2): at most 255 ASCII characters, compared with their case. */

/** Printable, so that logs, addresses and exports show it as it is. */
export const SUB = /^[\x21-\x7e]{1,255}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** RFC 9562 §5.9: it stands for no end-user. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

export const isSubText = (text: string): boolean => SUB.test(text) && text !== NIL_UUID;

/** Can be the id of an end-user, as this server and Postgres write it. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** As another system may write it. */
export const isUuidInEitherCase = (text: string): boolean => isUuid(text.toLowerCase());

/** The same for two texts that stand for one end-user: a UUID in either case is one id. */
export const subKey = (sub: string): string => (isUuidInEitherCase(sub) ? sub.toLowerCase() : sub);

/**
 * Where the `sub` of a new end-user stands: a UUID is the id itself. Null: the id is the `sub`.
 * @param makeId for an end-user with no such `sub`
 */
export const placedSub = (
  sub: string | null,
  makeId: () => string,
): { readonly id: string; readonly sub: string | null } =>
  sub !== null && isUuid(sub) ? { id: sub, sub: null } : { id: makeId(), sub };

export const SUB_EXPECTED = '1 to 255 printable ASCII characters without spaces';
