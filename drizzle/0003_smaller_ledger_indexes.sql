DROP INDEX "transitions_shard_key";--> statement-breakpoint
DROP INDEX "transitions_order";--> statement-breakpoint
CREATE INDEX "transitions_shard_key" ON "transitions" USING btree ("shard_key");--> statement-breakpoint
CREATE INDEX "transitions_order" ON "transitions" USING btree ("recorded_in","position");