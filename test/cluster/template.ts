/** Once per run, instead of test/support/postgres-template.ts: a cluster of Citus with a distributed template database on each node. */
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { PAST_TRIGGERS, startCitus } from './citus.ts';

const WORKERS = 3;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCitus(WORKERS);
  const prefix = `statehouse_test_${randomBytes(4).toString('hex')}_`;
  const template = `${prefix}template`;
  const servers = [cluster.coordinator, ...cluster.workers];
  try {
    await cluster.makeDistributed(template);
    for (const server of servers) await closeTo(server.url, template);
    for (const server of servers) await addRolePastTriggers(server.url);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  project.provide('postgres', {
    url: cluster.coordinator.url,
    prefix,
    template,
    workers: cluster.workers.map(({ url }) => url),
  });
  return cluster.stop;
}

/** A database with connections cannot be copied, and Citus keeps a process for each database. */
async function closeTo(url: string, template: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await admin`alter database ${admin(template)} allow_connections false`;
    const connected = () =>
      admin`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${template}`;
    while ((await connected()).length > 0);
  } finally {
    await admin.end();
  }
}

/** A session of it passes no setting of its own to the nodes, so that each node has the setting by the role. */
async function addRolePastTriggers(url: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await admin`create role ${admin(PAST_TRIGGERS)} superuser login`;
    await admin`alter role ${admin(PAST_TRIGGERS)} set session_replication_role = replica`;
  } finally {
    await admin.end();
  }
}
