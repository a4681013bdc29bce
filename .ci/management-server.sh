# A server with a fresh embedded database, and a client that may do everything through its management API. Sourced, with bash's
# `set -euo pipefail`, in the folder of the repository. Sets `folder`, `issuer`, and for the client CALLER_SECRET, CALLER_SCOPE and
# CALLER_RESOURCE. Its id is `caller`.
root="$PWD"
# The Node that the project runs on.
export PATH="$root/node_modules/.bin:$PATH"
folder="$(mktemp -d)"
server=''
finish() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
  rm -rf "$folder"
}
trap finish EXIT

cp -r policies "$folder/policies"
CALLER_SCOPE="$(node -e '
  import(process.argv[1]).then(({ MANAGEMENT_SCOPE_NAMES }) => console.log(MANAGEMENT_SCOPE_NAMES.join(" ")))
' "$root/src/config/management-resource.ts")"
printf 'clients:\n  - client_id: caller\n    scope: %s\n' "$CALLER_SCOPE" >"$folder/policies/operators.yaml"
# Above what a fuzzer reaches.
echo 'managementRequestsPerMinute: 10000000' >"$folder/policies/limits.yaml"
# Declared in configuration, so that no request of a fuzzer deletes it.
cat >"$folder/policies/clients.yaml" <<'YAML'
clients:
  - client_id: caller
    grant_types: [client_credentials]
    token_endpoint_auth_method: client_secret_post
    client_secret_environment: [CALLER_SECRET]
YAML
export CALLER_SECRET CALLER_SCOPE CALLER_RESOURCE
CALLER_SECRET="$(node -p 'require("node:crypto").randomBytes(24).toString("base64url")')"
port="$(node -e 'const s = require("node:net").createServer().listen(0, "localhost", () => { console.log(s.address().port); s.close(); })')"
issuer="http://localhost:$port"
CALLER_RESOURCE="$issuer/management/v1"

(
  cd "$folder"
  exec env -u DATABASE_URL -u NODE_ENV STATEHOUSE_CONFIG="$folder/policies" STATEHOUSE_ISSUER="$issuer" HOST=localhost PORT="$port" \
    LOG_LEVEL=warn node "$root/src/cli/statehouse.js" start
) >"$folder/server.log" 2>&1 &
server=$!
until curl --silent --fail --output /dev/null "$issuer/health/ready"; do
  if ! kill -0 "$server" 2>/dev/null; then
    cat "$folder/server.log" >&2
    exit 1
  fi
  sleep 0.2
done
