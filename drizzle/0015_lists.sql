CREATE INDEX "grants_subject_id_created_at" ON "grants" USING btree ("subject_id","created_at");--> statement-breakpoint
CREATE INDEX "grants_client_id_created_at" ON "grants" USING btree ("client_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_subject_id_signed_in_at" ON "sessions" USING btree ("subject_id","signed_in_at");--> statement-breakpoint
CREATE INDEX "sessions_signed_in_at" ON "sessions" USING btree ("signed_in_at");--> statement-breakpoint
CREATE INDEX "sessions_sid" ON "sessions" USING btree ("sid");--> statement-breakpoint
DROP INDEX "grants_subject_id";--> statement-breakpoint
DROP INDEX "sessions_subject_id";