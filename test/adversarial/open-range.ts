/**
 * A gate in this process as the attacks of `npm run attack` meet it: over HTTP. The attacks can also move the gate's
 * clock and read its rows.
 */
import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { prepareProjects } from '../../attack/prepare-gate.ts';
import { Range } from '../../attack/range/range.ts';
import { expireAllDue } from '../../packages/server/src/gate/intents/expire.ts';
import { openReach } from '../../packages/server/src/outgoing/notifications/open-reach.ts';
import { Outgoing } from '../../packages/server/src/outgoing/outgoing.ts';
import { withClient } from '../../packages/server/test/fixtures/postgres/create-template.ts';
import type { TestAppOptions } from '../../packages/server/test/http/open-test-app.ts';
import { openArena } from './open-arena.ts';
import { OPERATIONS } from './routes-of.ts';

/** The default guard. Every name resolves outside the gate's network, and nothing is sent. */
const GUARD = new Outgoing({
  allowedPrivate: [],
  resolve: async () => ['93.184.215.14'],
  timeoutMs: 30_000,
});

/** The number of answers of a database server that count as one turn. A change needs about ten. */
const ANSWERS = 2;

export interface OpenRange {
  range: Range;
  close(): Promise<void>;
}

export async function openRange({
  deps = {},
  approvers,
}: Pick<TestAppOptions, 'deps'> & { approvers?: number }): Promise<OpenRange> {
  const outside = { reach: openReach({ configured: false }, GUARD) };
  const t = await openArena({ mode: 'live', logLevel: 'error', deps, outside });
  const projects = await prepareProjects(t.gate, approvers);
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = t.app.server.address() as AddressInfo;
  const range = await Range.open({
    target: new URL(`http://127.0.0.1:${port}`),
    projects,
    destructive: true,
    operations: OPERATIONS,
    clock: {
      now: () => Date.parse(t.clock.now()),
      pass: async (seconds) => t.clock.advance(seconds),
    },
    inside: {
      endExpired: () => expireAllDue(t.gate),
      async turns(count) {
        for (let turn = 0; turn < count; turn += 1) {
          if (!('url' in t.database)) await new Promise((resolve) => setImmediate(resolve));
          else
            for (let read = 0; read < ANSWERS; read += 1) await t.gate.storage.read.findProject(t.projectId);
        }
      },
      findSigningKey: () => findGateKey(t.dataDir),
      async alter(statement) {
        if ('url' in t.database) {
          await withClient(t.database.url, (client) => client.query(statement));
          return;
        }
        const file = new DatabaseSync(t.databaseFile);
        file.exec(statement);
        file.close();
      },
      rows: t.snapshot,
      remembered: t.remembered,
      position: t.now,
      written: t.written,
    },
  });
  return {
    range,
    async close() {
      await range.close();
      t.app.server.closeAllConnections();
      await t.close();
    },
  };
}

/**
 * Reads the key as an attacker with the data directory would: a forgery is only worth trying if it is signed correctly.
 */
function findGateKey(dataDir: string): KeyObject | undefined {
  const folder = join(dataDir, 'keys');
  const keys = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as JsonWebKey & { state: string });
  const active = keys.find(({ state }) => state === 'active');
  const { kty, crv, x, y, d } = (active ?? {}) as Record<'kty' | 'crv' | 'x' | 'y' | 'd', string>;
  // The key is encrypted when the gate uses PostgreSQL.
  return d === undefined ? undefined : createPrivateKey({ key: { kty, crv, x, y, d }, format: 'jwk' });
}
