/** A real PostgreSQL for one run. Every commit waits for the disk, as in production. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findPostgresBinaries } from '../../packages/server/test/fixtures/postgres/find-binaries.ts';
import { startServer, stopServer } from '../../packages/server/test/fixtures/postgres/start-server.ts';

/**
 * Turns on the settings that tests turn off. The values are PostgreSQL's defaults, except where a test machine has too
 * few resources or a default would disturb a short measurement.
 */
const SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  autovacuum: 'on',
  wal_level: 'replica',
  max_wal_senders: '10',
  jit: 'on',
  max_connections: '60',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '30min',
};

export interface DatabaseServer {
  url: string;
  version: string;
  /** Also removes it. */
  stop(): void;
}

/** @param directory Empty, on a disk with a real fsync. */
export async function startDatabase(directory: string): Promise<DatabaseServer> {
  const binaries = findPostgresBinaries();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // The user that runs the server must be able to reach the directory.
  chmodSync(dirname(directory), 0o711);
  return {
    url: await startServer(directory, process.pid, binaries, SETTINGS),
    version: execFileSync(join(binaries.directory, 'postgres'), ['--version'], { encoding: 'utf8' }).trim(),
    stop: () => stopServer(directory),
  };
}
