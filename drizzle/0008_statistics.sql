CREATE TABLE "statistics" (
	"at" timestamp with time zone NOT NULL,
	"series" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "statistics_at_series_pk" PRIMARY KEY("at","series")
);
--> statement-breakpoint
CREATE TABLE "statistics_progress" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"counted_below" "xid8" NOT NULL,
	"since" timestamp with time zone NOT NULL,
	CONSTRAINT "statistics_progress_only" CHECK ("statistics_progress"."only")
);
