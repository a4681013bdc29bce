-- The origins of http(s) URIs, as browsers write them: in lower case, without the default port. For the index below.
CREATE FUNCTION "web_origins"(uris text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY(
    SELECT regexp_replace(lower(origin COLLATE "C"), '^(https://.*):443$|^(http://.*):80$', '\1\2')
    FROM unnest(uris) AS uri, substring(uri FROM '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]+') AS origin
    WHERE origin IS NOT NULL
  )
$$;--> statement-breakpoint
CREATE INDEX "clients_web_origins" ON "clients" USING gin (web_origins("redirect_uris")) WHERE "clients"."deleted_at" is null and "clients"."token_endpoint_auth_method" = 'none' and "clients"."application_type" = 'web';