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
    'An administrator ended it.',
    'A new sign-in in the same browser replaced it, under a new cookie: the old cookie is invalid.',
    'The end-user was disabled.',
    'The end-user got a new password: a thief may have signed in with the old one.',
    'The operator ended every older session, as after restoring a backup.',
    // The reason why a cookie no longer signs in is shown on our own pages only.
    'The end-user was disabled, or got a new password, after the sign-in.',
    'The operator ended every older session.',
    'The end-user signed out.',
    'The end-user ended it from another browser, or from the list in this one.',
    'An administrator had ended it.',
    'Another session replaced it in the same browser.',
    'It had not been used for too long.',
    'The sign-in was too long ago.',
    'The second factor had not followed in time.',
    // The time limit of a second factor, and the demand for one, are policy.
    'The second factor did not follow in time: the password counts for nothing.',
    'The end-user has a second factor, or has to have one: it is asked for next.',
    // No change.
    'The sign-in is complete already.',
    'It has ended already: its row stays as it is.',
  ],
  trustedBrowser: [
    // Whether, for how long and where a browser is trusted, is policy.
    'The end-user asked to trust this browser, and nothing is stored of it.',
    'The policy offers no trust.',
    'No browser has this secret yet.',
    'Trusted: after the right password, its secret stands in for the second factor.',
    'It is trusted already, by another secret.',
    'It has expired, perhaps under a shorter lifetime of the current policy.',
    'In time, after the right password: this sign-in asks for no second factor.',
    'Ended for good. No arm leads out of this state.',
    // So are the ways to end it.
    'The end-user ended it from the list of trusted browsers.',
    'An administrator ended it.',
    'The same browser got another secret: the old secret is invalid.',
    'The end-user was disabled.',
    'The end-user got a new password: a thief may have signed in with the old one.',
    'The operator ended all trust, as after restoring a backup.',
    // The reasons are in the ledger only.
    'The end-user was disabled, or got a new password, after the browser was trusted.',
    'The operator ended the trust of every browser.',
    'Its trust has ended.',
    // No change.
    'Nothing is stored of it.',
    'It has ended already: its row stays as it is.',
  ],
  signInCode: [
    // A sign-in by mail is offered as the policy says; what became of its account, and repetition, are left to the server.
    'Nothing is stored.',
    'Stored for a browser, and sent to no end-user.',
    'The current policy offers no sign-in with a code by mail.',
    'No browser asked for it.',
    'It was asked for already.',
    'It was sent to an end-user before, and stays theirs.',
    'The mail may be lost with the process that made it: the same code is sent once more.',
    'A password was set since it was sent, or the sessions of the end-user were ended otherwise.',
    'Its row stays as it is.',
    // The state that has ended cites its standard.
    'Another browser asked for it, and this one learns nothing of its end.',
    'Another sign-in asked for it, and this one learns nothing of its end.',
    'It has signed in once, and is invalid now.',
    'Too many wrong codes were typed before.',
    'A newer code took its place.',
  ],
  operatorSetUp: [
    // No standard is about the first administrator of a server.
    'Nothing is stored, and no link exists.',
    'Shown to the owner of the server, and not used.',
    'Its end-user administers, as long as operators.yaml names no operator.',
    'It makes no operator, and gives no right. No arm leads out of this state.',
    'An operator may sign in: that operator makes others, and no link does.',
    'A newer link was issued.',
    'operators.yaml names an operator who may sign in: the file says who administers from now on.',
    'operators.yaml names no operator who may sign in: it stays as it is.',
    'Nothing was issued.',
    'It was issued before, and is not issued again.',
    'It has ended already.',
    'The server has no operator: the link may make one.',
    'The server issued no such link.',
    'Too late.',
    'It is from before the restore of a backup.',
    'The operator has another username, by operators.yaml or by the link; the link stays valid.',
    'Another end-user has the chosen username; the link stays valid.',
    'The account of the operator is made, with the use of the link.',
    'A second use makes no other operator.',
    'Its end-user cannot sign in any more, and a newer link was issued.',
    'It was replaced, or an operator was declared.',
  ],
  externalSignIn: [
    // The time limit of a federated sign-in, its users, and just-in-time registration are left to the server.
    'It took too long; the end-user has to begin again.',
    'The policy does not admit this identity, or the session that began the sign-in has ended.',
    'The identity belongs to no registered end-user, and the policy registers no new end-users.',
    'The answer names a just-in-time user: the policy permits the registration.',
  ],
  linkedIdentity: [
    // Which accounts are linked, and who may remove them, is left to the server.
    'The end-user has no password and no other identity: they could no longer sign in.',
    'The end-user removed it.',
    'An administrator removed it, even if it was the last way to sign in.',
    'The end-user was deleted: nothing of them is left to sign in to.',
    'A removed identity does not come back: a new link is another identity.',
    'The identity is not linked.',
    // No change.
    'It is linked already.',
    'It was removed already.',
  ],
  webhookDelivery: [
    // Which node attempts it, and when, is left to the server.
    'Its next attempt is later, or another node attempts it now.',
    'This node attempts it; no other node does until the claim runs out.',
    'A node has claimed a later attempt: its answer counts.',
    'No node has this endpoint in its configuration.',
    'An operator has it sent now, without waiting for its next attempt.',
    // No change.
    'It has ended: nothing is attempted.',
  ],
  mail: [
    // Which node attempts it, and how the queue is shared, is left to the server.
    'The next attempt is later, or another node attempts the mail now.',
    'This node attempts the mail; no other node does until the claim runs out.',
    'A node has claimed a later attempt: its outcome counts.',
    'The queue is full, and a domain with fewer mails in the queue needs the place.',
    // No change.
    'The relay accepted the mail twice: the node of the first attempt was late.',
    'The mail has ended: no node attempts it.',
  ],
  secondFactor: [
    // The end-users, the time limit of a set-up and the demand for a factor are left to the server.
    'The end-user was disabled or deleted.',
    'The secret was shown too long ago; the set-up begins again with another secret.',
    'The policy demands a second factor, and the end-user has no other.',
    // No change.
    'It was removed already.',
  ],
  recoveryCode: [
    'The end-user was disabled or deleted.',
    // No change.
    'Its row stays as it is.',
  ],
  passkey: [
    'The end-user was disabled or deleted.',
    // How many there may be is left to the server.
    'The end-user has as many as there may be, and removes one first.',
    'It was registered before.',
    'It was registered before, and removed.',
    'The end-user gave it another name.',
    'The policy demands a second factor, and the end-user has no other.',
    'The end-user has no password, no other passkey and no linked identity: they could no longer sign in.',
    // No change.
    'Nothing is stored of it.',
    'It was removed already.',
  ],
  signingKey: [
    // Where a key is kept before it is published, and that there is a signer at all, is left to the server.
    'Fresh, in the memory of the node that created it.',
    'The first key of its algorithm signs immediately: no other key signs.',
    'Its algorithm has no signer.',
    // OpenID Connect Core §10.1.1 lets caches fetch a new key when they meet it. To publish it beforehand is stricter.
    'In the JWKS ahead of its first signature, so that every cache holds it by then, except in an emergency.',
    'Published while there is time for caches to fetch it.',
    'Its time is nearly over: a successor is published while caches still have time to fetch it.',
    'The handover is due already: the successor takes over as soon as it has been published for long enough.',
    // Which algorithms sign is the policy.
    'Its time has ended, and the policy no longer names its algorithm.',
    // No change.
    'Another node was first: its key signs, and this key is dropped.',
    'The key is neither stored nor in the JWKS.',
    'The key is stored already.',
    'Another key signs; this key waits.',
    'This event is for the signer of the algorithm.',
    'The key signs, past its time if it must, until a successor is ready or the policy drops its algorithm.',
    'It is itself the signer.',
    'It has no private half to sign with.',
  ],
  clientRegistration: [
    // How long a client without end-users stays is a decision of the server.
    'An end-user signs in to a client that did not register itself.',
    'An end-user signs in: the client stays.',
    'The end moves once a day at most.',
    'An end-user signs in: the client stays longer.',
  ],
  clientDocument: [
    // A server may delete a client for good, and bound its tables.
    'An administrator deleted the client: its document does not register it again.',
    'So many documents are stored that the table would fill.',
  ],
  client: [
    // The permitted changes of a client, and their actors, are left to the server.
    'Configuration declares the client: the next start would undo the change.',
    'No client has this id.',
    // RFC 7591 gives a client a secret, and leaves its exchange to the server.
    'Two secrets are live already: one of them is removed first.',
    'The secret before stays active until its removal, so that the client never stops.',
    'Every earlier secret stops working immediately.',
    'No live secret of the client has this id.',
    'The client could no longer authenticate.',
    'The secret stops working immediately; the other secret stays.',
    // No change.
    'It is registered like that already.',
  ],
  user: [
    // How end-users are administered is left to the server.
    'Another end-user signs in with this username.',
    'Another end-user signs in by this verified address, or has it as the username.',
    'The end-user is not found.',
    'The end-user may sign in from now on.',
    'New claims, or a new username; sessions and grants stay.',
    'The end-user was disabled since, and cannot change the password.',
    'The end-user is disabled; every session and every grant ends.',
    'The end-user may sign in again. Ended sessions and grants stay ended.',
    'The end-user is deleted; every session and every grant ends.',
    // No change.
    'The record is stored like that already.',
    'The end-user is enabled already.',
    'The end-user is disabled already.',
    'The password has changed since, and the new password stays.',
    'A disabled end-user cannot sign in, and the hash stays.',
    'The end-user is disabled: no link in an e-mail changes the account.',
  ],
  emailChallenge: [
    // How mails are sent is left to the server.
    'Nothing is stored, and no mail was sent.',
    'No mail has this link.',
    'The current policy does not offer such a link.',
    'The end-user was disabled or deleted.',
    'Another end-user has the chosen username; the link stays valid.',
    'Another end-user signs in by this address, or has it as the username; the link stays valid.',
    'The current policy makes no account with a passkey instead of a password; the link stays valid.',
    'An administrator took the invitation back.',
    // No change.
    'Nothing was sent.',
    'It was sent already.',
    'It was used: nothing takes that back.',
    'The link is already invalid.',
  ],
};
