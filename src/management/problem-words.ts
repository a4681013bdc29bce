/** What each problem means, and what to do about it, for the page under its `type`. */
import type { ProblemReason } from './problem.ts';

type Words = { readonly means: string; readonly remedy: string };

export const PROBLEM_WORDS: Readonly<Record<ProblemReason, Words>> = {
  invalid_request: {
    means: 'The request is not HTTP as this server reads it: a header, its length or its encoding.',
    remedy: 'Compare the request with an example of the reference, and send it again.',
  },
  invalid_parameter: {
    means: 'A parameter of the query has a value that it cannot have, is unknown, or was sent twice.',
    remedy: 'See "errors": each entry names the parameter, and says what was expected and what was found.',
  },
  malformed_json: {
    means: 'The body cannot be read as JSON (RFC 8259), so nothing was changed.',
    remedy: 'Check quotes, commas and the encoding, which is UTF-8.',
  },
  invalid_idempotency_key: {
    means: 'The header Idempotency-Key is empty, too long, or has characters that do not belong there.',
    remedy: 'Send 1 to 255 printable characters without spaces, such as a random UUID.',
  },
  no_credentials: {
    means: 'The request has no access token.',
    remedy:
      'Get a token for this API (the header WWW-Authenticate names the metadata that say where), and send it as "Authorization: Bearer …".',
  },
  invalid_token: {
    means:
      'The access token has expired, was revoked, was issued for another API, or is none of this server. Its client or its end-user may be gone.',
    remedy: 'Get a new token with "resource" set to the address of this API.',
  },
  insufficient_scope: {
    means:
      'The access token does not have the scope that this request needs, or the operator or client who got it does not have that scope any more.',
    remedy:
      'Ask for the scope by name when you get the token. Where operators.yaml does not grant it, somebody has to add it there.',
  },
  not_found: {
    means:
      'Nothing has this address: it was never there, it was deleted, or the address is not written as it should be.',
    remedy: 'Begin at the first address of the API, and follow the links.',
  },
  method_not_allowed: {
    means: 'The resource exists, and does not have this method.',
    remedy: 'The header Allow names the methods that it has.',
  },
  not_acceptable: {
    means: 'The header Accept asks for a media type that this resource does not have.',
    remedy: 'Ask for application/json, or leave the header out. Pictures of machines are image/svg+xml.',
  },
  request_timeout: {
    means:
      'The body of the request had not arrived whole after ten seconds, or while many others waited for theirs. Nothing was changed.',
    remedy: 'Send the request again, with its whole body.',
  },
  already_exists: {
    means: 'There is a client with this id, and the request describes another.',
    remedy:
      'Choose another client_id, or leave it out: the server then makes one. To change the client, use PUT or PATCH.',
  },
  client_is_declared: {
    means: 'Configuration declares this client (clients.yaml), so a change here would be undone by the file.',
    remedy: 'Change clients.yaml; the server follows it.',
  },
  client_is_own: {
    means: 'The server registers this client by itself, for its console or for the commands of its machine.',
    remedy: 'Leave it as it is. The console is closed by removing every operator and auditor from operators.yaml.',
  },
  client_is_public: {
    means: 'The client authenticates with none: it cannot keep a secret, and has none.',
    remedy: 'Change its token_endpoint_auth_method first, if it is a service that can keep one.',
  },
  too_many_secrets: {
    means: 'The client has two secrets that work. More are not needed to rotate them.',
    remedy: 'Delete the secret that nothing uses any more, and try again.',
  },
  last_secret: {
    means: 'This is the only secret of the client, which could not authenticate without it.',
    remedy: 'Make a second secret, move the client to it, and then delete this one.',
  },
  sign_up_off: {
    means: 'The policy lets nobody make an account by invitation.',
    remedy: 'Set signUp in policies/sign-in.yaml to "invitation" or "open", and try again.',
  },
  mails_off: {
    means: 'This server sends no mails, so it has no pages for the links in them.',
    remedy: 'Set STATEHOUSE_SMTP_URL, start the server again, and try again.',
  },
  sign_in_ended: {
    means: 'The delegated sign-in was answered before, or it took too long. An answer stays, and counts once.',
    remedy: 'Send the browser back to the app, where the end-user begins again.',
  },
  end_user_ended: {
    means: 'The answer names an end-user who was disabled or deleted.',
    remedy: 'Tell the person. An operator can enable a disabled end-user.',
  },
  end_user_unknown: {
    means: 'The answer names an end-user who is not registered here.',
    remedy: 'Register them first, or set createUsers in delegated-sign-in.yaml and answer with "username".',
  },
  username_taken: {
    means: 'Another end-user signs in with this username.',
    remedy: 'Choose another one, or change that end-user.',
  },
  changed_meanwhile: {
    means:
      'The resource is not as If-Match or If-None-Match expects: somebody changed it since, or it is there already, or it is gone. Nothing was changed.',
    remedy: 'Read the resource, look at what is different, and send the change again with the new ETag.',
  },
  content_too_large: {
    means: 'The body is longer than 32 KB.',
    remedy: 'Nothing that this API keeps is as long. Check what is sent.',
  },
  unsupported_media_type: {
    means: 'The header Content-Type names something that this method does not take.',
    remedy: 'Send application/json; for PATCH, application/merge-patch+json (RFC 7396).',
  },
  invalid_fields: {
    means:
      'The body is JSON, and something in it cannot be: a value, an unknown member, or members that contradict each other.',
    remedy: 'See "errors": each entry names the field, and says what was expected and what was found.',
  },
  idempotency_key_reused: {
    means: 'The Idempotency-Key was sent with another request within the last day.',
    remedy: 'Make a new key for each request; use it again only to send the very same request again.',
  },
  precondition_required: {
    means: 'The request would change something, and does not say what its sender has seen (RFC 6585 §3).',
    remedy: 'Read the resource, and send its ETag as If-Match.',
  },
  server_error: {
    means: 'Something failed that nobody expected.',
    remedy: 'The operator finds the reason in the log of the server. Please report it.',
  },
  temporarily_unavailable: {
    means: 'The server cannot reach its database, or has too much to do. Nothing was changed.',
    remedy: 'Wait as long as Retry-After says, and send the request again.',
  },
  commit_unknown: {
    means: 'The server lost its database while it waited to hear whether the change was made.',
    remedy:
      'Read the resource before you send the request again. A POST with an Idempotency-Key can be sent again as it is.',
  },
};
