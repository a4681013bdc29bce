/**
 * States and arms of which no standard speaks, by their descriptions. Everything else cites a section. An arm that is written without
 * a reference has to be added here, beneath the reason.
 */
export const NO_STANDARD_SAYS: Readonly<Record<string, readonly string[]>> = {
  session: [
    // How long a browser stays signed in is left to the server. OpenID Connect Core §3.1.2.3 lets it reuse a sign-in, and stops there.
    'The sign-in was too long ago, however much the session was used.',
    'The session was not used for too long.',
    // Sign-out by logout request is a standard; these ways to end a session are ours.
    'The end-user ended it from the list of places where they are signed in.',
    'The end-user was disabled.',
    'The end-user got a new password: a thief may have signed in with the old one.',
    'The operator ended every older session, as after restoring a backup.',
    // Why a cookie does not sign in any more is said to our own pages only.
    'The end-user was disabled, or got a new password, after the sign-in.',
    'The operator ended every older session.',
    'The end-user signed out.',
    'The end-user ended it from another browser, or from the list in this one.',
    'Another session took its place in the same browser.',
    'It had not been used for too long.',
    'The sign-in was too long ago.',
    // Nothing happens.
    'It has ended before; the first reason stays.',
  ],
  signingKey: [
    // Where a key is kept before it is published, and that there is a signer at all, is left to the server.
    'Fresh, in the memory of the node that created it.',
    'The first of its algorithm: no cache holds a JWKS that it could be missing from.',
    'Its algorithm has no signer, and needs one.',
    // OpenID Connect Core §10.1.1 lets caches fetch a new key when they meet it. To publish it beforehand is stricter.
    'In the JWKS ahead of its first signature, so that every cache holds it by then.',
    'Published while there is time for caches to fetch it.',
    'Its time is nearly over: the next one is published while there is still time for caches.',
    'Asked for before: the successor waits for caches, and then takes over.',
    // Which algorithms sign is the policy.
    'Its time is over, and the policy names its algorithm no longer.',
    // Nothing happens.
    'Another node was first: its key signs, and this one is dropped.',
    'The key is not stored, and not in the JWKS: there is nothing to move.',
    'The key was stored before.',
    'Another key signs; this one waits for it.',
    'Only the signer of the algorithm answers this.',
    'It goes on signing, if need be past its time: there is always a signer.',
    'It is the signer itself.',
    'It has no private half to sign with.',
  ],
};
