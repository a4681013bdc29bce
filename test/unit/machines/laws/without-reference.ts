/**
 * States and arms of which no standard speaks, by their descriptions. Everything else cites a section. An arm that is written without
 * a reference has to be added here, beneath the reason.
 */
export const NO_STANDARD_SAYS: Readonly<Record<string, readonly string[]>> = {
  interaction: [
    // How long a page may stay open is left to the server.
    'The page was open for too long; the client has to ask again.',
  ],
  session: [
    // How long a browser stays signed in is left to the server. OpenID Connect Core §3.1.2.3 lets it reuse a sign-in, and stops there.
    'The sign-in was too long ago, however much the session was used.',
    'The session was not used for too long.',
    // Sign-out by logout request is a standard; these ways to end a session are ours.
    'The end-user ended it from the list of places where they are signed in.',
    'A new sign-in in the same browser replaced it, under a new cookie: the old cookie is worth nothing.',
    'The end-user was disabled.',
    'The end-user got a new password: a thief may have signed in with the old one.',
    'The operator ended every older session, as after restoring a backup.',
    // Why a cookie does not sign in any more is said to our own pages only.
    'The end-user was disabled, or got a new password, after the sign-in.',
    'The operator ended every older session.',
    'The end-user signed out.',
    'The end-user ended it from another browser, or from the list in this one.',
    'Another session replaced it in the same browser.',
    'It had not been used for too long.',
    'The sign-in was too long ago.',
    // Nothing happens.
    'It has ended already: its row keeps what is written there.',
  ],
  signingKey: [
    // Where a key is kept before it is published, and that there is a signer at all, is left to the server.
    'Fresh, in the memory of the node that created it.',
    'The first key of its algorithm signs at once: there is no signer to wait for.',
    'Its algorithm has no signer.',
    // OpenID Connect Core §10.1.1 lets caches fetch a new key when they meet it. To publish it beforehand is stricter.
    'In the JWKS ahead of its first signature, so that every cache holds it by then, except in an emergency.',
    'Published while there is time for caches to fetch it.',
    'Its time is nearly over: a successor is published while caches still have time to fetch it.',
    'The handover is due already: the successor takes over as soon as it has been published for long enough.',
    // Which algorithms sign is the policy.
    'Its time is over, and the policy no longer names its algorithm.',
    // Nothing happens.
    'Another node was first: its key signs, and this key is dropped.',
    'The key is neither stored nor in the JWKS.',
    'The key is stored already.',
    'Another key signs; this key waits.',
    'This event is for the signer of the algorithm.',
    'It goes on signing, past its time if it must, until a successor is ready or the policy drops its algorithm.',
    'It is itself the signer.',
    'It has no private half to sign with.',
  ],
  client: [
    // Who may change a client, and where, is left to the server.
    'Configuration declares the client: the next start would undo the change.',
    'No client has this id.',
    // RFC 7591 gives a client a secret, and leaves its exchange to the server.
    'Two secrets are live already: one of them is removed first.',
    'The secret before stays live until it is removed, so that nothing stops meanwhile.',
    'Every secret before stops working at once.',
    'No live secret of the client has this id.',
    'The client could not authenticate any more.',
    'The secret stops working at once; the other stays.',
    // Nothing happens.
    'It is registered like that already.',
  ],
  user: [
    // How end-users are administered is left to the server.
    'Another end-user signs in with this username.',
    'There is no such end-user.',
    'The end-user may sign in from now on.',
    'New claims, or a new username; sessions and grants stay.',
    'The end-user is disabled; every session and every grant ends.',
    'The end-user may sign in again; what ended stays ended.',
    'The end-user is deleted; every session and every grant ends.',
    // Nothing happens.
    'The record is stored like that already.',
    'The end-user is enabled already.',
    'The end-user is disabled already.',
  ],
};
