/** Opens a data directory as a gate would after a crash, and compares it with what was acknowledged. */
import { verifyAuditExport } from '@permitry/protocol';
import { exportAudit, type GateParts, listProjects, openGate, readConfig } from '@permitry/server';
import { startServer } from '@permitry/server/serve';
import { readRecords } from '../checks/check-chain.ts';
import { findHalfDone } from '../checks/find-half-done.ts';
import { findLost } from '../checks/find-lost.ts';
import { findUnrepeatable } from '../checks/find-unrepeatable.ts';
import { readGate } from '../checks/read-gate.ts';
import type { Cast } from '../gate/cast.ts';
import { Client } from '../gate/client.ts';
import { BASE_URL } from '../gate/gate-process.ts';
import type { Chronicle } from '../stories/chronicle.ts';

const OPERATOR = { kind: 'operator', credentialId: 'operator', display: 'operator' } as const;

export interface Known {
  cast: Cast;
  chronicle: Chronicle;
  /** The number of answers so far. */
  through: number;
}

/** Returns what is lost or half done, in sentences. */
export function findProblems(dataDir: string, { cast, chronicle, through }: Known): Promise<string[]> {
  return withGateOn(dataDir, async (client, gate) => {
    const repeatable = chronicle.done(through).filter(({ ask }) => ask.idempotencyKey !== undefined);
    const repeats = await findUnrepeatable(client, repeatable, chronicle.deeds);
    const log: string[] = [];
    const seen = await readGate(client, cast, async () => {
      const { records, findings } = await readLog(gate, cast.projectId);
      log.push(...findings);
      return records;
    });
    return [...log, ...repeats, ...findLost(seen, chronicle, through), ...(await findHalfDone(seen, cast))];
  });
}

/** Serves the directory in this process. A failure to open or read it is one of the findings. */
export async function withGateOn(
  dataDir: string,
  find: (client: Client, gate: GateParts) => Promise<string[]>,
): Promise<string[]> {
  const flags = { PERMITRY_DATA: dataDir, PERMITRY_PORT: '0', PERMITRY_BASE_URL: BASE_URL };
  const config = readConfig(
    {},
    { ...flags, PERMITRY_RATE_LIMIT_PER_MINUTE: '0', PERMITRY_LOG_LEVEL: 'silent' },
  );
  const server = await startServer(config).catch((error: unknown) => error as Error);
  if (server instanceof Error) return [`it cannot be opened: ${server.message}`];
  const client = new Client(server.url);
  try {
    return await find(client, server.gate);
  } catch (error) {
    return [`it cannot be read: ${(error as Error).message}`];
  } finally {
    client.close();
    await server.close();
  }
}

/** For a directory without any acknowledgement yet: the directory opens, and its content is consistent. */
export async function findProblemsOfFirstStart(dataDir: string): Promise<string[]> {
  try {
    const { gate, close } = await openGate({ database: { directory: dataDir }, issuer: BASE_URL });
    try {
      const logs = (await listProjects(gate, OPERATOR)).map(({ id }) => readLog(gate, id));
      return (await Promise.all(logs)).flatMap(({ findings }) => findings);
    } finally {
      await close();
    }
  } catch (error) {
    return [`it cannot be opened: ${(error as Error).message}`];
  }
}

async function readLog(gate: GateParts, projectId: string) {
  const lines: string[] = [];
  for await (const line of await exportAudit(gate, OPERATOR, projectId)) lines.push(line);
  const { valid, firstBad } = await verifyAuditExport(lines);
  return {
    records: readRecords(lines.join('\n')),
    findings: valid ? [] : [`the chain: ${firstBad?.message}`],
  };
}
