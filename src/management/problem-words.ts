/** The meaning of each problem, and its remedy, for the page at its `type`. */
import type { ProblemReason } from './problem.ts';

type Words = { readonly means: string; readonly remedy: string };

export const PROBLEM_WORDS: Readonly<Record<ProblemReason, Words>> = {
  invalid_request: {
    means: 'The server cannot parse the HTTP request: its path, a header, or their length or encoding.',
    remedy: 'Compare the request with an example of the reference, and send it again.',
  },
  invalid_parameter: {
    means: 'A query parameter has an invalid value, is unknown, or occurs twice.',
    remedy: 'See "errors": each entry names the parameter, and says what was expected and what was found.',
  },
  malformed_json: {
    means: 'The body cannot be read as JSON (RFC 8259), so nothing was changed.',
    remedy: 'Check quotes, commas and the encoding, which is UTF-8.',
  },
  invalid_idempotency_key: {
    means: 'The header Idempotency-Key is empty, too long, or has invalid characters.',
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
      'Request the scope by name when you get the token. If operators.yaml does not grant the scope, an operator has to add it there.',
  },
  not_found: {
    means:
      'Nothing has this address: it was never there, it was deleted, or the address is not written as it should be.',
    remedy: 'Start at the root of the API, and follow the links.',
  },
  method_not_allowed: {
    means: 'The resource exists, and does not have this method.',
    remedy: 'The header Allow names the methods that it has.',
  },
  not_acceptable: {
    means: 'The header Accept names no media type that this resource has.',
    remedy: 'Accept application/json, or leave the header out. Diagrams of machines are image/svg+xml.',
  },
  request_timeout: {
    means:
      'The body of the request had not arrived whole after ten seconds, or while many others waited for theirs. Nothing was changed.',
    remedy: 'Send the request again, with its whole body.',
  },
  already_exists: {
    means: 'A client with this id exists, and differs from the request.',
    remedy:
      'Choose another client_id, or leave it out: the server then makes one. To change the client, use PUT or PATCH.',
  },
  client_is_declared: {
    means: 'clients.yaml declares this client, so the next reload would undo a change through the API.',
    remedy: 'Change clients.yaml. The server reloads it.',
  },
  client_is_own: {
    means: 'The server registers this client by itself, for its console or for the commands of its machine.',
    remedy: 'Do not change it. To close the console, remove every operator and auditor from operators.yaml.',
  },
  client_is_public: {
    means: 'The client has no secret: its token_endpoint_auth_method is none, or by a key or a certificate.',
    remedy: 'If it is a service that can keep a secret, change its token_endpoint_auth_method first.',
  },
  too_many_secrets: {
    means: 'The client has two active secrets, which is the maximum.',
    remedy: 'Delete the secret that is no longer in use, and try again.',
  },
  secret_in_use: {
    means:
      'A file in force names the secret, and no variable or file of the environment has it: the next start would fail.',
    remedy: 'Take the webhook endpoint, upstream or client out of its file first. To replace the value, use PUT.',
  },
  secret_of_process: {
    means:
      'The name is that of a variable which decides about the process itself, and no stored value stands in for it.',
    remedy:
      'Set the variable in the environment of each node, and restart it. Choose another name for a secret of the files.',
  },
  too_many_values: {
    means: 'The number of secrets that are set over the API is bounded.',
    remedy: 'Remove those that no file names: their `used_by` is empty.',
  },
  last_secret: {
    means: 'This is the only secret of the client, which could not authenticate without it.',
    remedy: 'Make a second secret, move the client to it, and then delete this one.',
  },
  sign_up_off: {
    means: 'The policy does not allow invitations.',
    remedy: 'Set signUp in policies/sign-in.yaml to "invitation" or "open", and try again.',
  },
  mails_off: {
    means: 'This server sends no mails, so it has no pages for the links in them, and sends no tests.',
    remedy: 'Set the secret STATEHOUSE_SMTP_URL, which needs no restart, and try again.',
  },
  sign_in_ended: {
    means: 'The delegated sign-in has an answer, or has expired. It takes one answer.',
    remedy: 'Send the browser back to the app, where the end-user starts again.',
  },
  end_user_ended: {
    means: 'The end-user is disabled or deleted: the answer of a sign-in names them, or a mail would go to them.',
    remedy: 'Tell the person. An operator can enable a disabled end-user.',
  },
  end_user_unknown: {
    means: 'The answer names an end-user who is not registered here.',
    remedy: 'Register them first, or set createUsers in delegated-sign-in.yaml and answer with "username".',
  },
  no_verified_address: {
    means: 'A test mail goes to the verified address of the caller. The caller is a client, or has no such address.',
    remedy: 'Use a token of an operator, and verify the address at /account first.',
  },
  no_email_address: {
    means: 'The mail goes to the e-mail address of the end-user, who has none.',
    remedy: 'Add the claim `email`, or set a password.',
  },
  username_taken: {
    means: 'Another end-user signs in with this username, or by it as the verified e-mail address.',
    remedy: 'Choose another one, or change that end-user.',
  },
  address_taken: {
    means:
      'Another end-user signs in by this verified e-mail address, or has it as the username. Where `identifiers` of sign-in.yaml includes addresses, a verified address belongs to one end-user.',
    remedy: 'Leave out `email_verified`, or change that end-user first.',
  },
  changed_meanwhile: {
    means:
      'The resource does not meet If-Match or If-None-Match: another request changed, created or deleted it. Nothing was changed.',
    remedy: 'Read the resource, compare it with your version, and send the change again with the new ETag.',
  },
  content_too_large: {
    means: 'The body is longer than 32 KB, or that of a batch longer than 1 MB.',
    remedy: 'No resource of this API needs a body of this size. Check the request.',
  },
  unsupported_media_type: {
    means: 'The header Content-Type names a media type that this method does not accept.',
    remedy: 'Send application/json; for PATCH, application/merge-patch+json (RFC 7396).',
  },
  invalid_fields: {
    means:
      'The body is JSON, and something in it cannot be: a value, an unknown member, or members that contradict each other.',
    remedy: 'See "errors": each entry names the field, and says what was expected and what was found.',
  },
  idempotency_key_reused: {
    means: 'The Idempotency-Key was sent with another request within the last day.',
    remedy: 'Use a new key for each request, and repeat a key only with the same request.',
  },
  precondition_required: {
    means: 'The request would change a resource, and does not name the version that its sender read (RFC 6585 §3).',
    remedy: 'Read the resource, and send its ETag as If-Match.',
  },
  too_many_requests: {
    means:
      'The caller sent more requests in a minute than limits.yaml allows at a node. Each operation of a batch counts as one. Nothing was changed.',
    remedy:
      'Wait as long as Retry-After says, and send the request again. In each response, RateLimit has the number of requests that are left, and the seconds until the next window.',
  },
  server_error: {
    means: 'The server has an unexpected error.',
    remedy: 'Find the reason in the log of the server, and report it.',
  },
  temporarily_unavailable: {
    means: 'The server cannot reach its database, or is overloaded. Nothing was changed.',
    remedy: 'Wait as long as Retry-After says, and send the request again.',
  },
  not_attempted: {
    means:
      'The server carries out the operations of a batch one after the other, within a bounded time. It ended before this one.',
    remedy: 'Send this operation and the following ones in another batch.',
  },
  commit_unknown: {
    means: 'The server lost the connection to its database before it received the result of the change.',
    remedy:
      'Read the resource before you send the request again. A POST with an Idempotency-Key can be sent again as it is.',
  },
};
